import { sql } from 'kysely';

import type { EventType } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Message, MessageState } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';
import { FEED } from './endpoints.ts';
import type { Engine } from './engine.ts';
import { inState } from './message-filter.ts';
import { type Page, type PageRequest, mergePages, page } from './paging.ts';
import { recentFirst } from './recent.ts';

/** Which of the deliveries of an application are meant: those that all of this is true of. */
export interface DeliveryFilter {
  /** In one of these states. */
  states?: readonly MessageState[];
  /** The number of the event, of which the endpoint that there is now has been told. */
  eventId?: number;
}

/** What of a delivery is not in its message. */
export interface DeliveryContext {
  /** By the number of the event; those that are not kept any more are not in it. */
  types: ReadonlyMap<number, EventType>;
  /** The delivery that is tried again at some time, if there is one: the others wait for it. */
  next: { messageId: Id; at: Millis } | undefined;
}

/** The deliveries of events to the webhooks of applications, which are messages of nobody. */
export class WebhookDeliveries {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The last first. */
  async list(
    applicationId: Id,
    { states, eventId }: DeliveryFilter,
    request: PageRequest,
  ): Promise<Page<Message>> {
    const all = this.#engine.db
      .selectFrom('messages')
      .selectAll()
      .where('applicationId', '=', applicationId)
      // As it stands in the index of them.
      .where(sql<boolean>`type = 'Event'`);
    let wanted = all;
    if (eventId !== undefined) {
      const endpoint = await this.#endpoint(applicationId);
      wanted = wanted
        .where('integrationId', '=', endpoint?.integrationId ?? 0)
        .where('recipient', '=', FEED)
        .where('objectId', '=', String(eventId));
    }
    if (!states) return page(all, request, wanted);
    const pages = states.map((state) => page(all, request, wanted.where(inState(state))));
    return mergePages(await Promise.all(pages), request);
  }

  get(applicationId: Id, id: Id): Promise<Message | undefined> {
    return recentFirst(this.#engine, (where) =>
      this.#engine.db
        .selectFrom('messages')
        .selectAll()
        .where('applicationId', '=', applicationId)
        .where('id', '=', id)
        .where('type', '=', 'Event')
        .where(where)
        .executeTakeFirst(),
    );
  }

  /** What is to be known of these besides. */
  async context(applicationId: Id, deliveries: readonly Message[]): Promise<DeliveryContext> {
    const ids = new Set(deliveries.map(({ objectId }) => Number(objectId)));
    const isAny = deliveries.some(({ state }) => state === 'queued');
    const [types, next] = await Promise.all([
      this.#types(applicationId, [...ids]),
      isAny ? this.#next(applicationId) : undefined,
    ]);
    return { types, next };
  }

  async #types(applicationId: Id, ids: readonly number[]): Promise<Map<number, EventType>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#engine.db
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
    // Until somebody resumes it, no moment is known.
    if (pausedReason !== null && pausedUntil === null) return undefined;
    const lane = await this.#engine.db
      .selectFrom('lanes')
      .select(['messageId', 'dueAt'])
      .where('applicationId', '=', applicationId)
      .where('integrationId', '=', integrationId)
      .where('recipient', '=', FEED)
      .executeTakeFirst();
    if (!lane || lane.messageId === null || lane.dueAt === null) return undefined;
    return { messageId: lane.messageId, at: Math.max(lane.dueAt, pausedUntil ?? 0) };
  }

  #endpoint(applicationId: Id) {
    return this.#engine.db
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
