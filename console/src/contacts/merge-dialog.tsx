import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';

import type { Contact } from '../api/types.ts';
import { Button } from '../ui/form/button.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { SearchInput } from '../ui/form/input.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useSearchText } from '../ui/use-settled.ts';
import { AddressText } from './address-text.tsx';
import { contactName } from './contact-name.ts';
import { contactsQuery, useMerge } from './queries.ts';

const MAX_RESULTS = 8;

interface MergeDialogProps {
  application: number;
  /** The contact that stays. */
  contact: Contact;
  onClose(): void;
}

/** Chooses another contact, shows both, and merges it into this one. */
export function MergeDialog({ application, contact, onClose }: MergeDialogProps) {
  const [other, setOther] = useState<Contact>();
  const merge = useMerge(application, contact.id);
  const name = contactName(contact);
  return (
    <FormDialog
      title="Merge contacts"
      description={other ? undefined : `Choose who is the same person as ${name}.`}
      action="Merge contacts"
      width="lg"
      busy={merge.isPending}
      disabled={!other}
      onClose={onClose}
      onSubmit={() => {
        if (!other) return;
        merge.mutate(other.id, {
          onSuccess: () => {
            toast.ok(`${contactName(other)} was merged into ${name}`);
            onClose();
          },
        });
      }}
    >
      {merge.isError && <ProblemNotice error={merge.error} />}
      {other ? (
        <>
          <div className="grid items-start gap-3 sm:grid-cols-2">
            <Side testId="kept" title="Kept" contact={contact} />
            <Side testId="merged" title="Merged into it" contact={other} />
          </div>
          <p className="text-sm text-pretty wrap-anywhere text-ink-soft">
            {name} gets all addresses of the other contact, and the fields that it lacks. Messages
            to contact:{other.id} then reach {name}. You can undo the merge.
          </p>
          <div>
            <Button
              data-testid="choose-other"
              size="sm"
              onClick={() => {
                merge.reset();
                setOther(undefined);
              }}
            >
              Choose another contact
            </Button>
          </div>
        </>
      ) : (
        <Finder application={application} without={contact.id} onChoose={setOther} />
      )}
    </FormDialog>
  );
}

interface FinderProps {
  application: number;
  without: number;
  onChoose(contact: Contact): void;
}

function Finder({ application, without, onChoose }: FinderProps) {
  const [q, setQ] = useState('');
  const search = useSearchText(q);
  const { data, error, isLoadingError, isPending, refetch } = useInfiniteQuery(
    contactsQuery(application, search),
  );
  const others = (data?.pages[0]?.items ?? []).filter(({ id }) => id !== without);
  return (
    <div className="grid gap-3">
      <SearchInput
        data-testid="find-contact"
        aria-label="Search by name, address or external id"
        placeholder="Name, address or external id"
        value={q}
        onValue={setQ}
      />
      {isLoadingError ? (
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <SkeletonRows count={4} />
      ) : others.length === 0 ? (
        <p className="py-6 text-center text-sm text-ink-soft">
          {search === '' ? 'There are no other contacts.' : 'No matches.'}
        </p>
      ) : (
        <ul aria-label="Contacts" className="divide-y divide-line rounded-md border border-line">
          {others.slice(0, MAX_RESULTS).map((contact) => (
            <li key={contact.id}>
              <button
                type="button"
                data-testid="found-contact"
                className="grid w-full gap-0.5 px-3 py-2 text-left text-sm -outline-offset-2 hover:bg-hover"
                onClick={() => onChoose(contact)}
              >
                <span className="font-medium wrap-anywhere">{contactName(contact)}</span>
                <span className="wrap-anywhere text-ink-soft">
                  {contact.addresses.length === 0
                    ? 'No addresses'
                    : contact.addresses.map(({ address }) => address).join(', ')}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

const DETAILS = [
  ['Name', 'name'],
  ['External id', 'external_id'],
  ['Language', 'locale'],
  ['Time zone', 'timezone'],
] as const;

/** One of the two contacts, before the merge. */
function Side({ testId, title, contact }: { testId: string; title: string; contact: Contact }) {
  const { id, addresses, fields } = contact;
  const details = [
    ...DETAILS.flatMap(([label, name]) => {
      const value = contact[name];
      return value === null ? [] : [[label, value] as const];
    }),
    ...Object.entries(fields).map(([name, value]) => [name, String(value)] as const),
  ];
  return (
    <section data-testid={testId} className="grid gap-2 rounded-md border border-line p-3 text-sm">
      <h3 className="grid gap-0.5">
        <span className="text-xs text-ink-soft">{title}</span>
        <span className="font-semibold wrap-anywhere">{contactName(contact)}</span>
      </h3>
      <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-3 gap-y-1.5 wrap-anywhere [&_dt]:text-ink-soft">
        <dt>Id</dt>
        <dd>contact:{id}</dd>
        {details.map(([label, value]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
        <dt>Addresses</dt>
        <dd className="grid gap-1">
          {addresses.length === 0
            ? 'None'
            : addresses.map((address) => <AddressText key={address.id} address={address} />)}
        </dd>
      </dl>
    </section>
  );
}
