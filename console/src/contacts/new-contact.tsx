import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Contact } from '../api/types.ts';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { type AddressDraft, AddressFields } from './address-fields.tsx';
import {
  ContactFieldInputs,
  EMPTY_CONTACT,
  bodyOf,
  hasRepeatedNames,
  isFieldError,
} from './contact-fields.tsx';
import { useCreateContact } from './queries.ts';

interface NewContactProps {
  application: number;
  /** The address to begin with. */
  address?: AddressDraft;
  name?: string;
  onClose(): void;
  onCreated(contact: Contact): void;
}

const NO_ADDRESS: AddressDraft = { channel: 'sms', address: '' };

/** A contact with its first address; others are added on its page. */
export function NewContactDialog(props: NewContactProps) {
  const { application, address: first = NO_ADDRESS, name = '', onClose, onCreated } = props;
  const [draft, setDraft] = useState({ ...EMPTY_CONTACT, name });
  const [address, setAddress] = useState(first);
  const create = useCreateContact(application);
  const errors = {
    channel: fieldError(create.error, 'addresses/0/channel'),
    address: fieldError(create.error, 'addresses/0/address'),
  };
  const isFieldProblem =
    isFieldError(create.error) || errors.channel !== undefined || errors.address !== undefined;
  return (
    <FormDialog
      title="New contact"
      action="Create contact"
      width="md"
      busy={create.isPending}
      disabled={hasRepeatedNames(draft)}
      onClose={onClose}
      onSubmit={() => {
        const newAddress = { channel: address.channel, address: address.address.trim() };
        create.mutate(
          { ...bodyOf(draft), addresses: newAddress.address === '' ? [] : [newAddress] },
          {
            onSuccess: (contact) => {
              toast.ok('Contact created');
              onCreated(contact);
            },
          },
        );
      }}
    >
      {create.isError && !isFieldProblem && <ProblemNotice error={create.error} />}
      <ContactFieldInputs draft={draft} error={create.error} onChange={setDraft} />
      <AddressFields
        application={application}
        draft={address}
        errors={errors}
        onChange={setAddress}
      />
    </FormDialog>
  );
}
