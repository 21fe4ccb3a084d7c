import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Message, NewMessage } from '../../model/message.ts';
import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';
import { openLanes } from './resending.ts';

/** Queues messages in a transaction that changes something else too; `Engine.accept` stores all others. */
export async function enqueue(
  engine: Engine,
  trx: Kysely<Schema>,
  messages: readonly NewMessage[],
): Promise<void> {
  const byApplication = Map.groupBy(messages, ({ applicationId }) => applicationId);
  // Lanes in key order: the lock order of all statements.
  for (const [, ofApplication] of [...byApplication].toSorted(([a], [b]) => a - b)) {
    await openLanes(engine, trx, ofApplication, Math.min(...ofApplication.map(createdAtOf)));
    const ids = await engine.allocateSequences(trx, ofApplication.length);
    const rows = ofApplication.map((message, i) => rowOf(message, ids[i] ?? 0));
    await trx.insertInto('outbox').values(rows).execute();
  }
}

const rowOf = (message: NewMessage, id: Id): Message => ({
  instructions: null,
  category: null,
  consentKey: null,
  dueAt: null,
  route: null,
  trace: null,
  ...message,
  id,
  sequence: id,
  updatedAt: message.createdAt,
  ...UNSENT,
});

const createdAtOf = ({ createdAt }: NewMessage) => createdAt;

const UNSENT = {
  state: 'queued',
  attempts: 0,
  starts: 0,
  partsSent: 0,
  channelIds: null,
  reason: null,
  detail: null,
  settledAt: 0,
  deliveredAt: null,
} as const;
