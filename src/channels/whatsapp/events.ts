import {
  integerMember,
  listMember,
  member,
  numberMember,
  textMember,
} from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import type { ReportedCost } from '../../model/sending/cost.ts';
import { type InboundEvent, NOTHING, type Party, ignored } from '../inbound.ts';
import type { OpenedWindow } from '../window.ts';
import { readPreference, readSystem, readUserId, writerOf } from './contacts.ts';

/*
 * Parses WhatsApp's webhook requests.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages
 * Groups: https://developers.facebook.com/documentation/business-messaging/whatsapp/groups/groups-messaging, as of 21
 * May 2026
 */

/** Parses a webhook request for the number with that id; undefined when it is malformed. */
export function readWhatsApp(
  json: unknown,
  number: string | undefined,
): InboundEvent[] | undefined {
  if (textMember(json, 'object') === undefined) return undefined;
  const changes = listMember(json, 'entry').flatMap((entry) => listMember(entry, 'changes'));
  return changes.flatMap((change) => readChange(change, number));
}

function readChange(change: unknown, number: string | undefined): InboundEvent[] {
  const value = member(change, 'value');
  const field = textMember(change, 'field') ?? '';
  // An app has one webhook for all its numbers.
  const numberId = textMember(value, 'metadata', 'phone_number_id');
  if (numberId !== undefined && numberId !== number) return ignored(field, 'elsewhere');
  const contacts = listMember(value, 'contacts');
  switch (numberId === undefined ? '' : field) {
    case 'messages':
      return [
        ...listMember(value, 'messages').flatMap((each) => readMessage(each, contacts)),
        ...listMember(value, 'statuses').flatMap((each) => readStatus(each)),
        ...listMember(value, 'errors').flatMap(() => ignored('errors', 'no_event')),
      ];
    case 'user_id_update':
      return listMember(value, field).flatMap((each) => readUserId(each, momentOf(each)));
    case 'user_preferences':
      return listMember(value, field).flatMap((each) =>
        readPreference(each, contacts, momentOf(each)),
      );
    default:
      return ignored(field, 'no_event');
  }
}

/** User actions other than messages. */
const NO_EVENT = new Set(['reaction', 'request_welcome']);

const HOUR_MS = 3_600_000;

/**
 * A person who comes from an ad or a button on a page can be written to for 72 hours, if they were answered within 24.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/pricing#free-entry-point-windows
 */
const ENTRY_POINT = { forMs: 24 * HOUR_MS, perhapsForMs: 72 * HOUR_MS };

function readMessage(message: unknown, contacts: readonly unknown[]): InboundEvent[] {
  const id = textMember(message, 'id');
  const type = textMember(message, 'type') ?? '';
  if (id === undefined) return ignored(`messages.${type}`, 'incomplete');
  const at = momentOf(message);
  if (type === 'system') return readSystem(message, id, at);
  const from = writerOf(message, contacts);
  if (!from) return ignored(`messages.${type}`, 'incomplete');
  if (NO_EVENT.has(type)) return ignored(`messages.${type}`, 'no_event');
  const group = textMember(message, 'group_id');
  const common = {
    key: id,
    from,
    ...omitUndefined({ at, group: group === undefined ? group : { id: group } }),
    ...(member(message, 'referral') !== undefined && { opens: ENTRY_POINT }),
  };
  const original = textMember(message, 'revoke', 'original_message_id');
  if (original !== undefined) return [{ what: 'deletion', ...common, id: original }];
  const edit = member(message, 'edit');
  const editedId = textMember(edit, 'original_message_id');
  if (editedId !== undefined)
    return messageEvent('edit', common, editedId, member(edit, 'message'));
  return messageEvent('message', common, id, message);
}

interface CommonFields {
  key: string;
  from: Party;
  at?: number;
  group?: Party;
  opens?: OpenedWindow;
}

function messageEvent(
  what: 'message' | 'edit',
  common: CommonFields,
  id: string,
  message: unknown,
): InboundEvent[] {
  const type = textMember(message, 'type') ?? '';
  const content = contentOf(type, member(message, type));
  if (Object.keys(content).length === 0) {
    // Content that Meta does not disclose, or that we do not support: polls, orders, future types.
    const { key, from, at } = common;
    return [
      {
        what: 'unreadable',
        key,
        reason: 'unsupported',
        sender: from.id,
        id,
        ...omitUndefined({ at }),
      },
    ];
  }
  const replyTo = textMember(message, 'context', 'id');
  return [{ what, ...common, id, ...content, ...omitUndefined({ replyTo }) }];
}

function momentOf(message: unknown): number | undefined {
  const timestamp = textMember(message, 'timestamp') ?? integerMember(message, 'timestamp');
  const seconds = Number(timestamp ?? Number.NaN);
  return Number.isSafeInteger(seconds) ? seconds * 1000 : undefined;
}

const MEDIA: Readonly<Record<string, 'Image' | 'Video' | 'Audio' | 'Document'>> = {
  image: 'Image',
  sticker: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
};

function contentOf(type: string, content: unknown) {
  const kind = Object.hasOwn(MEDIA, type) ? MEDIA[type] : undefined;
  return omitUndefined({
    text: type === 'text' ? textMember(content, 'body') : contactsIn(type, content),
    media: kind && mediaIn(kind, content),
    place: type === 'location' ? placeIn(content) : undefined,
    button: buttonIn(type, content),
  });
}

function mediaIn(type: 'Image' | 'Video' | 'Audio' | 'Document', content: unknown) {
  const reference = textMember(content, 'id');
  if (reference === undefined) return undefined;
  const [mediaType, name, caption] = ['mime_type', 'filename', 'caption'].map((key) =>
    textMember(content, key),
  );
  return [{ type, reference, ...omitUndefined({ mediaType, name, caption }) }];
}

function placeIn(content: unknown) {
  const [latitude, longitude] = ['latitude', 'longitude'].map((key) => numberMember(content, key));
  if (latitude === undefined || longitude === undefined) return undefined;
  return { latitude, longitude, ...omitUndefined({ name: textMember(content, 'name') }) };
}

/** A reply to our buttons or list, or to those of a template. */
function buttonIn(type: string, content: unknown) {
  const reply = member(content, 'button_reply') ?? member(content, 'list_reply');
  const [name, value] =
    type === 'button'
      ? [textMember(content, 'text'), textMember(content, 'payload')]
      : [textMember(reply, 'title'), textMember(reply, 'id')];
  return name === undefined ? undefined : { name, ...omitUndefined({ value }) };
}

/** One line per contact. */
function contactsIn(type: string, content: unknown): string | undefined {
  if (type !== 'contacts' || !Array.isArray(content)) return undefined;
  const lines = content.map((contact) => {
    const phones = listMember(contact, 'phones').map((each) => textMember(each, 'phone'));
    return [textMember(contact, 'name', 'formatted_name'), ...phones].filter(Boolean).join(' ');
  });
  return lines.filter(Boolean).join('\n') || undefined;
}

/** Meta reports the category, but no amount. */
function costOf(status: unknown): { cost?: ReportedCost } {
  const category = textMember(status, 'pricing', 'category');
  if (category === undefined) return {};
  const billable = member(status, 'pricing', 'billable');
  return { cost: { category, ...(typeof billable === 'boolean' && { billable }) } };
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/status */
function readStatus(status: unknown): InboundEvent[] {
  const [id, state] = [textMember(status, 'id'), textMember(status, 'status')];
  const what = 'receipt' as const;
  if (id === undefined) return ignored('statuses', 'incomplete');
  if (state === 'delivered' || state === 'read') return [{ what, id, state, ...costOf(status) }];
  if (state === 'sent') return [NOTHING];
  if (state !== 'failed') return ignored(`statuses.${state ?? ''}`, 'no_event');
  const [error] = listMember(status, 'errors');
  const paths = [['error_data', 'details'], ['message'], ['title']];
  const [detail] = paths.flatMap((path) => textMember(error, ...path) ?? []);
  return [{ what, id, state, ...omitUndefined({ detail, code: integerMember(error, 'code') }) }];
}
