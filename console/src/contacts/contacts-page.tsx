import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Contact as ContactIcon, Plus, SearchX, Upload } from 'lucide-react';
import { useState } from 'react';

import type { Contact } from '../api/types.ts';
import { useApplicationId } from '../applications/application.ts';
import { compact } from '../frame/search.ts';
import { Button } from '../ui/form/button.tsx';
import { SearchInput } from '../ui/form/input.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { ListCard } from '../ui/list/list-card.tsx';
import { LoadMore } from '../ui/list/load-more.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { OuterLink, Page, linkClass } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { useSearchText } from '../ui/use-settled.ts';
import { AddressText } from './address-text.tsx';
import { contactName } from './contact-name.ts';
import { ImportDialog } from './import-dialog.tsx';
import { NewContactDialog } from './new-contact.tsx';
import { contactsQuery } from './queries.ts';

const MAX_SHOWN_ADDRESSES = 3;

/** People with their addresses on all channels. */
export function ContactsPage() {
  const application = useApplicationId();
  // A search shows the previous result until it is done; that must not be another application's.
  return <Contacts key={application} application={application} />;
}

function Contacts({ application }: { application: number }) {
  const { q = '' } = useSearch({ from: '/app/framed/applications/$application/contacts' });
  const navigate = useNavigate({ from: '/app/applications/$application/contacts' });
  const search = useSearchText(q);
  const contacts = useInfiniteQuery(contactsQuery(application, search));
  const [isAdding, setAdding] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const { data, isPending, isLoadingError } = contacts;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  // An empty list has the button itself.
  const isEmpty = !isPending && !isLoadingError && items.length === 0 && search === '';
  const add = (
    <Button data-testid="create" look="primary" onClick={() => setAdding(true)}>
      <Plus aria-hidden />
      New contact
    </Button>
  );
  return (
    <Page
      title="Contacts"
      description={
        <>
          People, with their addresses on all channels.{' '}
          <OuterLink href="/docs/messaging/contacts">How contacts work</OuterLink>
        </>
      }
      actions={
        <>
          <Button data-testid="import" onClick={() => setImporting(true)}>
            <Upload aria-hidden />
            Import
          </Button>
          {!isEmpty && add}
        </>
      }
    >
      <SearchInput
        data-testid="search"
        aria-label="Search by name, address or external id"
        placeholder="Name, address or external id"
        className="mb-4 w-full sm:max-w-md"
        value={q}
        onValue={(value) => void navigate({ search: compact({ q: value }), replace: true })}
      />
      <ListCard query={contacts} skeletonRows={6}>
        {items.length > 0 ? (
          <ContactTable application={application} contacts={items} />
        ) : search === '' ? (
          <Empty testId="no-contacts" icon={ContactIcon} title="No contacts yet" actions={add}>
            A contact keeps the addresses of a person together. Messages can name the contact
            instead of an address.
          </Empty>
        ) : (
          <Empty testId="no-match" icon={SearchX} title="No matches">
            Search matches the beginning of a name, an address or an external id.
          </Empty>
        )}
        <LoadMore query={contacts} />
      </ListCard>
      {isImporting && (
        <ImportDialog application={application} onClose={() => setImporting(false)} />
      )}
      {isAdding && (
        <NewContactDialog
          application={application}
          onClose={() => setAdding(false)}
          onCreated={({ id }) =>
            void navigate({
              to: '/app/applications/$application/contacts/$contact',
              params: { application: String(application), contact: String(id) },
            })
          }
        />
      )}
    </Page>
  );
}

function ContactTable({
  application,
  contacts,
}: {
  application: number;
  contacts: readonly Contact[];
}) {
  return (
    <Table
      testId="contacts"
      label="Contacts"
      head={
        <>
          <Th>Name</Th>
          <Th className="max-sm:hidden">Addresses</Th>
          <Th className="max-md:hidden">External id</Th>
          <Th className="text-right max-lg:hidden">Created</Th>
        </>
      }
    >
      {contacts.map((contact) => {
        const { id, addresses, external_id: externalId, created_at: createdAt } = contact;
        const shown = addresses.slice(0, MAX_SHOWN_ADDRESSES);
        return (
          <Tr key={id}>
            <Td className="wrap-anywhere">
              <Link
                className={linkClass}
                to="/app/applications/$application/contacts/$contact"
                params={{ application: String(application), contact: String(id) }}
              >
                {contactName(contact)}
              </Link>
              <span className="block text-xs text-ink-soft sm:hidden">
                {addresses.map(({ address }) => address).join(', ')}
              </span>
            </Td>
            <Td className="max-sm:hidden">
              <ul className="grid gap-1">
                {shown.map((address) => (
                  <li key={address.id}>
                    <AddressText address={address} />
                  </li>
                ))}
                {addresses.length > shown.length && (
                  <li className="text-xs text-ink-soft">
                    and {addresses.length - shown.length} more
                  </li>
                )}
              </ul>
            </Td>
            <Td className="font-mono text-xs wrap-anywhere text-ink-soft max-md:hidden">
              {externalId}
            </Td>
            <Td className="text-right whitespace-nowrap text-ink-faint max-lg:hidden">
              <Time at={createdAt} />
            </Td>
          </Tr>
        );
      })}
    </Table>
  );
}
