import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { History, PackageCheck, SearchX, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';

import { sentence } from '../api/problem.ts';
import type { Webhook, WebhookDelivery } from '../api/types.ts';
import { useApplicationId } from '../applications/application.ts';
import { WebhookFailing } from '../applications/webhook-failing.tsx';
import { webhookQuery } from '../applications/webhook.ts';
import { compact } from '../frame/search.ts';
import { Card } from '../ui/card.tsx';
import { Menu, MenuChoice, MenuContent, MenuTrigger } from '../ui/floating/menu.tsx';
import { Button } from '../ui/form/button.tsx';
import { FilterChip } from '../ui/form/filter-chip.tsx';
import { SearchInput } from '../ui/form/input.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { ListCard } from '../ui/list/list-card.tsx';
import { LoadMore } from '../ui/list/load-more.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { Notice } from '../ui/notice.tsx';
import { linkClass } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import {
  type DeliverySearch,
  POLL_INTERVAL_MS,
  DELIVERY_FILTERS,
  deliveriesQuery,
  isDeliveryFilter,
} from './deliveries.ts';
import { DeliveryState, isFinished } from './delivery-state.tsx';
import { EventBadge } from './event-badge.tsx';
import { Recover } from './recover.tsx';

/** Webhook deliveries, newest first. */
export function DeliveriesPage() {
  const application = useApplicationId();
  const search = useSearch({ from: '/app/framed/applications/$application/events/deliveries' });
  const navigate = useNavigate({ from: '/app/applications/$application/events/deliveries' });
  const setFilter = (change: {
    [Name in keyof DeliverySearch]: DeliverySearch[Name] | undefined;
  }) => void navigate({ search: (known) => compact({ ...known, ...change }), replace: true });
  const isFiltered = Object.keys(search).length > 0;
  const [recovering, setRecovering] = useState(false);
  const { data: webhook } = useQuery(webhookQuery(application));
  const deliveries = useInfiniteQuery({
    ...deliveriesQuery(application, search),
    refetchInterval: ({ state }) => {
      const items = state.data?.pages.flatMap((page) => page.items) ?? [];
      const isIdle = items.every(isFinished) && webhook?.waiting === 0;
      return isIdle || (state.data?.pages.length ?? 0) > 1 ? false : POLL_INTERVAL_MS;
    },
  });
  const listed = deliveries.data?.pages.flatMap((page) => page.items) ?? [];
  // Shown first, whichever page it is on: the others wait for it.
  const blocking = isFiltered ? null : (webhook?.blocking ?? null);
  const items = blocking ? [blocking, ...listed.filter(({ id }) => id !== blocking.id)] : listed;
  if (webhook?.url === null && items.length === 0 && !isFiltered)
    return <NoWebhook application={application} />;
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        {webhook && <Endpoint application={application} webhook={webhook} />}
        {webhook && webhook.url !== null && (
          <Button data-testid="recover" className="ml-auto" onClick={() => setRecovering(true)}>
            <History aria-hidden />
            Recover events
          </Button>
        )}
      </div>
      {webhook?.state === 'failing' && (
        <WebhookFailing application={application} webhook={webhook} className="mb-3" />
      )}
      {webhook?.state === 'paused' && (
        <Notice tone="bad" title="The webhook is paused" className="mb-3">
          {webhook.reason === null ? '' : `${sentence(webhook.reason)} `}
          <SettingsLink application={application}>Fix and resume it</SettingsLink>. No events are
          lost.
        </Notice>
      )}
      <Filters search={search} onChange={setFilter} />
      <ListCard query={deliveries} skeletonRows={8}>
        {items.length === 0 && isFiltered ? (
          <Empty
            testId="no-match"
            icon={SearchX}
            title="No matching deliveries"
            actions={
              <Button onClick={() => setFilter({ shown: undefined, event: undefined })}>
                Clear filters
              </Button>
            }
          >
            Try another state or event id.
          </Empty>
        ) : items.length === 0 ? (
          <Empty testId="no-deliveries" icon={PackageCheck} title="No deliveries yet">
            Events are sent to the webhook as they happen. Each delivery is listed here with its
            attempts.
          </Empty>
        ) : (
          <DeliveryTable application={application} deliveries={items} blocking={blocking?.id} />
        )}
        <LoadMore query={deliveries} />
      </ListCard>
      <Recover application={application} open={recovering} onClose={() => setRecovering(false)} />
    </>
  );
}

interface FiltersProps {
  search: DeliverySearch;
  onChange(change: { [Name in keyof DeliverySearch]: DeliverySearch[Name] | undefined }): void;
}

function Filters({ search, onChange }: FiltersProps) {
  const { shown, event } = search;
  return (
    <div role="search" aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
      <Menu>
        <FilterChip
          label="State"
          testId="state"
          value={shown && DELIVERY_FILTERS[shown].label}
          onClear={() => onChange({ shown: undefined })}
          trigger={MenuTrigger}
        />
        <MenuContent>
          {Object.entries(DELIVERY_FILTERS).map(([name, { label }]) => (
            <MenuChoice
              key={name}
              checked={shown === name}
              onSelect={() => onChange({ shown: isDeliveryFilter(name) ? name : undefined })}
            >
              {label}
            </MenuChoice>
          ))}
        </MenuContent>
      </Menu>
      <SearchInput
        aria-label="Search by event id"
        placeholder="Event id"
        className="w-36 max-sm:flex-1"
        inputMode="numeric"
        value={event === undefined ? '' : String(event)}
        onValue={(text) => {
          const digits = text.replaceAll(/\D/g, '').slice(0, 15);
          onChange({ event: digits === '' ? undefined : Number(digits) });
        }}
      />
    </div>
  );
}

interface DeliveryTableProps {
  application: number;
  deliveries: readonly WebhookDelivery[];
  /** Id of the delivery that the others wait for. */
  blocking: number | undefined;
}

function DeliveryTable(props: DeliveryTableProps) {
  const params = { application: String(props.application) };
  return (
    <Table
      label="Deliveries"
      head={
        <>
          <Th>State</Th>
          <Th>Event</Th>
          <Th className="max-sm:hidden">Type</Th>
          <Th className="max-lg:hidden">Last error</Th>
          <Th className="text-right max-sm:hidden">Attempts</Th>
          <Th className="text-right max-sm:hidden">Next attempt</Th>
          <Th className="text-right max-sm:hidden">Updated</Th>
        </>
      }
    >
      {props.deliveries.map((delivery) => (
        <Tr key={delivery.id} className="relative hover:bg-hover">
          <Td>
            <Link
              to="/app/applications/$application/events/deliveries/$delivery"
              params={{ ...params, delivery: String(delivery.id) }}
              className="-outline-offset-2 after:absolute after:inset-0"
            >
              <DeliveryState delivery={delivery} />
              <span className="sr-only">, delivery {delivery.id}</span>
            </Link>
            {delivery.id === props.blocking && (
              <span data-testid="blocking" className="mt-0.5 block text-xs text-bad">
                Blocking
              </span>
            )}
            <Time
              at={delivery.updated_at}
              className="mt-0.5 block text-xs whitespace-nowrap text-ink-faint sm:hidden"
            />
          </Td>
          <Td>
            <Link
              to="/app/applications/$application/events/$event"
              params={{ ...params, event: String(delivery.event_id) }}
              className={`relative z-1 font-mono text-xs ${linkClass}`}
            >
              {delivery.event_id}
            </Link>
            {delivery.event_type !== null && (
              <span className="mt-0.5 block sm:hidden">
                <EventBadge type={delivery.event_type} />
              </span>
            )}
          </Td>
          <Td className="max-sm:hidden">
            {delivery.event_type !== null && <EventBadge type={delivery.event_type} />}
          </Td>
          <Td className="w-full max-w-0 truncate text-ink-soft max-lg:hidden">
            {delivery.error && sentence(delivery.error.detail ?? delivery.error.code)}
          </Td>
          <Td className="text-right tabular text-ink-soft max-sm:hidden">{delivery.attempts}</Td>
          <Td className="text-right whitespace-nowrap text-ink-soft max-sm:hidden">
            {delivery.next_at !== null && <Time at={delivery.next_at} className="relative z-1" />}
          </Td>
          <Td className="text-right whitespace-nowrap text-ink-faint max-sm:hidden">
            <Time at={delivery.updated_at} className="relative z-1" />
          </Td>
        </Tr>
      ))}
    </Table>
  );
}

function Endpoint({ application, webhook }: { application: number; webhook: Webhook }) {
  const { url, waiting } = webhook;
  return (
    <p className="min-w-0 text-sm wrap-anywhere text-ink-soft">
      {url === null ? 'No webhook' : <code className="font-mono text-xs">{url}</code>}
      {waiting > 0 && `, ${waiting.toLocaleString()} waiting`}{' '}
      <SettingsLink application={application}>Settings</SettingsLink>
    </p>
  );
}

function SettingsLink({ application, children }: { application: number; children: string }) {
  return (
    <Link
      to="/app/applications/$application/settings/webhook"
      params={{ application: String(application) }}
      className={linkClass}
    >
      {children}
    </Link>
  );
}

function NoWebhook({ application }: { application: number }) {
  return (
    <Card>
      <Empty
        testId="no-webhook"
        icon={WebhookIcon}
        title="No webhook yet"
        actions={
          <Button asChild look="primary">
            <Link
              to="/app/applications/$application/settings/webhook"
              params={{ application: String(application) }}
            >
              Set up webhook
            </Link>
          </Button>
        }
      >
        A webhook receives every event as a signed HTTP POST, in order, with retries. Without one,
        read events from the feed.
      </Empty>
    </Card>
  );
}
