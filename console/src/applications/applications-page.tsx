import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Blocks, Plus, SearchX } from 'lucide-react';
import { useDeferredValue, useState } from 'react';

import type { Application } from '../api/types.ts';
import { compact } from '../frame/search.ts';
import { Button } from '../ui/form/button.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { SearchInput } from '../ui/form/input.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { ListCard } from '../ui/list/list-card.tsx';
import { LoadMore } from '../ui/list/load-more.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { CreateApplication } from './create.tsx';
import { applicationPagesQuery, rememberApplication } from './queries.ts';
import { ApplicationState } from './state.tsx';

/** From this number on, the page has a search field. */
const MIN_COUNT_FOR_SEARCH = 8;

export function ApplicationsPage() {
  const { q = '' } = useSearch({ from: '/app/framed/applications' });
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const query = useInfiniteQuery(applicationPagesQuery(useDeferredValue(q.trim())));
  const applications = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const isSearch = q.trim() !== '';
  const create = (
    <Button data-testid="create" look="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      New application
    </Button>
  );
  return (
    <Page
      title="Applications"
      description="An application has its own integrations, messages, keys and webhook. Most teams use one per product and environment."
      actions={(applications.length > 0 || isSearch) && create}
    >
      {(applications.length >= MIN_COUNT_FOR_SEARCH || q !== '') && (
        <SearchInput
          data-testid="search"
          aria-label="Search applications"
          placeholder="Name or id"
          className="mb-3 w-full sm:w-72"
          value={q}
          onValue={(value) =>
            void navigate({
              to: '/app/applications',
              search: compact({ q: value }),
              replace: true,
            })
          }
        />
      )}
      <ListCard query={query}>
        {applications.length > 0 ? (
          <>
            <ApplicationTable applications={applications} />
            <LoadMore query={query} />
          </>
        ) : isSearch ? (
          <Empty testId="no-match" icon={SearchX} title="No matching applications">
            No application has the name or id <q className="wrap-anywhere">{q}</q>.
          </Empty>
        ) : (
          <Empty
            testId="no-applications"
            icon={Blocks}
            title="No applications yet"
            actions={create}
          >
            Your code sends messages through an application. Create one, then add integrations and a
            token.
          </Empty>
        )}
      </ListCard>
      <CreateApplication
        open={creating}
        onClose={() => setCreating(false)}
        onCreated={({ id }) => {
          setCreating(false);
          rememberApplication(id);
          void navigate({
            to: '/app/applications/$application/settings',
            params: { application: String(id) },
          });
        }}
      />
    </Page>
  );
}

function ApplicationTable({ applications }: { applications: readonly Application[] }) {
  return (
    <Table
      label="Applications"
      head={
        <>
          <Th>Name</Th>
          <Th>State</Th>
          <Th className="max-md:hidden">Webhook</Th>
          <Th className="max-sm:hidden">Id</Th>
          <Th className="text-right max-sm:hidden">Created</Th>
        </>
      }
    >
      {applications.map(({ id, name, state, webhook_url, created_at }) => (
        <Tr key={id} className="relative hover:bg-hover">
          <Td className="w-full max-w-0">
            <Link
              to="/app/applications/$application/settings"
              params={{ application: String(id) }}
              title={name}
              className="block truncate font-medium after:absolute after:inset-0"
            >
              {name}
            </Link>
          </Td>
          <Td>
            <ApplicationState state={state} />
          </Td>
          <Td className="max-w-60 truncate text-ink-soft max-md:hidden">
            {webhook_url === null ? <span className="text-ink-faint">None</span> : webhook_url}
          </Td>
          <Td className="max-sm:hidden">
            <Copyable text={String(id)} className="relative z-1 whitespace-nowrap text-ink-soft" />
          </Td>
          <Td className="text-right whitespace-nowrap text-ink-faint max-sm:hidden">
            <Time at={created_at} className="relative z-1" />
          </Td>
        </Tr>
      ))}
    </Table>
  );
}
