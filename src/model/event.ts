import type { Id } from './id.ts';
import type { Message, MessageState } from './message.ts';
import type { Millis } from './timestamp.ts';

/** What an application is told. */
export const EVENT_TYPES = [
  'message.received',
  'message.edited',
  'message.deleted',
  'message.unreadable',
  'member.joined',
  'member.left',
  'contact.changed',
  'contact.opted_out',
  'contact.opted_in',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.uncertain',
  'message.canceled',
  'message.expired',
  'integration.failing',
  'integration.recovered',
  'webhook.paused',
  'webhook.test',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Those that are Activity Streams activities of somebody else. */
export const ACTIVITY_EVENTS: ReadonlySet<EventType> = new Set([
  'message.received',
  'message.edited',
  'message.deleted',
  'member.joined',
  'member.left',
]);

/** Messages of people, their edits and deletions: bare frames of the realtime socket, as chat clients read them. */
export const CHAT_EVENTS: ReadonlySet<EventType> = new Set([
  'message.received',
  'message.edited',
  'message.deleted',
]);

/** One entry of the feed of an application. */
export interface Event {
  applicationId: Id;
  /** Its place in the feed: 1, 2, 3, without a gap. */
  id: number;
  type: EventType;
  /** JSON, as it was when it happened. */
  data: string;
  /** A JSON array of MediaReference: what the addresses of files in `data` stand for. */
  media: string | null;
  createdAt: Millis;
  /** The span in which it happened, as a `traceparent`, where that is traced. */
  trace: string | null;
}

export type NewEvent = Omit<Event, 'id' | 'trace'> & Partial<Pick<Event, 'trace'>>;

/** A file that somebody sent: where the channel finds it. */
export interface MediaReference {
  integrationId: Id;
  reference: string;
  mediaType?: string;
  name?: string;
}

/** What is told of a message when it changes its state. */
export type Told = Pick<
  Message,
  | 'id'
  | 'applicationId'
  | 'integrationId'
  | 'recipient'
  | 'objectId'
  | 'channelIds'
  | 'reason'
  | 'detail'
  | 'trace'
>;

/** The states that an application is told of. */
const TOLD: ReadonlySet<MessageState> = new Set([
  'sent',
  'delivered',
  'read',
  'failed',
  'uncertain',
  'canceled',
  'expired',
]);

/** What is told of a message that has come to this state; undefined when nothing is. */
export function messageData(message: Told, state: MessageState): string | undefined {
  if (!TOLD.has(state)) return undefined;
  const { reason, detail } = message;
  const data = {
    id: message.id,
    application_id: message.applicationId,
    integration_id: message.integrationId,
    state,
    to: message.recipient,
    object_id: message.objectId,
    channel_ids: [] as string[],
    error: reason === null ? null : { code: reason, detail },
  };
  if (message.channelIds !== null) data.channel_ids = JSON.parse(message.channelIds) as string[];
  return JSON.stringify(data);
}

/** The event of a message that has come to this state, if it is one to be told. */
export function messageEvents(message: Told, state: MessageState, now: Millis): NewEvent[] {
  const data = messageData(message, state);
  if (data === undefined) return [];
  const { applicationId, trace } = message;
  const type = `message.${state}` as EventType;
  return [{ applicationId, type, data, media: null, createdAt: now, trace }];
}

/** What the address of a file begins with while it is stored: where it can be had is known when it is read. */
export const MEDIA = 'media:';

const FILE_MEMBER = new RegExp(`"url":"${MEDIA}(\\d+)"`, 'g');

/** The event as JSON, as everybody is shown it who does not ask for activities alone. */
export function envelopeJson(event: Event, baseUrl: string): string {
  const { id, type, createdAt } = event;
  const timestamp = new Date(createdAt).toISOString();
  const head = JSON.stringify({ id, type, timestamp });
  return `${head.slice(0, -1)},"data":${dataJson(event, baseUrl)}}`;
}

/**
 * What happened, as JSON. An activity is called by the address of its event. Events are numbered by application, so the
 * address of a file says whose it is: only then can it be told from another's when it is sent on.
 */
export function dataJson({ id, type, data, media, applicationId }: Event, baseUrl: string): string {
  if (!ACTIVITY_EVENTS.has(type)) return data;
  const url = `${baseUrl}/1/events/${id}`;
  const called = `{"id":${JSON.stringify(url)},${data.slice(1)}`;
  // Only a member can stand so: within a text, quotes are escaped.
  if (media === null) return called;
  return called.replaceAll(
    FILE_MEMBER,
    (_, number: string) => `"url":"${url}/media/${number}?application=${applicationId}"`,
  );
}
