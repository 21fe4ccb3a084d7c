import { Dices } from 'lucide-react';

import type { Channel, CredentialName } from '../api/types.ts';
import { Button } from '../ui/form/button.tsx';
import { Field } from '../ui/form/field.tsx';
import { Input } from '../ui/form/input.tsx';
import { SecretInput } from '../ui/form/secret-input.tsx';
import { Segments } from '../ui/form/toggle.tsx';
import { Prose } from '../ui/prose.tsx';
import {
  type Field as Credential,
  type Values,
  groupsOf,
  randomValue,
  credentialSetLabel,
} from './fields.ts';

export interface CredentialFieldsProps {
  channel: Channel;
  values: Values;
  onChange(values: Values): void;
  /** Index of the selected credential set. */
  credentialSet: number;
  onCredentialSet(credentialSet: number): void;
  /** Stored values, masked. */
  stored?: Values;
  /** Error of a field. */
  errorOf(name: CredentialName): string | undefined;
}

/** The credential fields that a channel declares, with help for each. */
export function CredentialFields(props: CredentialFieldsProps) {
  const { channel, values, onChange, credentialSet, onCredentialSet, stored, errorOf } = props;
  const { send, receive, rest } = groupsOf(channel, credentialSet);
  const field = (credential: Credential, isRequired: boolean) => (
    <CredentialField
      key={credential.name}
      credential={credential}
      isRequired={isRequired}
      value={values[credential.name]}
      stored={stored?.[credential.name]}
      error={errorOf(credential.name)}
      onChange={(value) => onChange({ ...values, [credential.name]: value })}
    />
  );
  return (
    <div className="grid gap-6">
      {(send.length > 0 || channel.needs.length > 1) && (
        <Group title="Sending">
          {channel.needs.length > 1 && (
            <Segments
              label="Credentials"
              className="w-full flex-wrap"
              value={String(credentialSet)}
              onChange={(chosen) => onCredentialSet(Number(chosen))}
              options={channel.needs.map((_, i) => ({
                value: String(i),
                label: credentialSetLabel(channel, i),
              }))}
            />
          )}
          {send.map((credential) => field(credential, true))}
        </Group>
      )}
      {receive.length > 0 && (
        <Group title="Receiving" help="Required to receive messages. You can add it later.">
          {receive.map((credential) => field(credential, false))}
        </Group>
      )}
      {rest.length > 0 && (
        <Group title={send.length + receive.length > 0 ? 'Other settings' : 'Settings'}>
          {rest.map((credential) => field(credential, false))}
        </Group>
      )}
    </div>
  );
}

export function Group({
  title,
  help,
  children,
}: {
  title: string;
  help?: string;
  children: React.ReactNode;
}) {
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-3 w-full border-b border-line pb-1.5 text-sm font-semibold">
        {title}
        {help !== undefined && (
          <span className="block font-normal text-pretty text-ink-faint">{help}</span>
        )}
      </legend>
      {children}
    </fieldset>
  );
}

interface CredentialFieldProps {
  credential: Credential;
  isRequired: boolean;
  value: string | undefined;
  stored: string | undefined;
  error: string | undefined;
  onChange(value: string): void;
}

function CredentialField(props: CredentialFieldProps) {
  const { credential, isRequired, value, stored, error, onChange } = props;
  const { label, help, secret, generate } = credential;
  const Control = secret ? SecretInput : Input;
  return (
    <Field label={label} optional={!isRequired} help={<Prose text={help} />} error={error}>
      {(control) => (
        <span className="flex items-start gap-2">
          <span className="min-w-0 flex-1">
            <Control
              {...control}
              value={value ?? (secret ? '' : (stored ?? ''))}
              placeholder={secret ? stored : undefined}
              autoComplete="off"
              spellCheck={false}
              onChange={(event: { target: { value: string } }) => onChange(event.target.value)}
            />
          </span>
          {generate !== null && (
            <Button
              data-testid="generate"
              title="Generate a random value"
              className="max-sm:h-10"
              onClick={() => onChange(randomValue(generate))}
            >
              <Dices aria-hidden />
              Generate
            </Button>
          )}
        </span>
      )}
    </Field>
  );
}
