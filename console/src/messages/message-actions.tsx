import { Ban, CalendarClock, Pencil, RotateCcw } from 'lucide-react';
import { useState } from 'react';

import type { MessageDetail } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { CopyButton } from '../ui/form/copy.tsx';
import { toast } from '../ui/toast.tsx';
import { canCancel, canResend, useCancel, useResend, useRetry } from './queries.ts';
import { EditMessage } from './scheduled/edit-message.tsx';
import { Reschedule } from './scheduled/reschedule.tsx';
import { asCurl } from './snippets.ts';

/** The actions on a message that its state allows. */
export function MessageActions({
  application,
  message,
}: {
  application: number;
  message: MessageDetail;
}) {
  const { id, state } = message;
  const { public_url: url } = useSession();
  const resend = useResend(application, id);
  const cancel = useCancel(application, id);
  const retry = useRetry(application, id);
  const [confirming, setConfirming] = useState(false);
  const [changing, setChanging] = useState(false);
  const [editing, setEditing] = useState(false);
  const again = () =>
    resend.mutate(undefined, {
      onSuccess: () => toast.ok('Queued behind other messages to this recipient'),
      onError: toast.error,
    });
  return (
    <>
      <CopyButton
        labeled
        size="md"
        data-testid="copy-curl"
        label="Copy as curl"
        text={asCurl({ url, activity: message.message, options: message.options })}
      />
      {message.waiting?.reason === 'retry' && (
        <Button
          data-testid="retry"
          look="primary"
          busy={retry.isPending}
          onClick={() =>
            retry.mutate(undefined, {
              onSuccess: () => toast.ok('Trying now'),
              onError: toast.error,
            })
          }
        >
          <RotateCcw aria-hidden />
          Try now
        </Button>
      )}
      {state === 'scheduled' && (
        <>
          <Button data-testid="edit-message" onClick={() => setEditing(true)}>
            <Pencil aria-hidden />
            Edit message
          </Button>
          <Button data-testid="reschedule" onClick={() => setChanging(true)}>
            <CalendarClock aria-hidden />
            Change time
          </Button>
        </>
      )}
      {editing && (
        <EditMessage
          application={application}
          message={message}
          onClose={() => setEditing(false)}
        />
      )}
      {changing && (
        <Reschedule
          application={application}
          message={message}
          onClose={() => setChanging(false)}
        />
      )}
      {canCancel(state) && (
        <Button
          data-testid="cancel"
          busy={cancel.isPending}
          onClick={() =>
            cancel.mutate(undefined, {
              onSuccess: () => toast.ok('Message canceled', { label: 'Resend', run: again }),
              onError: toast.error,
            })
          }
        >
          <Ban aria-hidden />
          Cancel message
        </Button>
      )}
      {canResend(state) && (
        <Button
          data-testid="resend"
          look="primary"
          busy={resend.isPending}
          onClick={() => (state === 'uncertain' ? setConfirming(true) : again())}
        >
          <RotateCcw aria-hidden />
          Resend message
        </Button>
      )}
      <Confirm
        open={confirming}
        onClose={() => setConfirming(false)}
        title="Resend message?"
        action="Resend message"
        onConfirm={() => resend.mutateAsync(undefined)}
      >
        The channel's response was lost, so the message may have been sent. If it was, the recipient
        gets it twice.
      </Confirm>
    </>
  );
}
