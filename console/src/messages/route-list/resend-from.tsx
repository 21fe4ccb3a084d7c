import { RotateCcw } from 'lucide-react';
import { useState } from 'react';

import { Button } from '../../ui/form/button.tsx';
import { Confirm } from '../../ui/form/confirm.tsx';
import { toast } from '../../ui/toast.tsx';
import { useResend } from '../queries.ts';

interface ResendFromProps {
  application: number;
  message: number;
  /** Its position in the list. */
  route: number;
  /** Whether a response was lost, so that the recipient may get the message twice. */
  maybeSent: boolean;
}

/** Sends a message again, beginning with one of its routes. */
export function ResendFrom({ application, message, route, maybeSent }: ResendFromProps) {
  const resend = useResend(application, message);
  const [confirming, setConfirming] = useState(false);
  const done = () => toast.ok(`Resending from route ${route + 1}`);
  return (
    <div className="mt-2">
      <Button
        data-testid="resend-from"
        size="sm"
        busy={resend.isPending && !confirming}
        onClick={() =>
          maybeSent
            ? setConfirming(true)
            : resend.mutate(route, { onSuccess: done, onError: toast.error })
        }
      >
        <RotateCcw aria-hidden />
        Resend from here
        <span className="sr-only">, route {route + 1}</span>
      </Button>
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title="Resend message?"
        action="Resend message"
        onConfirm={async () => {
          await resend.mutateAsync(route);
          done();
        }}
      >
        A response of this route was lost, so the message may have been sent. If it was, the
        recipient gets it twice.
      </Confirm>
    </div>
  );
}
