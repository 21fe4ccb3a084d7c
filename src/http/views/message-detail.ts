import { isDeepStrictEqual } from 'node:util';

import { findChannel } from '../../channels/index.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type { Id } from '../../model/id.ts';
import type { CountedMessage } from '../../model/message.ts';
import { type StoredCost, totalCost } from '../../model/sending/cost.ts';
import { readPartIds } from '../../model/sending/sent-part.ts';
import type { Store } from '../../store/store.ts';
import { receiptWait } from './routes.ts';
import { messageJson } from './views.ts';
import { MAX_COUNTED_AHEAD, type WaitInfo, paceWait, scheduleWait, waitingOf } from './waiting.ts';

/** Attempts to read a message and its lane while they change. */
const MAX_READS = 5;

/** The message as JSON, with the reason why it waits. */
export async function messageDetailJson(
  store: Store,
  clock: Clock,
  applicationId: Id,
  id: Id,
): Promise<string | undefined> {
  const read = () => store.messages.get(applicationId, id);
  let message = await read();
  let waiting: WaitInfo | null = null;
  // Repeat until the message did not change while its lane was read.
  for (let reads = 0; message?.state === 'queued' && reads < MAX_READS; reads++) {
    const before: CountedMessage = message;
    waiting = await whyWaiting(store, before, clock.now());
    message = await read();
    if (isDeepStrictEqual(message, before)) break;
  }
  if (!message) return undefined;
  const routes = message.route === null ? undefined : await store.routes.list(applicationId, id);
  if (message.state === 'scheduled') {
    return messageJson(message, scheduleWait(message), { routes });
  }
  const cost = await costOf(store, message);
  const receipt = routes ? receiptWait(message, routes) : null;
  return messageJson(message, message.state === 'queued' ? waiting : receipt, { cost, routes });
}

/** The cost that the vendor reported. Most messages need no lookup, since their channels report no costs. */
async function costOf(store: Store, message: CountedMessage): Promise<StoredCost | undefined> {
  const { applicationId, integrationId, channelIds } = message;
  const ids = readPartIds(channelIds);
  return totalCost(await store.costs.of(applicationId, integrationId, ids));
}

async function whyWaiting(
  store: Store,
  message: CountedMessage,
  now: number,
): Promise<WaitInfo | null> {
  const conditions = await store.lanes.sendConditions(message);
  const waiting = waitingOf(message, conditions, now);
  const { lane, isOwned, channel } = conditions;
  if (waiting || !isOwned || channel === undefined) return waiting;
  const pace = findChannel(channel)?.pace?.integration;
  if (!pace || !lane || lane.dueAt === null || lane.dueAt > now) return null;
  const ahead = await store.lanes.countAhead(message, lane.dueAt, MAX_COUNTED_AHEAD);
  return paceWait(pace, { ahead, dueAt: lane.dueAt, now });
}
