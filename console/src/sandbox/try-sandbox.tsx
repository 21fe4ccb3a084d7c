import { useNavigate } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';

import type { Channel } from '../api/types.ts';
import { useCreateSandbox } from '../integrations/queries.ts';
import { Button } from '../ui/form/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';

/** Offers the simulator of a channel to people without an account there. */
export function TrySandbox({ application, channel }: { application: number; channel: Channel }) {
  const navigate = useNavigate();
  const create = useCreateSandbox(application);
  if (!channel.sandbox) return null;
  return (
    <Notice
      testId="try-sandbox"
      title={`Try ${channel.title} without an account`}
      actions={
        <Button
          busy={create.isPending}
          onClick={() =>
            create.mutate(channel.name, {
              onError: toast.error,
              onSuccess: ({ id }) =>
                void navigate({
                  to: '/app/applications/$application/integrations/$integration/phone',
                  params: { application: String(application), integration: String(id) },
                }),
            })
          }
        >
          <FlaskConical aria-hidden />
          Open the sandbox
        </Button>
      }
    >
      In the sandbox, a built-in simulator takes the place of {channel.title}. It needs no
      credentials, and nothing leaves the machine.
    </Notice>
  );
}
