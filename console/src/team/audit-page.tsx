import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText, SearchX } from 'lucide-react';

import { compact } from '../frame/search.ts';
import { Button } from '../ui/form/button.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { ListCard } from '../ui/list/list-card.tsx';
import { LoadMore } from '../ui/list/load-more.tsx';
import { Page } from '../ui/page.tsx';
import { AuditBar } from './audit-bar.tsx';
import { AuditRow } from './audit-row.tsx';
import { auditQuery } from './queries.ts';

export function AuditPage() {
  const filter = useSearch({ from: '/app/framed/team/audit' });
  const navigate = useNavigate({ from: '/app/team/audit' });
  const entries = useInfiniteQuery(auditQuery(filter));
  const items = entries.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = Object.keys(filter).length > 0;
  const clear = () => void navigate({ search: {}, replace: true });
  return (
    <Page
      title="Audit log"
      description="All changes in this team, with the person who made them. Entries cannot be changed and contain no secrets."
    >
      <AuditBar
        filter={filter}
        isFiltered={isFiltered}
        onClear={clear}
        onChange={(change) =>
          void navigate({
            search: (previous) => compact({ ...previous, ...change }),
            replace: true,
          })
        }
      />
      <ListCard query={entries} skeletonRows={10}>
        {items.length > 0 ? (
          <ul data-testid="audit-entries" aria-label="Changes">
            {items.map((entry) => (
              <AuditRow key={entry.id} entry={entry} />
            ))}
          </ul>
        ) : (
          <NoEntries isFiltered={isFiltered} onClear={clear} />
        )}
        <LoadMore query={entries} />
      </ListCard>
    </Page>
  );
}

function NoEntries({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) {
  return isFiltered ? (
    <Empty
      testId="no-match"
      icon={SearchX}
      title="No matching entries"
      actions={
        <Button data-testid="clear-all" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Entries are deleted after the retention time of the service.
    </Empty>
  ) : (
    <Empty testId="no-entries" icon={ScrollText} title="No entries yet">
      Changes to the team, its applications, integrations, keys and webhooks appear here, and
      sign-ins and messages that a person resent or canceled.
    </Empty>
  );
}
