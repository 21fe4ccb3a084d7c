import type {
  InboundEvent,
  Membership,
  Consent,
  ContactChange,
  Deletion,
  ReceivedMessage,
  ReceivedMedia,
  Party,
  Unreadable,
} from '../channels/inbound.ts';
import { sanitizeHtml } from '../lib/rich-text/sanitize-html.ts';
import { storable } from '../lib/text/storable.ts';
import { ACTIVITY_STREAMS, PRESS } from '../model/activity.ts';
import { type EventType, MEDIA, type MediaReference, type NewEvent } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Integration } from '../model/integration.ts';
import { type Millis, timestamp } from '../model/timestamp.ts';

/** The integration that received the event. */
export type Receiver = Pick<Integration, 'id' | 'applicationId' | 'name' | 'mode'>;

type PersonEvent = ReceivedMessage | Deletion | Membership;

const TYPES = {
  message: ['Create', 'message.received'],
  edit: ['Update', 'message.edited'],
  deletion: ['Delete', 'message.deleted'],
  join: ['Join', 'member.joined'],
  leave: ['Leave', 'member.left'],
} as const satisfies Record<PersonEvent['what'], readonly [string, EventType]>;

/** Longer texts are truncated. */
const MAX_TEXT_LENGTH = 200_000;

type EmittedEvent = PersonEvent | Unreadable | ContactChange | Consent;

/** Builds the feed event of an inbound event. */
export async function eventOf(
  inboundEvent: EmittedEvent,
  receiver: Receiver,
  now: Millis,
  contacts: ReadonlyMap<Party, Id> = new Map(),
): Promise<NewEvent> {
  switch (inboundEvent.what) {
    case 'unreadable':
      return unreadableEvent(inboundEvent, receiver, now);
    case 'contact':
      return contactEvent('contact.changed', inboundEvent, receiver, now);
    case 'opt-out':
      return contactEvent('contact.opted_out', inboundEvent, receiver, now);
    case 'opt-in':
      return contactEvent('contact.opted_in', inboundEvent, receiver, now);
    default:
      return activityEvent(inboundEvent, receiver, now, contacts.get(inboundEvent.from));
  }
}

/** A change of a contact, without a message from them. */
function contactEvent(
  type: EventType,
  inboundEvent: ContactChange | Consent,
  { id: integrationId, applicationId, name, mode }: Receiver,
  now: Millis,
): NewEvent {
  const data = {
    application_id: applicationId,
    integration_id: integrationId,
    channel: name,
    ...inSandbox(mode),
    ...(inboundEvent.what === 'contact'
      ? { previous: personOf(inboundEvent.from), current: personOf(inboundEvent.to) }
      : { contact: personOf(inboundEvent.from), category: inboundEvent.category }),
    at: timestamp(inboundEvent.at ?? now),
  };
  return {
    applicationId,
    type,
    data: JSON.stringify(data, storableText),
    media: null,
    createdAt: now,
  };
}

/** A person with all addresses that the channel reports. */
function personOf({ id, name, otherAddresses = [] }: Party): object {
  return {
    type: 'Person',
    id,
    ...named(name),
    ...(otherAddresses.length > 0 && { alsoKnownAs: otherAddresses }),
  };
}

function unreadableEvent(
  { reason, sender, id, at }: Unreadable,
  receiver: Receiver,
  now: Millis,
): NewEvent {
  const { id: integrationId, applicationId, name, mode } = receiver;
  const data = {
    application_id: applicationId,
    integration_id: integrationId,
    channel: name,
    ...inSandbox(mode),
    reason,
    sender: sender ?? null,
    message_id: id ?? null,
    received_at: timestamp(at ?? now),
  };
  return {
    applicationId,
    type: 'message.unreadable',
    data: JSON.stringify(data, storableText),
    media: null,
    createdAt: now,
  };
}

/**
 * A person's message or action as an Activity Streams activity. Replies go to its actor, which in a shared
 * room is the room; the person is then in the object.
 */
async function activityEvent(
  inboundEvent: PersonEvent,
  { id: integrationId, applicationId, name, mode }: Receiver,
  now: Millis,
  contactId: Id | undefined,
): Promise<NewEvent> {
  const { from, group, answerTo = group?.id ?? from.id, what } = inboundEvent;
  const [verb, type] = TYPES[what];
  const media: MediaReference[] = [];
  const refer = (file: ReceivedMedia): string => {
    const { reference, mediaType, name: fileName } = file;
    const details = { ...(mediaType && { mediaType }), ...(fileName && { name: fileName }) };
    media.push({ integrationId, reference, ...details });
    return `${MEDIA}${media.length - 1}`;
  };
  const integration = { id: String(integrationId), name };
  const activity = {
    '@context': ACTIVITY_STREAMS,
    type: verb,
    published: Math.floor((inboundEvent.at ?? now) / 1000),
    generator: { type: 'Service', ...integration },
    actor:
      answerTo === from.id ? personOf(from) : { type: 'Person', id: answerTo, ...named(from.name) },
    target: group
      ? { type: 'Group', id: group.id, ...named(group.name) }
      : { type: 'Application', ...integration },
    object: await objectOf(inboundEvent, answerTo, refer),
    ...(contactId !== undefined && { contact_id: contactId }),
    ...inSandbox(mode),
  };
  const data = JSON.stringify(activity, storableText);
  const references = media.length > 0 ? JSON.stringify(media) : null;
  return { applicationId, type, data, media: references, createdAt: now };
}

/** Marks an event of a simulated vendor. */
const inSandbox = (mode: Receiver['mode']) => (mode === 'sandbox' ? { sandbox: true } : {});

const named = (name: string | undefined) => (name === undefined ? {} : { name });

/** JSON.stringify replacer for events. */
function storableText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value.slice(0, MAX_TEXT_LENGTH)) : value;
}

async function objectOf(
  inboundEvent: PersonEvent,
  answerTo: string,
  refer: (file: ReceivedMedia) => string,
): Promise<object> {
  const { from } = inboundEvent;
  // The person: needed in shared rooms, and wherever `actor` is the address for replies.
  const author = personOf(from);
  const isPrivate = answerTo === from.id && inboundEvent.group === undefined;
  const attributed = isPrivate ? {} : { attributedTo: author };
  switch (inboundEvent.what) {
    case 'join':
    case 'leave':
      return author;
    case 'deletion':
      return { type: 'Tombstone', id: inboundEvent.id, ...attributed };
    case 'message':
    case 'edit':
      return { ...(inboundEvent.object ?? (await contentOf(inboundEvent, refer))), ...attributed };
  }
}

/** A single file or place is the object itself; anything more is a note with attachments. */
async function contentOf(
  received: ReceivedMessage,
  refer: (file: ReceivedMedia) => string,
): Promise<object> {
  const { title, text, mediaType, media = [], place, button, replyTo, thread } = received;
  const id = received.id ?? (button && `${PRESS}${received.key}`);
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
    ...(await contentFields(content ?? '', mediaType)),
    ...(attachment.length > 0 && { attachment }),
  };
}

/** HTML is sanitized, so that it is safe to show on a page; `source` has the original. */
async function contentFields(
  content: string,
  mediaType: ReceivedMessage['mediaType'],
): Promise<object> {
  if (mediaType === undefined) return { content };
  if (mediaType !== 'text/html') return { content, mediaType };
  const source = { content, mediaType };
  return {
    content: await sanitizeHtml(content.slice(0, MAX_TEXT_LENGTH), MAX_TEXT_LENGTH),
    mediaType,
    source,
  };
}

function fileOf(file: ReceivedMedia, refer: (file: ReceivedMedia) => string): object {
  const { type, mediaType, name, caption } = file;
  return {
    type,
    url: refer(file),
    ...(mediaType !== undefined && { mediaType }),
    ...named(name),
    ...(caption !== undefined && { content: caption }),
  };
}

const NOT_EMITTED: ReadonlySet<InboundEvent['what']> = new Set([
  'receipt',
  'receipts',
  'ignored',
  'nothing',
]);

/** Whether the inbound event belongs in the feed; otherwise it is a delivery report, or ignored. */
export function isEmitted(inboundEvent: InboundEvent): inboundEvent is EmittedEvent {
  return !NOT_EMITTED.has(inboundEvent.what);
}
