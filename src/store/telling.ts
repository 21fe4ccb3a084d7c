import type { Kysely } from 'kysely';

import { type Told, messageEvents } from '../model/event.ts';
import type { Message, MessageState } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';
import { appendEvents } from './events.ts';
import type { Schema } from './schema.ts';

/** What has to be known of a message to tell of it. */
export const TOLD = [
  'id',
  'applicationId',
  'integrationId',
  'recipient',
  'objectId',
  'channelIds',
  'reason',
  'detail',
  'trace',
  'type',
] as const satisfies (keyof Message)[];

/** Tells applications that their messages have come to this state; of the delivery of events, nothing. */
export async function tell(
  trx: Kysely<Schema>,
  messages: readonly (Told & Pick<Message, 'type'>)[],
  state: MessageState,
  now: Millis,
): Promise<void> {
  const own = messages.filter(({ type }) => type !== 'Event');
  await appendEvents(
    trx,
    own.flatMap((message) => messageEvents(message, state, now)),
  );
}
