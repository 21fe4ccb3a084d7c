import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import { AddressFields } from '../contacts/address-fields.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { type NewConsent, useSetConsent } from './queries.ts';

const EMPTY: NewConsent = {
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
  const [consent, setConsent] = useState(EMPTY);
  const set = useSetConsent(application);
  const change = (fields: Partial<NewConsent>) => setConsent({ ...consent, ...fields });
  const fieldErrors = {
    channel: fieldError(set.error, 'family'),
    address: fieldError(set.error, 'address'),
  };
  return (
    <FormDialog
      title="Record consent"
      description="A consent or revocation given outside the channels, for example by phone."
      action="Record consent"
      width="md"
      busy={set.isPending}
      onClose={onClose}
      onSubmit={() => {
        const { evidence = '', ...fields } = consent;
        const proof = evidence.trim() === '' ? {} : { evidence: evidence.trim() };
        set.mutate(
          { ...fields, address: fields.address.trim(), ...proof },
          {
            onSuccess: () => {
              toast.ok('Consent recorded');
              onClose();
            },
          },
        );
      }}
    >
      {set.isError && fieldErrors.channel === undefined && fieldErrors.address === undefined && (
        <ProblemNotice error={set.error} />
      )}
      <AddressFields
        application={application}
        draft={{ channel: consent.family, address: consent.address }}
        errors={fieldErrors}
        onChange={({ channel, address }) => change({ family: channel, address })}
      />
      <SelectField
        label="Scope"
        value={consent.scope}
        onValue={(chosen) => change({ scope: chosen === 'marketing' ? 'marketing' : 'all' })}
      >
        <option value="all">All messages</option>
        <option value="marketing">Marketing</option>
      </SelectField>
      <SelectField
        label="State"
        value={consent.state}
        onValue={(chosen) => change({ state: chosen === 'granted' ? 'granted' : 'revoked' })}
      >
        <option value="revoked">Revoked</option>
        <option value="granted">Granted</option>
      </SelectField>
      <TextField
        label="Proof"
        optional
        help="Such as the date of a call or letter."
        maxLength={2000}
        value={consent.evidence ?? ''}
        onValue={(evidence) => change({ evidence })}
      />
    </FormDialog>
  );
}
