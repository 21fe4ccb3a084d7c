import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import { type Message, type MessageState, mayPrecede } from '../../model/message.ts';
import type { MessageRoute } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import { type RoutedMessage, fieldsOf } from '../routes/chain.ts';
import { forgetParts } from '../routes/part-reports.ts';
import { reopenChain } from '../routes/requests.ts';
import { addRoutes, contentToResend } from '../routes/restarting.ts';
import type { Schema } from '../schema.ts';
import { keyIn } from '../tables.ts';
import { moveMessages } from './transitions.ts';

/** The fields needed to resend a message. */
export type Resendable = Pick<
  Message,
  'id' | 'integrationId' | 'recipient' | 'settledAt' | 'route'
> & {
  /** For a message with routes: the routes to start instead of the current one, and the message as it was. */
  restart?: { added: readonly [MessageRoute, ...MessageRoute[]]; before: RoutedMessage };
};

/** The states in which a message may be resent. */
export const RESENDABLE: readonly MessageState[] = mayPrecede('queued', 'resend');

/**
 * Puts unsuccessful messages of one application at the end of their lanes, in the given order, to be sent like new
 * ones but without the parts that were already sent, unless the channel reported that they did not arrive. Returns the
 * resent ones and those whose integration was deleted; the others have changed their state.
 */
export async function resendAll(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  messages: readonly Resendable[],
  now: Millis,
): Promise<{ resent: Resendable[]; orphaned: Resendable[] }> {
  const existingIds = await existingIntegrations(trx, applicationId, messages);
  const orphaned = messages.filter(({ integrationId }) => !existingIds.has(integrationId));
  const deliverable = messages.filter(({ integrationId }) => existingIds.has(integrationId));
  const resent: Resendable[] = [];
  if (deliverable.length === 0) return { resent, orphaned };
  await openLanes(
    engine,
    trx,
    deliverable.map((message) => ({ ...message, applicationId })),
    now,
  );
  const sequences = await engine.allocateSequences(trx, deliverable.length);
  for (const [i, message] of deliverable.entries()) {
    const { id, settledAt, route, restart } = message;
    const { fields, forgotten } = restart
      ? { fields: fieldsOf(restart.added[0]), forgotten: null }
      : await contentToResend(engine, trx, applicationId, message);
    const from = { applicationId, ids: [id], settledAt, states: RESENDABLE };
    const cleared = { reason: null, detail: null, expiresAt: null, dueAt: null };
    const reset = { ...fields, attempts: 0, ...cleared, settledAt: 0 };
    const sequence = sequences[i] ?? 0;
    const to = { state: 'queued', sequence, ...reset, updatedAt: now } as const;
    if ((await moveMessages(engine, trx, from, to)).length === 0) continue;
    resent.push(message);
    await forgetParts(trx, { applicationId, id }, forgotten);
    if (restart) await addRoutes(engine, trx, restart.before, restart.added, now);
    else if (route !== null) await reopenChain(engine, trx, { applicationId, id, route }, now);
  }
  return { resent, orphaned };
}

/** The existing integrations of these messages. */
async function existingIntegrations(
  trx: Kysely<Schema>,
  applicationId: Id,
  messages: readonly Resendable[],
): Promise<Set<Id>> {
  if (messages.length === 0) return new Set();
  const ids = new Set(messages.map(({ integrationId }) => integrationId));
  const rows = await trx
    .selectFrom('integrations')
    .select('id')
    .where('applicationId', '=', applicationId)
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Opens lanes in key order: the lock order of all statements. */
export async function openLanes(
  engine: Engine,
  trx: Kysely<Schema>,
  messages: readonly Pick<Message, 'applicationId' | 'integrationId' | 'recipient'>[],
  now: Millis,
): Promise<void> {
  const byKey = new Map(
    messages.map(({ applicationId, integrationId, recipient }) => [
      JSON.stringify([applicationId, integrationId, recipient]),
      { applicationId, integrationId, recipient, bytes: Buffer.from(recipient) },
    ]),
  );
  const lanes = [...byKey.values()]
    .toSorted(
      (a, b) =>
        a.applicationId - b.applicationId ||
        a.integrationId - b.integrationId ||
        a.bytes.compare(b.bytes),
    )
    .map(({ applicationId, integrationId, recipient }) => {
      return { applicationId, integrationId, recipient, dueAt: now, version: 0 };
    });
  await trx
    .insertInto('lanes')
    .values(lanes)
    .onConflict((conflict) =>
      conflict
        .columns(keyIn(engine.name, 'lanes'))
        .doUpdateSet(({ eb }) => ({ version: eb('lanes.version', '+', 1) })),
    )
    .execute();
}
