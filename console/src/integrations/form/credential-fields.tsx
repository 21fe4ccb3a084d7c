import { Dices } from 'lucide-react';
import { type ReactNode, useId } from 'react';

import { fieldError } from '../../api/problem.ts';
import type { Channel, CredentialName } from '../../api/types.ts';
import { Button } from '../../ui/form/button.tsx';
import { Field } from '../../ui/form/field.tsx';
import { Input } from '../../ui/form/input.tsx';
import { SecretInput } from '../../ui/form/secret-input.tsx';
import { Segments } from '../../ui/form/toggle.tsx';
import { Prose } from '../../ui/prose.tsx';
import type { CredentialForm } from './credential-form.ts';
import { Disclosure } from './disclosure.tsx';
import {
  type Field as Credential,
  REQUIRED,
  type Values,
  groupsOf,
  mismatches,
  randomValue,
} from './fields.ts';
import { useAfterPause } from './live-check.ts';
import { MailServerFields } from './mail-server-fields.tsx';

interface CredentialFieldsProps {
  form: CredentialForm;
  /** Stored values, masked. */
  stored?: Values;
  /** Required fields that are empty. */
  missing: readonly CredentialName[];
  /** Error of the request that saves or checks the credentials. */
  error: unknown;
  /** Called for every change, to remove the result of the last request. */
  onEdit(): void;
  /** Shown below the required fields, such as the result of a check. */
  children?: ReactNode;
}

/** The credential fields that a channel declares: the required ones first, the others folded. */
export function CredentialFields(props: CredentialFieldsProps) {
  const { form, stored, missing, error, onEdit, children } = props;
  const { channel, values, credentialSet } = form;
  const errorOf = (name: CredentialName) =>
    fieldError(error, name) ??
    (form.isMissingShown && missing.includes(name) ? REQUIRED : undefined);
  const { send, receive, rest } = groupsOf(channel, credentialSet);
  const settled = useAfterPause(values);
  const mismatched = settled ? mismatches(channel, settled) : new Set();
  const field = (credential: Credential, isRequired: boolean) => (
    <div key={credential.name} data-field={credential.name}>
      <CredentialField
        credential={credential}
        isRequired={isRequired}
        value={values[credential.name]}
        stored={stored?.[credential.name]}
        error={errorOf(credential.name)}
        hint={mismatched.has(credential.name) ? credential.hint : null}
        onChange={(value) => {
          form.setValues({ ...values, [credential.name]: value });
          onEdit();
        }}
      />
    </div>
  );
  const isFilled = ({ name }: Credential) => Boolean(values[name] ?? stored?.[name]);
  const hasError = ({ name }: Credential) => errorOf(name) !== undefined;
  const isOptional = send.length === 0 && receive.length === 0;
  return (
    <div className="grid gap-4">
      {channel.needs.length > 1 && (
        <Segments
          label="Credentials"
          className="w-full flex-wrap"
          value={String(credentialSet)}
          onChange={(chosen) => {
            form.setCredentialSet(Number(chosen));
            onEdit();
          }}
          options={channel.need_names.map((label, i) => ({ value: String(i), label }))}
        />
      )}
      {send.map((credential) => field(credential, true))}
      {isOptional && rest.map((credential) => field(credential, false))}
      {children}
      {receive.length > 0 && (
        <Disclosure
          testId="receiving-fields"
          title="Receive messages"
          help={receivingHelp(channel)}
          open={receive.some(isFilled)}
          forced={receive.some(hasError)}
        >
          {receive.map((credential) => field(credential, false))}
        </Disclosure>
      )}
      {!isOptional && rest.length > 0 && (
        <Disclosure
          testId="other-fields"
          title="More settings"
          help={rest.map(({ label }) => label).join(', ')}
          open={rest.some(isFilled)}
          forced={rest.some(hasError)}
        >
          {rest.map((credential) => field(credential, false))}
        </Disclosure>
      )}
    </div>
  );
}

const receivingHelp = ({ can }: Channel) =>
  can.register
    ? 'Optional. Verifies incoming webhooks. Some channels set it when the webhook is registered.'
    : 'Optional. Verifies incoming webhooks. You can add it later.';

interface CredentialFieldProps {
  credential: Credential;
  isRequired: boolean;
  value: string | undefined;
  stored: string | undefined;
  error: string | undefined;
  /** The hint about the format, if the value does not have it. */
  hint: string | null;
  onChange(value: string): void;
}

function CredentialField(props: CredentialFieldProps) {
  const { credential, isRequired, value, stored, error, hint, onChange } = props;
  const { name, label, help, secret, generate, parts } = credential;
  const hintId = useId();
  const Control = secret ? SecretInput : Input;
  if (parts === 'mail_servers') {
    return <MailServerFields value={value ?? stored ?? ''} error={error} onChange={onChange} />;
  }
  return (
    <Field label={label} optional={!isRequired} help={<Prose text={help} />} error={error}>
      {({ 'aria-describedby': describedBy, ...control }) => (
        <>
          <span className="flex items-start gap-2">
            <span className="min-w-0 flex-1">
              <Control
                {...control}
                aria-describedby={[hint !== null && hintId, describedBy].filter(Boolean).join(' ')}
                aria-required={isRequired}
                name={name}
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
          {hint !== null && error === undefined && (
            <p id={hintId} data-testid="format-hint" role="status" className="text-sm text-warn">
              {hint}
            </p>
          )}
        </>
      )}
    </Field>
  );
}
