import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, SearchX, ShieldCheck } from 'lucide-react';
import { useState } from 'react';

import type { Consent } from '../api/types.ts';
import { useApplicationId } from '../applications/application.ts';
import { compact } from '../frame/search.ts';
import { Button } from '../ui/form/button.tsx';
import { SearchInput } from '../ui/form/input.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { ListCard } from '../ui/list/list-card.tsx';
import { LoadMore } from '../ui/list/load-more.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { OuterLink, Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { ConsentAddress, addressText } from './consent-address.tsx';
import { ConsentDialog } from './consent-dialog.tsx';
import { ConsentState, SCOPES, SOURCES } from './consent-state.tsx';
import { NewConsentDialog } from './new-consent.tsx';
import { consentsQuery } from './queries.ts';

/** The consents of people, with a search by address; a dialog shows the proof. */
export function ConsentsPage() {
  const application = useApplicationId();
  const { q = '' } = useSearch({ from: '/app/framed/applications/$application/consents' });
  const navigate = useNavigate({ from: '/app/applications/$application/consents' });
  const consents = useInfiniteQuery(consentsQuery(application, q.trim()));
  const [shown, setShown] = useState<Consent>();
  const [isAdding, setAdding] = useState(false);
  const items = consents.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page
      title="Consent"
      description={
        <>
          Who accepts messages, with the proof. Messages to people who opted out are not sent.{' '}
          <OuterLink href="/docs/messaging/consent">How consent works</OuterLink>
        </>
      }
      actions={
        <Button data-testid="record" look="primary" onClick={() => setAdding(true)}>
          <Plus aria-hidden />
          Record consent
        </Button>
      }
    >
      <SearchInput
        data-testid="search"
        aria-label="Search by address"
        placeholder="Phone, email or other id"
        className="mb-4 w-full sm:max-w-md"
        value={q}
        onValue={(value) => void navigate({ search: compact({ q: value }), replace: true })}
      />
      <ListCard query={consents} skeletonRows={6}>
        {items.length > 0 ? (
          <ConsentTable consents={items} onShow={setShown} />
        ) : (
          <NoConsents isFiltered={q.trim() !== ''} />
        )}
        <LoadMore query={consents} />
      </ListCard>
      {shown && (
        <ConsentDialog
          application={application}
          consent={shown}
          onClose={() => setShown(undefined)}
        />
      )}
      {isAdding && <NewConsentDialog application={application} onClose={() => setAdding(false)} />}
    </Page>
  );
}

function ConsentTable({
  consents,
  onShow,
}: {
  consents: readonly Consent[];
  onShow(consent: Consent): void;
}) {
  return (
    <Table
      testId="consents"
      label="Consents"
      head={
        <>
          <Th>Address</Th>
          <Th className="max-sm:hidden">State</Th>
          <Th className="max-sm:hidden">Scope</Th>
          <Th className="max-md:hidden">Source</Th>
          <Th className="max-md:hidden">Updated</Th>
          <Th className="text-right">
            <span className="sr-only">Actions</span>
          </Th>
        </>
      }
    >
      {consents.map((consent) => (
        <Tr key={consent.id}>
          <Td className="wrap-anywhere">
            <span className="font-medium">
              <ConsentAddress consent={consent} />
            </span>
            <span className="mt-1 flex flex-wrap items-center gap-2 text-xs text-ink-soft sm:hidden">
              <ConsentState state={consent.state} />
              {SCOPES[consent.scope]}
            </span>
          </Td>
          <Td className="max-sm:hidden">
            <ConsentState state={consent.state} />
          </Td>
          <Td className="whitespace-nowrap text-ink-soft max-sm:hidden">{SCOPES[consent.scope]}</Td>
          <Td className="text-ink-soft max-md:hidden">{SOURCES[consent.source]}</Td>
          <Td className="whitespace-nowrap text-ink-faint max-md:hidden">
            <Time at={consent.updated_at} />
          </Td>
          <Td className="text-right">
            <Button
              data-testid="show"
              size="sm"
              look="quiet"
              aria-label={`Show ${addressText(consent)}, ${SCOPES[consent.scope]}`}
              onClick={() => onShow(consent)}
            >
              Show
            </Button>
          </Td>
        </Tr>
      ))}
    </Table>
  );
}

function NoConsents({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty testId="no-match" icon={SearchX} title="No consent for this address">
      Enter the whole address. Without a consent, the policies of the application decide.
    </Empty>
  ) : (
    <Empty testId="no-consents" icon={ShieldCheck} title="No consents yet">
      Replies such as STOP, unsubscribe links, bounces and your own records appear here.
    </Empty>
  );
}
