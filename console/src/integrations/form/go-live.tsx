import { Rocket } from 'lucide-react';
import { useState } from 'react';

import type { Channel, Integration } from '../../api/types.ts';
import { Section } from '../../ui/card.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { learnAccount, useChangeIntegration } from '../queries.ts';
import { CredentialFields } from './credential-fields.tsx';
import { useCredentialForm } from './credential-form.ts';
import { useMayChange } from './disabled-notice.tsx';
import { emptyFields, filledFields } from './fields.ts';

interface GoLiveProps {
  application: number;
  integration: Integration;
  channel: Channel;
}

/** Gives a sandbox integration credentials, once. The service checks them with the vendor and may refuse. */
export function GoLive({ application, integration, channel }: GoLiveProps) {
  const [isOpen, setIsOpen] = useState(false);
  const form = useCredentialForm(channel);
  const mayChange = useMayChange();
  const change = useChangeIntegration(application, integration);
  const given = filledFields(channel, form.credentialSet, form.values);
  const missing = emptyFields(channel, form.credentialSet, given);

  const close = () => {
    setIsOpen(false);
    form.reset();
    change.reset();
  };
  const save = () => {
    if (missing[0] !== undefined) {
      form.showMissing(missing[0]);
      return;
    }
    change.mutate(
      { ...given, mode: 'live' },
      {
        onSuccess: () => {
          learnAccount(application, integration.id);
          toast.ok('The integration is live');
        },
      },
    );
  };

  return (
    <Section
      title="Go live"
      description={`From then on, messages are sent through ${channel.title}. Past messages stay marked as sandbox. You cannot switch back.`}
      actions={
        !isOpen && (
          <Button data-testid="go-live" disabled={!mayChange} onClick={() => setIsOpen(true)}>
            <Rocket aria-hidden />
            Go live
          </Button>
        )
      }
    >
      {isOpen && (
        <Form noValidate data-testid="go-live-form" className="grid gap-5" onSubmit={save}>
          <CredentialFields
            form={form}
            missing={missing}
            error={change.error}
            onEdit={change.reset}
          />
          {change.isError && <ProblemNotice error={change.error} />}
          <div className="flex flex-wrap gap-2 border-t border-line pt-4">
            <Button
              type="submit"
              data-testid="save"
              look="primary"
              disabled={!mayChange}
              busy={change.isPending}
            >
              {channel.can.check ? 'Check and go live' : 'Go live'}
            </Button>
            <Button onClick={close}>Cancel</Button>
          </div>
        </Form>
      )}
    </Section>
  );
}
