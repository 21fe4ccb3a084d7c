import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { ContactAddress } from '../api/types.ts';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Checkbox } from '../ui/form/toggle.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { AddressFields } from './address-fields.tsx';
import { useAddAddress, useChangeAddress } from './queries.ts';

interface Details {
  label: string;
  preference: string;
}

const DEFAULT_PREFERENCE = '100';

interface AddAddressProps {
  application: number;
  contact: number;
  onClose(): void;
}

export function AddAddressDialog({ application, contact, onClose }: AddAddressProps) {
  const [draft, setDraft] = useState({ channel: 'sms', address: '' });
  const [details, setDetails] = useState<Details>({ label: '', preference: DEFAULT_PREFERENCE });
  const add = useAddAddress(application, contact);
  const errors = {
    channel: fieldError(add.error, 'channel'),
    address: fieldError(add.error, 'address'),
  };
  return (
    <FormDialog
      title="Add address"
      action="Add address"
      width="md"
      busy={add.isPending}
      onClose={onClose}
      onSubmit={() =>
        add.mutate(
          { channel: draft.channel, address: draft.address.trim(), ...changeOf(details) },
          {
            onSuccess: () => {
              toast.ok('Address added');
              onClose();
            },
          },
        )
      }
    >
      {add.isError && errors.channel === undefined && errors.address === undefined && (
        <ProblemNotice error={add.error} />
      )}
      <AddressFields application={application} draft={draft} errors={errors} onChange={setDraft} />
      <DetailFields details={details} error={add.error} onChange={setDetails} />
    </FormDialog>
  );
}

interface EditAddressProps extends AddAddressProps {
  address: ContactAddress;
}

export function EditAddressDialog({ application, contact, address, onClose }: EditAddressProps) {
  const [details, setDetails] = useState<Details>({
    label: address.label ?? '',
    preference: String(address.preference),
  });
  const [isActive, setActive] = useState(address.state === 'active');
  const change = useChangeAddress(application, contact, address.id);
  return (
    <FormDialog
      title="Edit address"
      description={address.address}
      action="Save address"
      busy={change.isPending}
      onClose={onClose}
      onSubmit={() =>
        change.mutate(
          { ...changeOf(details), state: isActive ? 'active' : 'disabled' },
          {
            onSuccess: () => {
              toast.ok('Address saved');
              onClose();
            },
          },
        )
      }
    >
      {change.isError && fieldError(change.error, 'preference') === undefined && (
        <ProblemNotice error={change.error} />
      )}
      <DetailFields details={details} error={change.error} onChange={setDetails} />
      <Checkbox
        data-testid="active"
        label="Send messages to this address"
        checked={isActive}
        onChange={({ target }) => setActive(target.checked)}
      />
    </FormDialog>
  );
}

const changeOf = ({ label, preference }: Details) => ({
  label: label.trim() === '' ? null : label.trim(),
  preference: Number(preference === '' ? DEFAULT_PREFERENCE : preference),
});

interface DetailFieldsProps {
  details: Details;
  error: unknown;
  onChange(details: Details): void;
}

function DetailFields({ details, error, onChange }: DetailFieldsProps) {
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      <TextField
        data-testid="label"
        label="Label"
        optional
        error={fieldError(error, 'label')}
        placeholder="Work"
        maxLength={100}
        value={details.label}
        onValue={(label) => onChange({ ...details, label })}
      />
      <TextField
        data-testid="preference"
        label="Preference"
        help="The lowest number is used first."
        error={fieldError(error, 'preference')}
        type="number"
        min={0}
        max={1000}
        value={details.preference}
        onValue={(preference) => onChange({ ...details, preference })}
      />
    </div>
  );
}
