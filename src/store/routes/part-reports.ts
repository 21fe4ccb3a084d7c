import { type Kysely, sql } from 'kysely';

import { indexKey } from '../../lib/text/index-key.ts';
import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import type { MessageRoute, RouteReport } from '../../model/sending/message-route.ts';
import { readPartIds } from '../../model/sending/sent-part.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Part, Schema } from '../schema.ts';

export type PartReport = Pick<Part, 'channelId' | 'state' | 'code' | 'detail' | 'block'>;

const upTo = (state: 'delivered' | 'read') => sql<Millis | null>`(select w.up_to from watermarks w
  where w.application_id = p.application_id and w.integration_id = p.integration_id and w.recipient = p.recipient and w.state = ${state})`;

/** All parts of these messages, each with its most advanced report. */
export async function partsOf(
  trx: Kysely<Schema>,
  applicationId: Id,
  ids: readonly Id[],
): Promise<Map<Id, PartReport[]>> {
  const rows = await trx
    .selectFrom('parts as p')
    .select(['p.messageId', 'p.channelId', 'p.state', 'p.code', 'p.detail', 'p.block', 'p.sentAt'])
    .select([upTo('delivered').as('deliveredUpTo'), upTo('read').as('readUpTo')])
    .where('p.applicationId', '=', applicationId)
    .where('p.messageId', 'in', ids)
    .execute();
  const found = new Map<Id, PartReport[]>();
  for (const { messageId, sentAt, deliveredUpTo, readUpTo, ...part } of rows) {
    if (messageId === null || sentAt === null) continue;
    let { state } = part;
    if (state !== 'read' && sentAt <= (deliveredUpTo ?? -1)) state = 'delivered';
    if (sentAt <= (readUpTo ?? -1)) state = 'read';
    const reports = found.get(messageId) ?? [];
    reports.push({ ...part, state });
    found.set(messageId, reports);
  }
  return found;
}

/** A message is as advanced as its least advanced part; one failed part fails it. */
export function summarize(
  parts: readonly PartReport[],
  { channelIds }: Pick<Message, 'channelIds'>,
): PartReport | undefined {
  const failed = parts.find(({ state }) => state === 'failed');
  if (failed) return failed;
  const expected = readPartIds(channelIds).length;
  if (parts.length < expected) return undefined;
  const leastAdvanced =
    parts.find(({ state }) => state === null) ?? parts.find(({ state }) => state === 'delivered');
  return leastAdvanced ?? parts[0];
}

/** Reports on these parts no longer count: they did not arrive, and are sent again. */
export async function forgetParts(
  trx: Kysely<Schema>,
  { applicationId, id: messageId }: Pick<Message, 'applicationId' | 'id'>,
  channelIds: string | null,
): Promise<void> {
  const keys = readPartIds(channelIds).map(indexKey);
  if (keys.length === 0) return;
  await trx
    .updateTable('parts')
    .set({ messageId: null, pending: 0 })
    .where((eb) => eb.and({ applicationId, messageId }))
    .where('channelId', 'in', keys)
    .execute();
}

/** Why the channel did not deliver, in its words. */
export const failureDetail = ({ detail, code }: Pick<PartReport, 'detail' | 'code'>): string =>
  detail ?? code ?? 'the channel gives no details';

/**
 * The parts that belong to each route, by the channel's ids. The message has the ids of the active route; every other
 * route has its own.
 */
export function partsByRoute(
  message: Pick<Message, 'route' | 'channelIds'>,
  routes: readonly Pick<MessageRoute, 'number' | 'channelIds'>[],
  parts: readonly PartReport[],
): Map<number, PartReport[]> {
  const active = message.route ?? 0;
  const owner = new Map<string, number>();
  for (const { number, channelIds } of routes) {
    const ids = number === active ? message.channelIds : channelIds;
    for (const id of readPartIds(ids)) owner.set(indexKey(id), number);
  }
  return Map.groupBy(parts, ({ channelId }) => owner.get(channelId) ?? active);
}

/** The state of each route according to the reports, and why it failed. */
export async function reportsOf(
  trx: Kysely<Schema>,
  message: Pick<Message, 'applicationId' | 'id' | 'route' | 'channelIds'>,
  routes: readonly MessageRoute[],
): Promise<{ reports: Map<number, RouteReport>; details: Map<number, string> }> {
  const found = await partsOf(trx, message.applicationId, [message.id]);
  const byRoute = partsByRoute(message, routes, found.get(message.id) ?? []);
  const reports = new Map<number, RouteReport>();
  const details = new Map<number, string>();
  for (const [number, parts] of byRoute) {
    const channelIds = number === message.route ? message.channelIds : routes[number]?.channelIds;
    const report = summarize(parts, { channelIds: channelIds ?? null });
    if (!report?.state) continue;
    reports.set(number, report.state);
    if (report.state === 'failed') details.set(number, failureDetail(report));
  }
  return { reports, details };
}
