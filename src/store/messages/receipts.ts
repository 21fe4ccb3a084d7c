import { type Kysely, sql } from 'kysely';

import { type NewEvent, messageEvents } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import { type Message, isSettled, mayBecome } from '../../model/message.ts';
import { blockChange } from '../../model/sending/consent.ts';
import { hasNextRoute } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import { byIds } from '../by-ids.ts';
import { deleteRows } from '../delete-rows.ts';
import type { Engine } from '../engine.ts';
import { appendEvents } from '../feed/events.ts';
import type { ConsentDigests } from '../people/consent-digests.ts';
import { Repository } from '../repository.ts';
import { routesOf } from '../routes/chain.ts';
import {
  type PartReport,
  failureDetail,
  partsByRoute,
  partsOf,
  summarize,
} from '../routes/part-reports.ts';
import { nudge } from '../routes/requests.ts';
import type { Part, Schema } from '../schema.ts';
import { type DatedChange, applyChanges, eventsOf } from './consents.ts';
import { allRecentFirst } from './recent-first.ts';

/** A message whose state changed because of a delivery report. */
export interface ReportedMessage {
  applicationId: Id;
  integrationId: Id;
  state: NonNullable<Part['state']>;
}

interface AppliedReports {
  seen: number;
  moved: ReportedMessage[];
  events: NewEvent[];
  changes: DatedChange[];
}

/** Applies delivery reports to messages. Either may arrive first. */
export class Receipts extends Repository {
  readonly #digests: ConsentDigests;

  constructor(engine: Engine, digests: ConsentDigests) {
    super(engine);
    this.#digests = digests;
  }

  /**
   * Processes up to `limit` parts with new reports; returns how many, and the messages that changed. Zero if all of
   * them are locked by others.
   */
  async apply(limit: number, now: Millis): Promise<{ seen: number; moved: ReportedMessage[] }> {
    const pending = await this.db
      .selectFrom('parts')
      .select(['applicationId', 'messageId'])
      .where(sql<boolean>`pending = 1`)
      .where('messageId', 'is not', null)
      .limit(limit)
      .execute();
    if (pending.length === 0) return { seen: 0, moved: [] };
    const { seen, moved } = await this.db.transaction().execute(async (trx) => {
      const all: AppliedReports = { seen: 0, moved: [], events: [], changes: [] };
      const byApplication = Map.groupBy(pending, ({ applicationId }) => applicationId);
      // In key order: the lock order of parts in all statements.
      for (const [applicationId, parts] of [...byApplication].toSorted(([a], [b]) => a - b)) {
        const ids = [...new Set(parts.map(({ messageId }) => messageId ?? 0))];
        const result = await this.#applyTo(trx, applicationId, ids, now);
        all.seen += result.seen;
        all.moved.push(...result.moved);
        all.events.push(...result.events);
        all.changes.push(...result.changes);
      }
      const applied = await applyChanges(this.engine, trx, all.changes, this.#digests);
      await appendEvents(trx, [...all.events, ...eventsOf(applied)]);
      return all;
    });
    return { seen: seen > 0 ? pending.length : 0, moved };
  }

  /** Processes the messages that no other transaction has locked. */
  async #applyTo(
    trx: Kysely<Schema>,
    applicationId: Id,
    requested: readonly Id[],
    now: Millis,
  ): Promise<AppliedReports> {
    const messages = await this.#lockFree(trx, applicationId, requested);
    const locked = new Set(messages.map(({ id }) => id));
    const busy = await existingMessages(
      this.engine,
      trx,
      applicationId,
      requested.filter((id) => !locked.has(id)),
    );
    const ids = requested.filter((id) => !busy.has(id));
    if (ids.length === 0) return { seen: 0, moved: [], events: [], changes: [] };
    await this.#clearPending(trx, applicationId, ids);
    const parts = await partsOf(trx, applicationId, ids);
    const events: NewEvent[] = [];
    const moved: ReportedMessage[] = [];
    const changes: DatedChange[] = [];
    for (const message of messages) {
      const reported = parts.get(message.id) ?? [];
      const routed =
        message.route === null
          ? undefined
          : await this.#partsOfActiveRoute(trx, message, reported, now);
      changes.push(...(routed?.blocks ?? blocksIn(reported, message, now)));
      const report = summarize(routed?.activeParts ?? reported, message);
      if (!report?.state || !isSettled(message.state)) continue;
      if (!mayBecome(message.state, report.state, 'receipt')) continue;
      // A message that failed before all parts were sent stays failed, even if a part was delivered.
      if (message.state === 'failed' && !mayStillArrive(message)) continue;
      const { state } = report;
      const isFailed = state === 'failed';
      const reason = isFailed ? 'undelivered' : null;
      const detail = isFailed ? failureDetail(report) : null;
      await trx
        .updateTable('outbox')
        .set({
          state,
          reason,
          detail,
          updatedAt: now,
          ...(state === 'delivered' && { deliveredAt: now }),
        })
        .where((eb) => eb.and({ applicationId, id: message.id, settledAt: message.settledAt }))
        .execute();
      const { integrationId } = message;
      moved.push({ applicationId, integrationId, state });
      const changed = {
        ...message,
        reason,
        detail,
        ...(routed?.isDuplicate && { duplicate: true }),
      };
      events.push(...messageEvents(changed, state, now));
    }
    if (changes.length > 0) await clearBlocks(trx, applicationId, ids);
    return { seen: ids.length, moved, events, changes };
  }

  /**
   * The parts of the active route of a message, and the addresses that the vendors refuse, on any route. Schedules a
   * check of the message, since a report on another route may end the chain. The check also decides about a failure, as
   * long as another route can follow.
   */
  async #partsOfActiveRoute(
    trx: Kysely<Schema>,
    message: Message,
    parts: readonly PartReport[],
    now: Millis,
  ): Promise<{ activeParts: PartReport[]; blocks: DatedChange[]; isDuplicate: boolean }> {
    const { applicationId, id } = message;
    const route = message.route ?? 0;
    const routes = await routesOf(this.engine, trx, applicationId, id);
    if (parts.length > 0) await nudge(trx, { applicationId, id, route }, now);
    const byRoute = partsByRoute(message, routes, parts);
    const blocks = [...byRoute].flatMap(([number, routeParts]) => {
      const { consentKey } = routes[number] ?? message;
      return blocksIn(routeParts, { applicationId, consentKey }, now);
    });
    const activeParts = byRoute.get(route) ?? [];
    // A later route was sent too, because this report was late.
    const isDuplicate = routes.some((one) => one.number > route && one.partsSent > 0);
    const active = routes[route];
    const hasNext = active !== undefined && hasNextRoute(active, routes);
    const isFailed = activeParts.some(({ state }) => state === 'failed');
    const isHalfSent = message.reason === 'routes_exhausted' && active?.because !== 'undelivered';
    const isLeftToCheck = (hasNext && isFailed) || isHalfSent;
    return { activeParts: isLeftToCheck ? [] : activeParts, blocks, isDuplicate };
  }

  /** Skips locked messages: waiting could deadlock with a transaction that waits for another of them. */
  #lockFree(trx: Kysely<Schema>, applicationId: Id, ids: readonly Id[]): Promise<Message[]> {
    return allRecentFirst(this.engine, ids, (chunk, where) => {
      const query = trx
        .selectFrom('messages')
        .selectAll()
        .where(byIds(this.engine, applicationId, chunk))
        .where(where)
        .orderBy('id');
      const isShared = this.engine.name === 'postgres';
      return (isShared ? query.forUpdate().skipLocked() : query).execute();
    });
  }

  /** Clears `pending` before the parts are read, so that later reports set it again. */
  async #clearPending(trx: Kysely<Schema>, applicationId: Id, ids: readonly Id[]): Promise<void> {
    let pendingParts = trx
      .selectFrom('parts')
      .select(['integrationId', 'channelId'])
      .where('applicationId', '=', applicationId)
      .where('messageId', 'in', ids)
      .where('pending', '=', 1)
      // In key order: the lock order of parts in all statements.
      .orderBy('integrationId')
      .orderBy('channelId');
    if (this.engine.name === 'postgres') pendingParts = pendingParts.forUpdate();
    await trx
      .updateTable('parts')
      .set({ pending: 0 })
      .where('applicationId', '=', applicationId)
      .where(({ eb, refTuple }) =>
        eb(
          refTuple('integrationId', 'channelId'),
          'in',
          pendingParts.$asTuple('integrationId', 'channelId'),
        ),
      )
      .execute();
  }

  /** Deletes up to `limit` older parts; returns how many. */
  forget(before: Millis, limit: number): Promise<number> {
    return deleteRows(this.db, 'parts', sql`created_at < ${before}`, limit);
  }
}

/** Whether a failed message may turn out to have arrived: all parts were sent. */
const mayStillArrive = ({ reason }: Pick<Message, 'reason'>): boolean =>
  reason === 'undelivered' || reason === 'routes_exhausted';

/** The messages among these that exist. */
async function existingMessages(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  ids: readonly Id[],
): Promise<Set<Id>> {
  if (ids.length === 0) return new Set();
  const rows = await trx
    .selectFrom('messages')
    .select('id')
    .where(byIds(engine, applicationId, ids))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** A later report on the same part must not repeat a block that was lifted since. */
async function clearBlocks(
  trx: Kysely<Schema>,
  applicationId: Id,
  ids: readonly Id[],
): Promise<void> {
  await trx
    .updateTable('parts')
    .set({ block: null })
    .where('applicationId', '=', applicationId)
    .where('messageId', 'in', ids)
    .where('block', 'is not', null)
    .execute();
}

/** The recipients that the vendor refuses from now on. */
function blocksIn(
  parts: readonly PartReport[],
  { applicationId, consentKey }: Pick<Message, 'applicationId' | 'consentKey'>,
  at: Millis,
): DatedChange[] {
  return parts.flatMap(({ block, detail, code }) =>
    block === null || consentKey === null
      ? []
      : [{ ...blockChange(consentKey, block, detail ?? code ?? ''), applicationId, at }],
  );
}
