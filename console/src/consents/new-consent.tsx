import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import { Field } from '../ui/form/field.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { Input, Select } from '../ui/form/input.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { type NewConsent, useSetConsent } from './queries.ts';

const START: NewConsent = {
  family: 'sms',
  address: '',
  scope: 'all',
  state: 'revoked',
  evidence: '',
};

/** Records what a person said outside of the channels, such as on the phone. */
export function NewConsentDialog({
  application,
  onClose,
}: {
  application: number;
  onClose(): void;
}) {
  const [consent, setConsent] = useState(START);
  const set = useSetConsent(application);
  const change = (fields: Partial<NewConsent>) => setConsent({ ...consent, ...fields });
  const wrong = {
    family: fieldError(set.error, 'family'),
    address: fieldError(set.error, 'address'),
  };
  return (
    <FormDialog
      title="Record consent"
      description="What a person told you outside of the channels."
      action="Record consent"
      busy={set.isPending}
      onClose={onClose}
      onSubmit={() => {
        const { evidence = '', ...fields } = consent;
        const proof = evidence.trim() === '' ? {} : { evidence: evidence.trim() };
        set.mutate(
          { ...fields, family: fields.family.trim(), address: fields.address.trim(), ...proof },
          {
            onSuccess: () => {
              toast.ok('Consent recorded');
              onClose();
            },
          },
        );
      }}
    >
      <Field
        label="Family"
        help="sms and whatsapp for phone numbers; otherwise the name of the channel."
        error={wrong.family}
      >
        {(control) => (
          <Input
            {...control}
            value={consent.family}
            autoComplete="off"
            onChange={(event) => change({ family: event.target.value })}
          />
        )}
      </Field>
      <Field label="Address" error={wrong.address}>
        {(control) => (
          <Input
            {...control}
            value={consent.address}
            autoComplete="off"
            onChange={(event) => change({ address: event.target.value })}
          />
        )}
      </Field>
      <Field label="Scope">
        {(control) => (
          <Select
            {...control}
            value={consent.scope}
            onChange={({ target }) =>
              change({ scope: target.value === 'marketing' ? 'marketing' : 'all' })
            }
          >
            <option value="all">All messages</option>
            <option value="marketing">Marketing</option>
          </Select>
        )}
      </Field>
      <Field label="State">
        {(control) => (
          <Select
            {...control}
            value={consent.state}
            onChange={({ target }) =>
              change({ state: target.value === 'granted' ? 'granted' : 'revoked' })
            }
          >
            <option value="revoked">Revoked</option>
            <option value="granted">Granted</option>
          </Select>
        )}
      </Field>
      <Field label="Proof" optional help="Such as the date of a call or letter.">
        {(control) => (
          <Input
            {...control}
            value={consent.evidence}
            maxLength={2000}
            autoComplete="off"
            onChange={(event) => change({ evidence: event.target.value })}
          />
        )}
      </Field>
      {set.isError && wrong.family === undefined && wrong.address === undefined && (
        <ProblemNotice error={set.error} />
      )}
    </FormDialog>
  );
}
