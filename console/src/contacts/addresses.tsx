import { useQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';

import type { Contact, ContactAddress } from '../api/types.ts';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { channelsQuery } from '../integrations/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Time } from '../ui/time.tsx';
import { AddAddressDialog, EditAddressDialog } from './address-dialogs.tsx';
import { AddressText, channelOf } from './address-text.tsx';
import { removeAddress } from './queries.ts';

const EVIDENCE: Record<ContactAddress['evidence'], string> = {
  api: 'Entered',
  import: 'Imported',
  inbound: 'From a received message',
  vendor: 'Reported by the vendor',
};

type Open = { what: 'add' } | { what: 'edit' | 'remove'; address: ContactAddress };

interface AddressesProps {
  application: number;
  contact: Contact;
}

/** The addresses in order of preference. */
export function Addresses({ application, contact }: AddressesProps) {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const addresses = contact.addresses.toSorted(
    (a, b) => a.preference - b.preference || a.id - b.id,
  );
  return (
    <Section
      title="Addresses"
      flush
      actions={
        <Button data-testid="add-address" size="sm" onClick={() => setOpen({ what: 'add' })}>
          <Plus aria-hidden />
          Add address
        </Button>
      }
    >
      {addresses.length === 0 && (
        <p className="px-4 py-6 text-center text-sm text-ink-soft">
          No addresses yet. Messages to this contact are refused.
        </p>
      )}
      <ul data-testid="addresses" className="divide-y divide-line">
        {addresses.map((address) => (
          <li
            key={address.id}
            data-testid="address-row"
            className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 text-sm"
          >
            <div className="grid min-w-0 flex-1 basis-56 gap-1">
              <span className="font-medium">
                <AddressText address={address} />
              </span>
              <AddressFacts
                application={application}
                address={address}
                others={contact.addresses}
              />
            </div>
            <div className="flex items-center gap-1">
              <Badge tone={address.state === 'active' ? 'ok' : 'neutral'} state={address.state}>
                {address.state === 'active' ? 'Active' : 'Disabled'}
              </Badge>
              <Button
                data-testid="edit-address"
                look="quiet"
                size="iconSm"
                aria-label={`Edit ${address.address}`}
                onClick={() => setOpen({ what: 'edit', address })}
              >
                <Pencil aria-hidden />
              </Button>
              <Button
                data-testid="remove-address"
                look="quiet"
                size="iconSm"
                aria-label={`Remove ${address.address}`}
                onClick={() => setOpen({ what: 'remove', address })}
              >
                <Trash2 aria-hidden />
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {open?.what === 'add' && (
        <AddAddressDialog application={application} contact={contact.id} onClose={close} />
      )}
      {open?.what === 'edit' && (
        <EditAddressDialog
          application={application}
          contact={contact.id}
          address={open.address}
          onClose={close}
        />
      )}
      <Confirm
        open={open?.what === 'remove'}
        onClose={close}
        title="Remove address?"
        action="Remove address"
        danger
        onConfirm={async () => {
          if (open?.what === 'remove') {
            await removeAddress(application, contact.id, open.address.id);
          }
        }}
      >
        New messages to this contact no longer use this address. Its consents are kept.
      </Confirm>
    </Section>
  );
}

interface AddressFactsProps {
  application: number;
  address: ContactAddress;
  others: readonly ContactAddress[];
}

function AddressFacts({ application, address, others }: AddressFactsProps) {
  const {
    label,
    preference,
    evidence,
    integration_id: integrationId,
    last_inbound_at: inbound,
  } = address;
  const attesting = others.find(({ id }) => id === address.attested_by);
  const { data: channels } = useQuery(channelsQuery);
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-xs wrap-anywhere text-ink-soft">
      <span>{channelOf(address, channels).title}</span>
      {label !== null && <span>{label}</span>}
      <span>Preference {preference}</span>
      <span>
        {EVIDENCE[evidence]}
        {attesting && ` with ${attesting.address}`}
      </span>
      {integrationId !== null && <IntegrationName application={application} id={integrationId} />}
      {inbound !== null && (
        <span>
          Last wrote <Time at={inbound} />
        </span>
      )}
    </p>
  );
}
