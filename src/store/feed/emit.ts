import type { Kysely } from 'kysely';

import { type MessageEventFields, messageEvents } from '../../model/event.ts';
import type { Message, MessageState } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Schema } from '../schema.ts';
import { appendEvents } from './events.ts';

/** The message columns that its events need. */
export const EVENT_COLUMNS = [
  'id',
  'applicationId',
  'integrationId',
  'recipient',
  'objectId',
  'channelIds',
  'reason',
  'detail',
  'instructions',
  'trace',
  'type',
  'route',
] as const satisfies (keyof Message)[];

/** Appends events for messages that entered this state; none for webhook deliveries. */
export async function emit(
  trx: Kysely<Schema>,
  messages: readonly (MessageEventFields & Pick<Message, 'type'>)[],
  state: MessageState,
  now: Millis,
): Promise<void> {
  const own = messages.filter(({ type }) => type !== 'Event');
  await appendEvents(
    trx,
    own.flatMap((message) => messageEvents(message, state, now)),
  );
}
