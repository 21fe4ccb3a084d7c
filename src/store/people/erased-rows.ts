import { type Kysely, sql } from 'kysely';

import { indexKey } from '../../lib/text/index-key.ts';
import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { byIds } from '../by-ids.ts';
import { deleteRows } from '../delete-rows.ts';
import { lockLanes, makeLanesDue } from '../delivery/lane-locks.ts';
import type { Engine } from '../engine.ts';
import { replaceBehaviours } from '../sandbox/sandbox-messages.ts';
import type { Schema } from '../schema.ts';
import { removeMessages, removeParts } from '../upkeep/retention.ts';
import type { OutboxRow } from './personal-data.ts';

/** Files removed at once. */
const MAX_FILES = 20;

/**
 * Removes messages and webhook deliveries with their attempts, routes, parts and costs. Those that are being sent stay
 * until their result is known (`hasRemaining`). Locks lanes before messages, as dispatch rounds do.
 */
export async function removeOutboxRows(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  rows: readonly OutboxRow[],
  now: Millis,
): Promise<{ removed: number; hasRemaining: boolean }> {
  if (rows.length === 0) return { removed: 0, hasRemaining: false };
  const ids = rows.map(({ id }) => id);
  const open = rows
    .filter(({ settledAt }) => settledAt === 0)
    .map(({ id, integrationId, recipient }) => ({ id, applicationId, integrationId, recipient }));
  if (open.length > 0) await lockLanes(engine, trx, open);
  const current = await trx
    .selectFrom('outbox')
    .select(['id', 'state', 'type'])
    .where(byIds(engine, applicationId, ids))
    .execute();
  const free = current.filter(({ state }) => state !== 'sending');
  const freeIds = free.map(({ id }) => id);
  if (freeIds.length > 0) {
    await removePartsAndCosts(trx, applicationId, freeIds);
    await removeMessages(engine, trx, applicationId, freeIds);
    const freed = new Set(freeIds);
    const left = open.filter(({ id }) => freed.has(id));
    await makeLanesDue(trx, left, now);
    for (const lane of left) await removeEmptyLane(trx, lane);
  }
  // One may have been queued or released meanwhile.
  const still = await trx
    .selectFrom('outbox')
    .select('id')
    .where(byIds(engine, applicationId, ids))
    .limit(1)
    .executeTakeFirst();
  const removed = free.filter(({ type }) => type !== 'Event').length;
  return { removed, hasRemaining: still !== undefined };
}

/** Removes the parts of messages, and their costs. */
async function removePartsAndCosts(
  trx: Kysely<Schema>,
  applicationId: Id,
  messageIds: readonly Id[],
): Promise<void> {
  for (const { integrationId, channelId } of await removeParts(trx, applicationId, messageIds)) {
    await trx
      .deleteFrom('costs')
      .where((eb) => eb.and({ applicationId, integrationId, channelId }))
      .execute();
  }
}

type LaneKey = { applicationId: Id; integrationId: Id; recipient: string };

/** Needed for disabled integrations, whose lanes no dispatch round removes. */
async function removeEmptyLane(
  trx: Kysely<Schema>,
  { applicationId, integrationId, recipient }: LaneKey,
): Promise<void> {
  const lane = sql`application_id = ${applicationId} and integration_id = ${integrationId}
    and recipient = ${recipient}`;
  await sql`delete from lanes where ${lane} and due_at is not null
    and not exists (select 1 from outbox where settled_at = 0 and ${lane} and state = 'queued'
      and sequence > 0)`.execute(trx);
}

/**
 * Removes what is stored under the address of a recipient, up to `limit` rows per table: conversations, windows, chats,
 * and the phone of a simulated person. Returns whether there may be more.
 */
export async function removePlace(
  engine: Engine,
  trx: Kysely<Schema>,
  place: LaneKey & { windowAddress: string },
  limit: number,
): Promise<boolean> {
  const { applicationId, integrationId, recipient, windowAddress } = place;
  const at = sql`application_id = ${applicationId} and integration_id = ${integrationId}`;
  await lockLanes(engine, trx, [place]);
  await removeEmptyLane(trx, place);
  const ofVisitor = sql`${at} and visitor = ${recipient}`;
  const sent = sql`${at} and recipient = ${recipient} and message_id is not null`;
  const counts = [
    await deleteRows(trx, 'parts', sent, limit),
    await removeConversation(trx, place, limit),
    await deleteRows(trx, 'chatEntries', ofVisitor, limit),
  ];
  const files = await deleteRows(trx, 'chatFiles', ofVisitor, MAX_FILES);
  await sql`delete from chat_visitors where ${ofVisitor}`.execute(trx);
  await sql`delete from watermarks where ${at} and recipient = ${recipient}`.execute(trx);
  await sql`delete from aliases where ${at} and alias = ${recipient}`.execute(trx);
  await sql`delete from aliases where ${at} and address = ${recipient}`.execute(trx);
  await sql`delete from address_moves where ${at} and former = ${recipient}`.execute(trx);
  await sql`delete from address_moves where ${at} and recipient = ${recipient}`.execute(trx);
  const window = indexKey(windowAddress);
  await sql`delete from windows where ${at} and address = ${window}`.execute(trx);
  const pools = sql`select id from pools where application_id = ${applicationId}`;
  await sql`delete from pool_recipients where application_id = ${applicationId}
    and pool_id in (${pools}) and recipient = ${recipient}`.execute(trx);
  const hasMoreFaults = await removeFaults(trx, place);
  const hasMoreOnPhone = await removePhone(trx, place);
  return counts.includes(limit) || files === MAX_FILES || hasMoreFaults || hasMoreOnPhone;
}

async function removeConversation(
  trx: Kysely<Schema>,
  { applicationId, integrationId, recipient }: LaneKey,
  limit: number,
): Promise<number> {
  // Waits for a node that is still writing conversations from events that have been removed.
  await trx
    .updateTable('projections')
    .set((eb) => ({ cursor: eb.ref('cursor') }))
    .where((eb) => eb.and({ applicationId }))
    .execute();
  const conversation = await trx
    .selectFrom('conversations')
    .select('id')
    .where((eb) => eb.and({ applicationId, integrationId, recipient }))
    .executeTakeFirst();
  if (!conversation) return 0;
  const removed = await deleteRows(
    trx,
    'conversationEvents',
    sql`application_id = ${applicationId} and conversation_id = ${conversation.id}`,
    limit,
  );
  if (removed === limit) return removed;
  await trx
    .deleteFrom('conversations')
    .where((eb) => eb.and({ applicationId, integrationId, recipient }))
    .execute();
  return removed;
}

/** Removes the simulated faults of one recipient. Returns whether to try again, since they changed meanwhile. */
async function removeFaults(
  trx: Kysely<Schema>,
  { applicationId, integrationId, recipient }: LaneKey,
): Promise<boolean> {
  const key = { applicationId, id: integrationId };
  const integration = await trx
    .selectFrom('integrations')
    .select('behaviours')
    .where((eb) => eb.and(key))
    .executeTakeFirst();
  const before = integration?.behaviours;
  // In JSON, the address may contain escapes.
  if (!before?.includes(JSON.stringify(recipient))) return false;
  const lists = JSON.parse(before) as Record<string, { to?: string }[]>;
  const left = Object.entries(lists).map(
    ([name, list]) => [name, list.filter(({ to }) => to !== recipient)] as const,
  );
  const after = JSON.stringify(Object.fromEntries(left));
  return !(await replaceBehaviours(trx, key, before, after));
}

/** Returns whether there may be more. */
async function removePhone(
  trx: Kysely<Schema>,
  { applicationId, integrationId, recipient }: LaneKey,
): Promise<boolean> {
  const entries = await trx
    .selectFrom('sandboxMessages')
    .select(['id', 'body', 'vendorId'])
    .where((eb) => eb.and({ applicationId, integrationId, person: recipient }))
    .limit(MAX_FILES)
    .execute();
  if (entries.length === 0) return false;
  const ofIntegration = { applicationId, integrationId };
  const files = entries.flatMap(({ body }) => [...body.matchAll(FILE)].map(([, id = '']) => id));
  if (files.length > 0) {
    await trx
      .deleteFrom('sandboxFiles')
      .where((eb) => eb.and(ofIntegration))
      .where('id', 'in', files)
      .execute();
  }
  const reports = await trx
    .selectFrom('sandboxReports')
    .select(['id', 'body'])
    .where((eb) => eb.and(ofIntegration))
    .execute();
  const names = [recipient, ...entries.map(({ vendorId }) => vendorId)];
  const about = reports.filter(({ body }) => {
    const { entry } = JSON.parse(body) as { entry?: number };
    return entries.some(({ id }) => id === entry) || names.some((name) => body.includes(name));
  });
  if (about.length > 0) {
    await trx
      .deleteFrom('sandboxReports')
      .where((eb) => eb.and(ofIntegration))
      .where(
        'id',
        'in',
        about.map(({ id }) => id),
      )
      .execute();
  }
  await trx
    .deleteFrom('sandboxMessages')
    .where((eb) => eb.and(ofIntegration))
    .where(
      'id',
      'in',
      entries.map(({ id }) => id),
    )
    .execute();
  return entries.length === MAX_FILES;
}

/** The files of an entry; ids have no quotes. */
const FILE = /"file":"([^"\\]+)"/g;
