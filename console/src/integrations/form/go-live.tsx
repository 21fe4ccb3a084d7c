import { Rocket } from 'lucide-react';
import { useState } from 'react';

import { fieldError } from '../../api/problem.ts';
import type { Channel, Integration } from '../../api/types.ts';
import { Section } from '../../ui/card.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { learnAccount, useChangeIntegration } from '../queries.ts';
import { CredentialFields } from './credential-fields.tsx';
import { useMayChange } from './disabled-notice.tsx';
import { REQUIRED, type Values, emptyFields, filledFields, focusField } from './fields.ts';

export interface GoLiveProps {
  application: number;
  integration: Integration;
  channel: Channel;
}

/** Gives a sandbox integration credentials, once. The service checks them with the vendor and may refuse. */
export function GoLive({ application, integration, channel }: GoLiveProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [values, setValues] = useState<Values>({});
  const [credentialSet, setCredentialSet] = useState(0);
  const [isMissingShown, setIsMissingShown] = useState(false);
  const mayChange = useMayChange();
  const change = useChangeIntegration(application, integration);
  const given = filledFields(channel, credentialSet, values);
  const missing = emptyFields(channel, credentialSet, given);

  const close = () => {
    setIsOpen(false);
    setValues({});
    setIsMissingShown(false);
    change.reset();
  };
  const save = () => {
    if (missing[0] !== undefined) {
      setIsMissingShown(true);
      focusField(missing[0]);
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
        <form
          noValidate
          data-testid="go-live-form"
          className="grid gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <CredentialFields
            channel={channel}
            values={values}
            credentialSet={credentialSet}
            onCredentialSet={(chosen) => {
              setCredentialSet(chosen);
              change.reset();
            }}
            onChange={(changed) => {
              setValues(changed);
              change.reset();
            }}
            errorOf={(name) =>
              fieldError(change.error, name) ??
              (isMissingShown && missing.includes(name) ? REQUIRED : undefined)
            }
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
        </form>
      )}
    </Section>
  );
}
