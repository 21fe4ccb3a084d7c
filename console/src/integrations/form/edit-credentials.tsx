import { useMutation } from '@tanstack/react-query';

import type { Channel, Integration } from '../../api/types.ts';
import { Section } from '../../ui/card.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Form } from '../../ui/form/form.tsx';
import { ProblemNotice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { checkStored, checkCredentials, learnAccount, useChangeIntegration } from '../queries.ts';
import { CheckStatus } from './check-notice.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { useCredentialForm } from './credential-form.ts';
import { useMayChange } from './disabled-notice.tsx';
import { type ValueChanges, type Values, closestCredentialSet, emptyFields } from './fields.ts';
import { useLiveCheck } from './live-check.ts';

interface EditCredentialsProps {
  application: number;
  integration: Integration;
  channel: Channel;
}

/** Edits credentials. Secrets are masked and stay unchanged if the field is left empty. */
export function EditCredentials({ application, integration, channel }: EditCredentialsProps) {
  const form = useCredentialForm(
    channel,
    closestCredentialSet(channel, (name) => name in integration),
  );
  const mayChange = useMayChange();
  const stored = storedIn(channel, integration);
  const change = useChangeIntegration(application, integration);
  const changes = changesOf(channel, stored, form.values);
  const isChanged = Object.keys(changes).length > 0;
  const check = useMutation({
    mutationFn: () =>
      isChanged
        ? checkCredentials(application, channel.name, changes, integration.id)
        : checkStored(application, integration.id),
  });

  const all = withoutNulls({ ...stored, ...changes });
  const missing = emptyFields(channel, form.credentialSet, all);
  const live = useLiveCheck({
    application,
    channel,
    values: mayChange && isChanged && missing.length === 0 ? changes : undefined,
    integration: integration.id,
  });
  const result = check.data ?? live.result;

  const save = () => {
    // A required field may be missing in a stored integration, but is never emptied here.
    const emptied = missing.find((name) => stored[name] !== undefined);
    if (emptied !== undefined) return form.showMissing(emptied);
    change.mutate(
      { ...changes, ...result?.renewed },
      {
        onSuccess: () => {
          form.reset();
          if (result?.status === 'ok') learnAccount(application, integration.id);
          check.reset();
          toast.ok('Saved');
        },
      },
    );
  };

  return (
    <Section
      title={channel.credentials.some(({ secret }) => secret) ? 'Credentials' : 'Settings'}
      description="Secrets are stored encrypted and shown masked. Leave a field unchanged to keep its value."
    >
      <Form className="grid gap-5" onSubmit={save}>
        <CredentialFields
          form={form}
          stored={stored}
          missing={missing}
          error={change.error ?? check.error}
          onEdit={check.reset}
        >
          <CheckStatus
            channel={channel}
            isChecking={live.isChecking || check.isPending}
            result={result}
          />
        </CredentialFields>
        {(change.isError || check.isError) && <ProblemNotice error={change.error ?? check.error} />}
        <div className="flex flex-wrap gap-2 border-t border-line pt-4">
          <Button
            type="submit"
            data-testid="save"
            look="primary"
            disabled={!isChanged || !mayChange}
            busy={change.isPending}
          >
            Save changes
          </Button>
          <Button data-testid="check" busy={check.isPending} onClick={() => check.mutate()}>
            {isChanged ? 'Check changes' : 'Check credentials'}
          </Button>
          {isChanged && (
            <Button data-testid="undo" look="quiet" onClick={form.reset}>
              Discard changes
            </Button>
          )}
        </div>
      </Form>
    </Section>
  );
}

function storedIn(channel: Channel, integration: Integration): Values {
  return Object.fromEntries(
    channel.credentials.flatMap(({ name }) => {
      const value = integration[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Typed values replace stored ones. An emptied field that is not secret is cleared. */
function changesOf(channel: Channel, stored: Values, values: Values): ValueChanges {
  const changes: ValueChanges = {};
  for (const { name, secret } of channel.credentials) {
    const typed = values[name]?.trim();
    if (typed === undefined || typed === (stored[name] ?? '')) continue;
    if (typed !== '') changes[name] = typed;
    else if (!secret) changes[name] = null;
  }
  return changes;
}

function withoutNulls(changes: ValueChanges): Values {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null));
}
