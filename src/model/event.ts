import type { Id } from './id.ts';
import type { Message, MessageState } from './message.ts';
import { isSandboxed } from './sending/instructions.ts';
import type { MessageRoute } from './sending/message-route.ts';
import { readPartIds } from './sending/sent-part.ts';
import { type Millis, timestamp } from './timestamp.ts';

export const EVENT_TYPES = [
  'message.received',
  'message.edited',
  'message.deleted',
  'message.unreadable',
  'member.joined',
  'member.left',
  'contact.created',
  'contact.erased',
  'contact.changed',
  'contact.merged',
  'contact.unmerged',
  'contact.conflict',
  'contact.opted_out',
  'contact.opted_in',
  'consent.revoked',
  'consent.granted',
  'message.deferred',
  'message.rerouted',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.uncertain',
  'message.canceled',
  'message.expired',
  'message.suppressed',
  'integration.failing',
  'integration.recovered',
  'webhook.paused',
  'webhook.test',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Events whose data is an Activity Streams activity by a person. */
export const ACTIVITY_EVENTS: ReadonlySet<EventType> = new Set([
  'message.received',
  'message.edited',
  'message.deleted',
  'member.joined',
  'member.left',
]);

/**
 * Messages by people, with edits and deletions. The realtime socket sends them as bare frames, as chat clients
 * expect.
 */
export const CHAT_EVENTS: ReadonlySet<EventType> = new Set([
  'message.received',
  'message.edited',
  'message.deleted',
]);

/** An entry in the feed of an application. */
export interface Event {
  applicationId: Id;
  /** The position in the feed: 1, 2, 3, without gaps. */
  id: number;
  type: EventType;
  /** JSON, as it was when the event happened. */
  data: string;
  /** A JSON array of MediaReference that the media URLs in `data` refer to. */
  media: string | null;
  createdAt: Millis;
  /** The `traceparent` of the span in which it happened, if traced. */
  trace: string | null;
}

export type NewEvent = Omit<Event, 'id' | 'trace'> & Partial<Pick<Event, 'trace'>>;

/** A received file, as the channel identifies it. */
export interface MediaReference {
  integrationId: Id;
  reference: string;
  mediaType?: string;
  name?: string;
  /** Stored by this service, because the application uploaded it; the channel has no such file. */
  isUploaded?: true;
}

/** The fields of a message that its events contain. */
export type MessageEventFields = Pick<
  Message,
  | 'id'
  | 'applicationId'
  | 'integrationId'
  | 'recipient'
  | 'objectId'
  | 'channelIds'
  | 'reason'
  | 'detail'
  | 'instructions'
  | 'trace'
> & {
  dueAt?: Millis | null;
  route?: number | null;
  /** Set if another route of the message was sent too. */
  duplicate?: boolean;
};

/** The states that produce an event. */
const EVENT_STATES: ReadonlySet<MessageState> = new Set([
  'scheduled',
  'sent',
  'delivered',
  'read',
  'failed',
  'uncertain',
  'canceled',
  'expired',
  'suppressed',
]);

/** The event data for a message that entered this state; undefined if the state produces no event. */
export function messageData(message: MessageEventFields, state: MessageState): string | undefined {
  if (!EVENT_STATES.has(state)) return undefined;
  const { reason, detail, dueAt, route = null, duplicate } = message;
  const data = {
    id: message.id,
    application_id: message.applicationId,
    integration_id: message.integrationId,
    state,
    to: message.recipient,
    object_id: message.objectId,
    channel_ids: readPartIds(message.channelIds),
    ...(route !== null && { route }),
    ...(duplicate && { duplicate }),
    ...(state === 'scheduled' && dueAt && { send_at: timestamp(dueAt) }),
    error: reason === null ? null : { code: reason, detail },
    ...(isSandboxed(message) && { sandbox: true }),
  };
  return JSON.stringify(data);
}

/** A message is `scheduled` again if it was deferred. */
export const messageEventType = (state: MessageState): EventType =>
  state === 'scheduled' ? 'message.deferred' : (`message.${state}` as EventType);

/** The event for a message that entered this state, if any. */
export function messageEvents(
  message: MessageEventFields,
  state: MessageState,
  now: Millis,
): NewEvent[] {
  const data = messageData(message, state);
  if (data === undefined) return [];
  const { applicationId, trace } = message;
  const type = messageEventType(state);
  return [{ applicationId, type, data, media: null, createdAt: now, trace }];
}

/** A route of a message, in events. */
type RouteReference = Pick<MessageRoute, 'number' | 'integrationId' | 'recipient'>;

const routeReference = ({ number, integrationId, recipient }: RouteReference) => ({
  route: number,
  integration_id: integrationId,
  to: recipient,
});

/** The event for a message whose next route starts. */
export function rerouted(
  message: MessageEventFields,
  from: RouteReference & Pick<MessageRoute, 'because' | 'detail' | 'maybeSent'>,
  to: RouteReference,
  now: Millis,
): NewEvent {
  const { id, applicationId, objectId, trace } = message;
  const data = {
    id,
    application_id: applicationId,
    state: 'queued',
    ...routeReference(to),
    object_id: objectId,
    from: routeReference(from),
    because: { code: from.because, detail: from.detail },
    maybe_sent: from.maybeSent === 1,
    ...(isSandboxed(message) && { sandbox: true }),
  };
  const type = 'message.rerouted';
  return { applicationId, type, data: JSON.stringify(data), media: null, createdAt: now, trace };
}

/** Stored prefix of a media URL. It is replaced when the event is read, because the base URL may change. */
export const MEDIA = 'media:';

const FILE_MEMBER = new RegExp(`"url":"${MEDIA}(\\d+)"`, 'g');

/** The event as JSON. Activity-only consumers get `dataJson` instead. */
export function envelopeJson(event: Event, baseUrl: string): string {
  const { id, type, createdAt } = event;
  const head = JSON.stringify({ id, type, timestamp: new Date(createdAt).toISOString() });
  return `${head.slice(0, -1)},"data":${dataJson(event, baseUrl)}}`;
}

/**
 * The event data as JSON. An activity's id is the URL of its event. Events are numbered per application, so the URL of a
 * file includes the application: the URL can be forwarded, and must not match another application's file.
 */
export function dataJson({ id, type, data, media, applicationId }: Event, baseUrl: string): string {
  if (!ACTIVITY_EVENTS.has(type)) return data;
  const url = `${baseUrl}/1/events/${id}`;
  const withId = `{"id":${JSON.stringify(url)},${data.slice(1)}`;
  // Only a JSON member can match: within strings, quotes are escaped.
  if (media === null) return withId;
  return withId.replaceAll(
    FILE_MEMBER,
    (_, number: string) => `"url":"${url}/media/${number}?application=${applicationId}"`,
  );
}
