import { type Kysely, sql } from 'kysely';

import type { AuditEntry } from '../../model/audit.ts';
import type { Event } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import { ENDPOINT, type Credentials } from '../../model/integration.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { openCredentials, placeOf } from '../delivery/integrations.ts';
import { isOneOf } from '../id-list.ts';
import { SealedRepository } from '../repository.ts';
import type { Endpoint, Ownership, Schema } from '../schema.ts';
import { endpointRanges } from '../upkeep/endpoint-ranges.ts';
import { type EventRequest, FEED, enqueue, isQueued, resume } from './endpoint-queue.ts';
import { lastEventId, readAfter } from './events.ts';

/** When fewer deliveries than this wait, up to MAX_BATCH events are copied to the endpoint's queue. */
const MIN_QUEUED = 100;
const MAX_BATCH = 400;

/** An endpoint as the API shows it. */
export interface EndpointInfo extends Endpoint {
  url: string;
  /** The signing secrets, newest first. */
  secrets: string[];
  pause: Pick<Ownership, 'pausedReason' | 'pausedDetail' | 'pausedUntil'>;
  failingSince: Millis | null;
  lastError: string | null;
}

type LockedEndpoint = Endpoint & { credentials: Credentials };

/**
 * The webhooks of applications. Events wait in the feed and are copied in small batches to the endpoint's queue in the
 * outbox. From there they are delivered like messages: in order, with retries, by one node.
 */
export class Endpoints extends SealedRepository {
  async get(applicationId: Id): Promise<EndpointInfo | undefined> {
    const row = await this.db
      .selectFrom('endpoints as e')
      .innerJoin('integrations as i', (join) =>
        join.onRef('i.applicationId', '=', 'e.applicationId').onRef('i.id', '=', 'e.integrationId'),
      )
      .innerJoin('ownerships as o', (join) =>
        join
          .onRef('o.applicationId', '=', 'e.applicationId')
          .onRef('o.integrationId', '=', 'e.integrationId'),
      )
      .select(['e.applicationId', 'e.integrationId', 'e.cursor', 'e.rotatedAt', 'i.credentials'])
      .select([
        'o.pausedReason',
        'o.pausedDetail',
        'o.pausedUntil',
        'o.failingSince',
        'o.lastError',
      ])
      .where('e.applicationId', '=', applicationId)
      .executeTakeFirst();
    if (!row) return undefined;
    const { credentials, pausedReason, pausedDetail, pausedUntil, ...endpoint } = row;
    const { address = '', secret = '' } = openCredentials(
      this.sealer,
      endpoint.integrationId,
      credentials,
    );
    const pause = { pausedReason, pausedDetail, pausedUntil };
    return { ...endpoint, url: address, secrets: secret.split(' '), pause };
  }

  /**
   * Sets the webhook of an application, or removes it with null. An existing endpoint keeps its secret and its
   * position in the feed, and is resumed if it was paused.
   */
  async set(
    trx: Kysely<Schema>,
    applicationId: Id,
    url: string | null,
    newEndpoint: { id: Id; secret: string },
    now: Millis,
  ): Promise<void> {
    const existing = await this.#findLocked(trx, applicationId);
    if (existing) {
      if (url === null) return this.#remove(trx, existing, now);
      const { credentials } = existing;
      await this.#writeCredentials(trx, existing, { ...credentials, address: url }, now);
      return resume(trx, existing, now);
    }
    if (url === null) return;
    const { id: integrationId, secret } = newEndpoint;
    const credentials = { address: url, secret, username: String(applicationId) };
    const dates = { createdAt: now, updatedAt: now };
    await trx
      .insertInto('integrations')
      .values({
        id: integrationId,
        applicationId,
        name: ENDPOINT,
        state: 'enable',
        credentials: this.#seal(integrationId, credentials),
        ...dates,
      })
      .execute();
    await trx.insertInto('ownerships').values({ integrationId, applicationId, fence: 0 }).execute();
    const cursor = await lastEventId(trx, applicationId);
    await trx.insertInto('endpoints').values({ applicationId, integrationId, cursor }).execute();
  }

  /** Makes this the signing secret. The previous one also signs until forgetSecrets removes it. */
  rotate(
    applicationId: Id,
    secret: string,
    now: Millis,
    audit?: AuditEntry,
  ): Promise<Id | undefined> {
    const change = ({ secret: previous = '' }: Credentials) => ({
      secret: `${secret} ${previous.split(' ')[0]}`,
      rotatedAt: now,
    });
    return this.#changeSecret(applicationId, now, change, audit);
  }

  /** Removes previous secrets that were replaced before this time. */
  async forgetSecrets(before: Millis, now: Millis): Promise<void> {
    const rows = await this.db
      .selectFrom('endpoints')
      .select('applicationId')
      .where('rotatedAt', '<', before)
      .execute();
    for (const { applicationId } of rows) {
      await this.#changeSecret(applicationId, now, ({ secret = '' }, rotatedAt) => {
        // The secret may have been rotated again in the meantime.
        if (rotatedAt === null || rotatedAt >= before) return { secret, rotatedAt };
        return { secret: secret.split(' ')[0] ?? '', rotatedAt: null };
      });
    }
  }

  #changeSecret(
    applicationId: Id,
    now: Millis,
    change: (
      credentials: Credentials,
      rotatedAt: Millis | null,
    ) => { secret: string; rotatedAt: Millis | null },
    audit?: AuditEntry,
  ): Promise<Id | undefined> {
    return this.#withLocked(applicationId, audit, async (trx, endpoint) => {
      const { credentials } = endpoint;
      const { secret, rotatedAt } = change(credentials, endpoint.rotatedAt);
      await this.#writeCredentials(trx, endpoint, { ...credentials, secret }, now);
      await setColumns(trx, applicationId, { rotatedAt });
    });
  }

  /** Changes an endpoint in a transaction that holds its lock. Undefined if there is none. */
  #withLocked(
    applicationId: Id,
    audit: AuditEntry | undefined,
    work: (trx: Kysely<Schema>, endpoint: LockedEndpoint) => Promise<void>,
  ): Promise<Id | undefined> {
    return this.db.transaction().execute(async (trx) => {
      const endpoint = await this.#findLocked(trx, applicationId);
      if (!endpoint) return undefined;
      await work(trx, endpoint);
      await recordAudit(trx, audit);
      return endpoint.integrationId;
    });
  }

  resume(applicationId: Id, now: Millis, audit?: AuditEntry): Promise<Id | undefined> {
    return this.#withLocked(applicationId, audit, (trx, endpoint) => resume(trx, endpoint, now));
  }

  /**
   * Delivers all events after this one again, in order. Never skips events that are still waiting for their first
   * delivery.
   */
  recover(
    applicationId: Id,
    after: number,
    now: Millis,
    audit?: AuditEntry,
  ): Promise<Id | undefined> {
    return this.#withLocked(applicationId, audit, async (trx, endpoint) => {
      // Lock the lane before the messages: the lock order of all statements.
      await resume(trx, endpoint, now);
      // The events are copied again in their place.
      await trx
        .deleteFrom('outbox')
        .where(isQueued(endpoint))
        .where(sql<number>`cast(object_id as bigint)`, '>', after)
        .execute();
      await setColumns(trx, applicationId, { cursor: Math.min(endpoint.cursor, after) });
    });
  }

  /**
   * Endpoints that are behind their feed and whose queue has space: those to call `copyToQueue` for. Reads
   * endpoints and feeds by primary key in ranges of applications, and the queue of each endpoint by outbox_by_lane, up
   * to MIN_QUEUED entries. `cross join` prevents a planner mistake: SQLite could start from all feeds instead, most
   * of which have no endpoint. test/store/statements.test.ts checks the plan, test/store/endpoints.test.ts the result.
   */
  async listBehind(): Promise<Id[]> {
    const found: Id[] = [];
    for await (const { after, upTo } of endpointRanges(this.db)) {
      const { rows } = await sql<{ applicationId: Id }>`select e.application_id
        from endpoints e cross join feeds f
        where f.application_id = e.application_id
          and e.application_id > ${after} and e.application_id <= ${upTo} and e.cursor < f.last
          and not exists (select 1 from outbox m
            where m.settled_at = 0 and m.application_id = e.application_id
              and m.integration_id = e.integration_id and m.recipient = ${FEED} and m.state = 'queued'
            limit 1 offset ${MIN_QUEUED - 1})`.execute(this.db);
      found.push(...rows.map(({ applicationId }) => applicationId));
    }
    return found;
  }

  /** The applications among these that have an endpoint. */
  async filterWithEndpoint(applicationIds: readonly Id[]): Promise<Set<Id>> {
    const rows = await this.db
      .selectFrom('endpoints')
      .select('applicationId')
      .where(isOneOf(this.engine, 'applicationId', applicationIds))
      .execute();
    return new Set(rows.map(({ applicationId }) => applicationId));
  }

  /**
   * Copies events to the endpoint's queue if it is short; `write` builds the request. Returns the
   * endpoint's integration if the cursor advanced.
   *
   * The queue is read by outbox_by_lane up to MIN_QUEUED entries, and the feed from the cursor by its key up to
   * MAX_BATCH events. The lock on the endpoint makes concurrent calls wait, so no event is copied twice.
   * `settled_at = 0` in isQueued keeps PostgreSQL from the partitions of settled deliveries.
   * test/store/statements.test.ts checks the plans, test/store/endpoints.test.ts the result.
   */
  async copyToQueue(
    applicationId: Id,
    write: (event: Event) => string,
    now: Millis,
  ): Promise<Id | undefined> {
    return this.db.transaction().execute(async (trx) => {
      const endpoint = await this.#findLocked(trx, applicationId);
      if (!endpoint) return undefined;
      const { integrationId, cursor } = endpoint;
      const waiting = await trx
        .selectFrom('outbox')
        .select('id')
        .where(isQueued(endpoint))
        .where('recipient', '=', FEED)
        .limit(MIN_QUEUED)
        .execute();
      if (waiting.length >= MIN_QUEUED) return undefined;
      const { events, upTo } = await readAfter(this.engine, trx, applicationId, cursor, MAX_BATCH);
      if (upTo === cursor) return undefined;
      const bodies = events.map((event) => Object.assign(event, { body: write(event) }));
      await enqueue(this.engine, trx, endpoint, bodies, now);
      await setColumns(trx, applicationId, { cursor: upTo });
      return integrationId;
    });
  }

  /** Queues one event again, behind all waiting ones. Undefined if there is no endpoint. */
  redeliver(
    applicationId: Id,
    event: EventRequest,
    now: Millis,
    audit?: AuditEntry,
  ): Promise<Id | undefined> {
    return this.#withLocked(applicationId, audit, (trx, endpoint) =>
      enqueue(this.engine, trx, endpoint, [event], now),
    );
  }

  async #findLocked(trx: Kysely<Schema>, applicationId: Id) {
    let query = trx.selectFrom('endpoints').selectAll().where('applicationId', '=', applicationId);
    if (this.engine.name === 'postgres') query = query.forUpdate();
    const endpoint = await query.executeTakeFirst();
    if (!endpoint) return undefined;
    const integration = await trx
      .selectFrom('integrations')
      .select('credentials')
      .where((eb) => eb.and({ applicationId, id: endpoint.integrationId }))
      .executeTakeFirst();
    if (!integration) return undefined;
    const { integrationId } = endpoint;
    const credentials = openCredentials(this.sealer, integrationId, integration.credentials);
    return { ...endpoint, credentials };
  }

  async #writeCredentials(
    trx: Kysely<Schema>,
    { applicationId, integrationId: id }: Endpoint,
    credentials: Credentials,
    now: Millis,
  ): Promise<void> {
    await trx
      .updateTable('integrations')
      .set({ credentials: this.#seal(id, credentials), updatedAt: now })
      .where((eb) => eb.and({ applicationId, id }))
      .execute();
  }

  async #remove(
    trx: Kysely<Schema>,
    { applicationId, integrationId }: Endpoint,
    now: Millis,
  ): Promise<void> {
    await trx.deleteFrom('endpoints').where('applicationId', '=', applicationId).execute();
    await trx
      .deleteFrom('integrations')
      .where((eb) => eb.and({ applicationId, id: integrationId }))
      .execute();
    await trx
      .insertInto('purges')
      .values({ kind: 'integration', resourceId: integrationId, applicationId, createdAt: now })
      .execute();
  }

  #seal(id: Id, credentials: Credentials): string {
    return this.sealer.seal(JSON.stringify(credentials), placeOf(id));
  }
}

async function setColumns(
  trx: Kysely<Schema>,
  applicationId: Id,
  columns: Partial<Pick<Endpoint, 'cursor' | 'rotatedAt'>>,
): Promise<void> {
  const update = trx.updateTable('endpoints').where('applicationId', '=', applicationId);
  await update.set(columns).execute();
}
