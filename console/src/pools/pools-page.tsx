import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Cable, Layers, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';

import type { Pool } from '../api/types.ts';
import { useApplicationId } from '../applications/application.ts';
import { HealthBadge } from '../integrations/health.tsx';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { healthQuery, integrationsQuery } from '../integrations/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Card, Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { LoadMore } from '../ui/list/load-more.tsx';
import { Skeleton, SkeletonRows } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { OuterLink, Page } from '../ui/page.tsx';
import { formatDuration } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { PoolDialog } from './pool-dialog.tsx';
import { deletePool, poolsQuery } from './queries.ts';
import { STRATEGIES, secondsOf } from './strategies.ts';

type Open = { what: 'new' } | { what: 'edit' | 'delete'; pool: Pool };

/** Integrations that stand in for one another when one cannot send. */
export function PoolsPage() {
  const application = useApplicationId();
  const pools = useInfiniteQuery(poolsQuery(application));
  const { data: integrations } = useQuery(integrationsQuery(application));
  const [open, setOpen] = useState<Open>();
  const { data, isPending, isLoadingError, error, refetch } = pools;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const hasNoIntegrations = integrations?.length === 0;
  const add = (
    <Button data-testid="create" look="primary" onClick={() => setOpen({ what: 'new' })}>
      <Plus aria-hidden />
      New pool
    </Button>
  );
  return (
    <Page
      title="Pools"
      description={
        <>
          Integrations that reach the same addresses. If one cannot send, another one does.{' '}
          <OuterLink href="/docs/messaging/pools">How pools work</OuterLink>
        </>
      }
      // An empty list has the button itself.
      actions={(isPending || items.length > 0) && add}
    >
      {isLoadingError ? (
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Card>
          <SkeletonRows />
        </Card>
      ) : items.length === 0 ? (
        <Card>
          <Empty
            testId="no-pools"
            icon={Layers}
            title="No pools yet"
            actions={hasNoIntegrations ? <AddIntegration application={application} /> : add}
          >
            Put two SMS providers in a pool, so that messages are still sent when one is down.
          </Empty>
        </Card>
      ) : (
        <div className="grid gap-4">
          {items.map((pool) => (
            <PoolSection
              key={pool.id}
              pool={pool}
              onEdit={() => setOpen({ what: 'edit', pool })}
              onDelete={() => setOpen({ what: 'delete', pool })}
            />
          ))}
          <LoadMore query={pools} />
        </div>
      )}
      {(open?.what === 'new' || open?.what === 'edit') && (
        <PoolDialog
          application={application}
          pool={open.what === 'edit' ? open.pool : undefined}
          onClose={() => setOpen(undefined)}
        />
      )}
      <Confirm
        open={open?.what === 'delete'}
        onClose={() => setOpen(undefined)}
        title="Delete pool?"
        action="Delete pool"
        danger
        onConfirm={async () => {
          if (open?.what !== 'delete') return;
          await deletePool(application, open.pool.id);
          toast.ok('Pool deleted');
        }}
      >
        New messages can no longer name it. Accepted messages are still sent.
      </Confirm>
    </Page>
  );
}

function AddIntegration({ application }: { application: number }) {
  return (
    <Button asChild look="primary">
      <Link
        to="/app/applications/$application/integrations/new"
        params={{ application: String(application) }}
      >
        <Cable aria-hidden />
        Add integration
      </Link>
    </Button>
  );
}

interface PoolSectionProps {
  pool: Pool;
  onEdit(): void;
  onDelete(): void;
}

function PoolSection({ pool, onEdit, onDelete }: PoolSectionProps) {
  const { name, strategy, failover_after: after, members } = pool;
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <Section
      testId="pool"
      flush
      title={<Copyable text={`pool:${name}`} className="text-sm" />}
      description={`${STRATEGIES[strategy].label}. The next member takes over after ${formatDuration(secondsOf(after) * 1000)}.`}
      actions={
        <div className="flex items-center gap-2">
          <Button data-testid="edit" size="sm" aria-label={`Edit ${name}`} onClick={onEdit}>
            <Pencil aria-hidden />
            Edit
          </Button>
          <Button
            data-testid="delete"
            look="quiet"
            size="iconSm"
            aria-label={`Delete ${name}`}
            onClick={onDelete}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      }
    >
      <ol aria-label={`Members of ${name}`} className="divide-y divide-line">
        {members.map(({ integration_id: id, weight, price }, i) => (
          <li
            key={id}
            data-testid="member"
            data-integration={id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm"
          >
            {strategy === 'order' && <span className="text-ink-faint tabular">{i + 1}</span>}
            <span className="min-w-0 flex-1 basis-44">
              <IntegrationName application={pool.application_id} id={id} />
            </span>
            {strategy === 'weighted' && (
              <span className="text-ink-soft tabular">
                Weight {weight} ({Math.round((weight / total) * 100)} %)
              </span>
            )}
            {strategy === 'least_cost' && (
              <span className="text-ink-soft tabular">
                {price === null ? 'Price unknown' : `Price ${price}`}
              </span>
            )}
            <MemberState application={pool.application_id} id={id} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function MemberState({ application, id }: { application: number; id: number }) {
  const { data, isPending } = useQuery({
    ...healthQuery(application, id),
    refetchInterval: 15_000,
  });
  if (isPending) return <Skeleton className="w-16" />;
  return data ? <HealthBadge health={data} /> : <Badge>Unknown</Badge>;
}
