import type {
  Arrival,
  Coming,
  Consent,
  ContactChange,
  Deletion,
  Heard,
  HeardMedia,
  Party,
  Unreadable,
} from '../channels/inbound.ts';
import { sanitizeHtml } from '../lib/rich-text/sanitize-html.ts';
import { storable } from '../lib/text/storable.ts';
import { ACTIVITY_STREAMS, PRESS } from '../model/activity.ts';
import { type EventType, MEDIA, type MediaReference, type NewEvent } from '../model/event.ts';
import type { Integration } from '../model/integration.ts';
import { type Millis, timestamp } from '../model/timestamp.ts';

/** The integration that received it. */
export type Hearing = Pick<Integration, 'id' | 'applicationId' | 'name'>;

type Said = Heard | Deletion | Coming;

const TYPES = {
  message: ['Create', 'message.received'],
  edit: ['Update', 'message.edited'],
  deletion: ['Delete', 'message.deleted'],
  join: ['Join', 'member.joined'],
  leave: ['Leave', 'member.left'],
} as const satisfies Record<Said['what'], readonly [string, EventType]>;

/** Longer texts are truncated. */
const MOST_TEXT = 200_000;

type ToldOf = Said | Unreadable | ContactChange | Consent;

/** Builds the feed event of an arrival. */
export function eventOf(arrival: ToldOf, hearing: Hearing, now: Millis): NewEvent {
  switch (arrival.what) {
    case 'unreadable':
      return unreadableEvent(arrival, hearing, now);
    case 'contact':
      return contactEvent('contact.changed', arrival, hearing, now);
    case 'opt-out':
      return contactEvent('contact.opted_out', arrival, hearing, now);
    case 'opt-in':
      return contactEvent('contact.opted_in', arrival, hearing, now);
    default:
      return activityEvent(arrival, hearing, now);
  }
}

/** A report about a person who did not write. */
function contactEvent(
  type: EventType,
  arrival: ContactChange | Consent,
  { id: integrationId, applicationId, name }: Hearing,
  now: Millis,
): NewEvent {
  const data = {
    application_id: applicationId,
    integration_id: integrationId,
    channel: name,
    ...(arrival.what === 'contact'
      ? { previous: personOf(arrival.from), current: personOf(arrival.to) }
      : { contact: personOf(arrival.from), category: arrival.category }),
    at: timestamp(arrival.at ?? now),
  };
  return { applicationId, type, data: JSON.stringify(data, told), media: null, createdAt: now };
}

/** A person with all addresses that the channel reports. */
function personOf({ id, name, also = [] }: Party): object {
  return { type: 'Person', id, ...named(name), ...(also.length > 0 && { alsoKnownAs: also }) };
}

function unreadableEvent(
  { reason, sender, id, at }: Unreadable,
  hearing: Hearing,
  now: Millis,
): NewEvent {
  const { id: integrationId, applicationId, name } = hearing;
  const data = {
    application_id: applicationId,
    integration_id: integrationId,
    channel: name,
    reason,
    sender: sender ?? null,
    message_id: id ?? null,
    received_at: timestamp(at ?? now),
  };
  return {
    applicationId,
    type: 'message.unreadable',
    data: JSON.stringify(data, told),
    media: null,
    createdAt: now,
  };
}

/**
 * A person's message or action as an Activity Streams activity. A reply goes to its actor, which in a shared room is the
 * room; the person is then in the object.
 */
function activityEvent(
  arrival: Said,
  { id: integrationId, applicationId, name }: Hearing,
  now: Millis,
): NewEvent {
  const { from, group, answerTo = group?.id ?? from.id, what } = arrival;
  const [verb, type] = TYPES[what];
  const media: MediaReference[] = [];
  const refer = (file: HeardMedia): string => {
    const { reference, mediaType, name: fileName } = file;
    const known = { ...(mediaType && { mediaType }), ...(fileName && { name: fileName }) };
    media.push({ integrationId, reference, ...known });
    return `${MEDIA}${media.length - 1}`;
  };
  const integration = { id: String(integrationId), name };
  const activity = {
    '@context': ACTIVITY_STREAMS,
    type: verb,
    published: Math.floor((arrival.at ?? now) / 1000),
    generator: { type: 'Service', ...integration },
    actor:
      answerTo === from.id ? personOf(from) : { type: 'Person', id: answerTo, ...named(from.name) },
    target: group
      ? { type: 'Group', id: group.id, ...named(group.name) }
      : { type: 'Application', ...integration },
    object: objectOf(arrival, answerTo, refer),
  };
  const data = JSON.stringify(activity, told);
  const references = media.length > 0 ? JSON.stringify(media) : null;
  return { applicationId, type, data, media: references, createdAt: now };
}

const named = (name: string | undefined) => (name === undefined ? {} : { name });

/** JSON.stringify replacer for events. */
function told(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value.slice(0, MOST_TEXT)) : value;
}

function objectOf(arrival: Said, answerTo: string, refer: (file: HeardMedia) => string): object {
  const { from } = arrival;
  // The person: needed in shared rooms, and wherever `actor` is the address for replies.
  const author = personOf(from);
  const isPrivate = answerTo === from.id && arrival.group === undefined;
  const attributed = isPrivate ? {} : { attributedTo: author };
  switch (arrival.what) {
    case 'join':
    case 'leave':
      return author;
    case 'deletion':
      return { type: 'Tombstone', id: arrival.id, ...attributed };
    case 'message':
    case 'edit':
      return { ...(arrival.object ?? contentOf(arrival, refer)), ...attributed };
  }
}

/** A single file or place is the object itself; anything more is a note with attachments. */
function contentOf(heard: Heard, refer: (file: HeardMedia) => string): object {
  const { title, text, mediaType, media = [], place, button, replyTo, thread } = heard;
  const id = heard.id ?? (button && `${PRESS}${heard.key}`);
  const common = {
    ...(id !== undefined && { id }),
    ...(replyTo !== undefined && { inReplyTo: replyTo }),
    ...(thread !== undefined && { context: { type: 'Object', content: thread } }),
  };
  const files = media.map((file) => fileOf(file, refer));
  const places = place ? [{ type: 'Place', ...place }] : [];
  const buttons = button ? [{ type: 'Button', ...button }] : [];
  const attachment = [...files, ...places, ...buttons];
  const [only] = attachment;
  const content = text ?? button?.name;
  const isBare = content === undefined && title === undefined;
  if (only && attachment.length === 1 && !button && isBare) {
    return { ...only, ...common };
  }
  return {
    type: 'Note',
    ...common,
    ...named(title),
    ...writtenAs(content ?? '', mediaType),
    ...(attachment.length > 0 && { attachment }),
  };
}

/** HTML can be put on a page as it is told; what it was is its `source`. */
function writtenAs(content: string, mediaType: Heard['mediaType']): object {
  if (mediaType === undefined) return { content };
  if (mediaType !== 'text/html') return { content, mediaType };
  const source = { content, mediaType };
  return { content: sanitizeHtml(content.slice(0, MOST_TEXT), MOST_TEXT), mediaType, source };
}

function fileOf(file: HeardMedia, refer: (file: HeardMedia) => string): object {
  const { type, mediaType, name, caption } = file;
  return {
    type,
    url: refer(file),
    ...(mediaType !== undefined && { mediaType }),
    ...named(name),
    ...(caption !== undefined && { content: caption }),
  };
}

const UNTOLD: ReadonlySet<Arrival['what']> = new Set(['receipt', 'receipts', 'ignored', 'nothing']);

/** Whether the arrival belongs in the feed; otherwise it is a delivery report, or ignored. */
export function isTold(arrival: Arrival): arrival is ToldOf {
  return !UNTOLD.has(arrival.what);
}
