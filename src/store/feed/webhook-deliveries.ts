import { sql } from 'kysely';

import type { EventType } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { CountedMessage, Message, MessageState } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import { countAttempts, findCounted } from '../messages/attempts.ts';
import { hasState } from '../messages/message-filter.ts';
import { type Page, type PageRequest, mergePages, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Endpoint, Ownership } from '../schema.ts';
import { MAX_COUNTED } from '../statistics/overview.ts';
import { FEED, isQueued } from './endpoint-queue.ts';

/** Deliveries scanned per statement when filtering by state. */
const WINDOW_ROWS = 2_000;

/** Selects deliveries of an application; all conditions must match. */
export interface DeliveryFilter {
  states?: readonly MessageState[];
  /** The number of the event; deliveries to the current endpoint only. */
  eventId?: number;
}

/** Fields of a delivery in the API that are not in its outbox row. */
export interface DeliveryContext {
  /** Event types by event number; deleted events are missing. */
  types: ReadonlyMap<number, EventType>;
  /** The delivery that waits for a retry and blocks the others, and its time. */
  next: { messageId: Id; at: Millis } | undefined;
}

export interface Backlog {
  waiting: number;
  /** The failed delivery that blocks the others. */
  blocking: CountedMessage | undefined;
}

export class WebhookDeliveries extends Repository {
  /** Newest first. */
  async list(
    applicationId: Id,
    { states, eventId }: DeliveryFilter,
    request: PageRequest,
  ): Promise<Page<CountedMessage>> {
    const all = this.db
      .selectFrom('webhookDeliveries')
      .selectAll()
      .where('applicationId', '=', applicationId);
    let filtered = all;
    if (eventId !== undefined) {
      const endpoint = await this.#endpoint(applicationId);
      filtered = filtered
        .where('integrationId', '=', endpoint?.integrationId ?? 0)
        .where('recipient', '=', FEED)
        .where('objectId', '=', String(eventId));
    }
    const rows = all.clearSelect().select(['id', 'createdAt']);
    const windows = this.engine.name === 'postgres' ? undefined : { rows, size: WINDOW_ROWS };
    const pages = states
      ? states.map((state) => page(all, request, filtered.where(hasState(state)), windows))
      : [page(all, request, filtered)];
    const found = mergePages(await Promise.all(pages), request);
    return { ...found, items: await countAttempts(this.engine, found.items) };
  }

  get(applicationId: Id, id: Id): Promise<CountedMessage | undefined> {
    return findCounted(this.engine, 'webhookDeliveries', applicationId, id);
  }

  async context(applicationId: Id, deliveries: readonly Message[]): Promise<DeliveryContext> {
    const ids = new Set(deliveries.map(({ objectId }) => Number(objectId)));
    const hasQueued = deliveries.some(({ state }) => state === 'queued');
    const [types, next] = await Promise.all([
      this.#types(applicationId, [...ids]),
      hasQueued ? this.#next(applicationId) : undefined,
    ]);
    return { types, next };
  }

  /**
   * Events that the endpoint has not received yet: still in the feed, queued or in flight; and the delivery that
   * blocks the others, if it fails.
   */
  async backlog(endpoint: Endpoint & Pick<Ownership, 'failingSince'>): Promise<Backlog> {
    const { applicationId, integrationId, failingSince } = endpoint;
    // One statement, so that an event that moves from the feed to the queue, or starts, is counted once.
    const { rows } = await sql<{
      ahead: number;
      queued: number;
      messageId: Id | null;
      isInFlight: number;
      reason: string | null;
    }>`select
        coalesce((select last from feeds where application_id = ${applicationId}), 0)
          - coalesce((select "cursor" from endpoints where application_id = ${applicationId}), 0) as ahead,
        (select count(*) from
          (select 1 from outbox where ${isQueued(endpoint)} limit ${MAX_COUNTED}) as counted) as queued,
        lanes.message_id, lanes.reason,
        case when lanes.recipient is not null and lanes.due_at is null then 1 else 0 end as is_in_flight
      from (select 1 as one) as once left join lanes on lanes.application_id = ${applicationId}
        and lanes.integration_id = ${integrationId} and lanes.recipient = ${FEED}`.execute(this.db);
    const [found] = rows;
    if (!found) return { waiting: 0, blocking: undefined };
    // A lane without a due time is held by the delivery in flight.
    const waiting = Math.max(0, found.ahead) + found.queued + found.isInFlight;
    if (failingSince === null && found.reason !== 'retry') return { waiting, blocking: undefined };
    return { waiting, blocking: await this.#head(endpoint, found.messageId) };
  }

  /** The first open delivery, or the one that holds the lane. */
  async #head(endpoint: Endpoint, holder: Id | null): Promise<CountedMessage | undefined> {
    const { applicationId, integrationId } = endpoint;
    const all = this.db.selectFrom('outbox').selectAll();
    const query =
      holder === null
        ? all.where(isQueued(endpoint)).where('recipient', '=', FEED).orderBy('sequence')
        : all
            .where((eb) => eb.and({ applicationId, integrationId, settledAt: 0 }))
            .where('id', '=', holder);
    const found = await query.limit(1).execute();
    const [counted] = await countAttempts(this.engine, found);
    return counted;
  }

  async #types(applicationId: Id, ids: readonly number[]): Promise<Map<number, EventType>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db
      .selectFrom('events')
      .select(['id', 'type'])
      .where('applicationId', '=', applicationId)
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map(({ id, type }) => [id, type]));
  }

  async #next(applicationId: Id): Promise<DeliveryContext['next']> {
    const endpoint = await this.#endpoint(applicationId);
    if (!endpoint) return undefined;
    const { integrationId, pausedReason, pausedUntil } = endpoint;
    // Paused until someone resumes it: no time is known.
    if (pausedReason !== null && pausedUntil === null) return undefined;
    const lane = await this.db
      .selectFrom('lanes')
      .select(['messageId', 'dueAt'])
      .where((eb) => eb.and({ applicationId, integrationId, recipient: FEED }))
      .executeTakeFirst();
    if (!lane || lane.messageId === null || lane.dueAt === null) return undefined;
    return { messageId: lane.messageId, at: Math.max(lane.dueAt, pausedUntil ?? 0) };
  }

  #endpoint(applicationId: Id) {
    return this.db
      .selectFrom('endpoints as e')
      .innerJoin('ownerships as o', (join) =>
        join
          .onRef('o.applicationId', '=', 'e.applicationId')
          .onRef('o.integrationId', '=', 'e.integrationId'),
      )
      .select(['e.integrationId', 'o.pausedReason', 'o.pausedUntil'])
      .where('e.applicationId', '=', applicationId)
      .executeTakeFirst();
  }
}
