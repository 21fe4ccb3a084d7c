import type { MediaKind } from '../../lib/http/media-kind.ts';
import { integerMember, member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { NOTHING, ignored } from '../inbound.ts';
import { readPress } from './button-values.ts';

/*
 * Parses Viber's webhook requests. https://creators.viber.com/docs/bots-api/resources/callbacks
 * Message tokens are integers that exceed the precision of a number.
 */

/** The events to subscribe to; messages are always sent. */
export const EVENTS = ['delivered', 'seen', 'failed', 'subscribed', 'unsubscribed'];

/** Parses a webhook request; undefined when it is not Viber's. */
export function readViber(json: unknown) {
  const event = textMember(json, 'event');
  const token = integerMember(json, 'message_token');
  if (event === undefined || token === undefined) return undefined;
  const common = {
    key: `${event}:${token}`,
    ...omitUndefined({ at: numberMember(json, 'timestamp') }),
  };
  switch (event) {
    case 'message':
      return message(common, token, json);
    case 'delivered':
      return [{ what: 'receipt' as const, id: token, state: 'delivered' as const }];
    case 'seen':
      return [{ what: 'receipt' as const, id: token, state: 'read' as const }];
    case 'failed': {
      const detail = textMember(json, 'desc');
      return [
        {
          what: 'receipt' as const,
          id: token,
          state: 'failed' as const,
          ...omitUndefined({ detail }),
        },
      ];
    }
    case 'subscribed': {
      const from = partyOf(member(json, 'user'));
      return from ? [{ what: 'join' as const, ...common, from }] : ignored(event, 'incomplete');
    }
    case 'unsubscribed': {
      const id = textMember(json, 'user_id');
      if (id === undefined) return ignored(event, 'incomplete');
      return [{ what: 'leave' as const, ...common, from: { id } }];
    }
    // Viber tests the URL during registration.
    case 'webhook':
      return [NOTHING];
    default:
      return ignored(event, 'no_event');
  }
}

function partyOf(user: unknown) {
  const id = textMember(user, 'id');
  return id === undefined
    ? undefined
    : { id, ...omitUndefined({ name: textMember(user, 'name') }) };
}

function message(common: { key: string; at?: number }, id: string, json: unknown) {
  const from = partyOf(member(json, 'sender'));
  const content = contentOf(member(json, 'message'));
  const type = `message.${textMember(json, 'message', 'type') ?? ''}`;
  if (!from) return ignored(type, 'incomplete');
  if (!content) return ignored(type, 'no_content');
  return [{ what: 'message' as const, ...common, id, from, ...content }];
}

const KINDS: Readonly<Record<string, MediaKind>> = {
  picture: 'Image',
  sticker: 'Image',
  video: 'Video',
  file: 'Document',
};

function contentOf(payload: unknown) {
  const type = textMember(payload, 'type') ?? '';
  const [text, url] = [textMember(payload, 'text'), textMember(payload, 'media')];
  if (type === 'text') {
    const button = readPress(text, textMember(payload, 'tracking_data'));
    return button ? { button } : text === undefined ? undefined : { text };
  }
  if (type === 'url') return url === undefined ? undefined : { text: url };
  if (type === 'contact') return contactOf(member(payload, 'contact'));
  if (type === 'location') return placeOf(member(payload, 'location'));
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (kind === undefined || url === undefined) return undefined;
  const [name, caption] = [textMember(payload, 'file_name'), text === '' ? undefined : text];
  return { media: [{ type: kind, reference: url, ...omitUndefined({ name, caption }) }] };
}

function contactOf(contact: unknown) {
  const parts = [textMember(contact, 'name'), textMember(contact, 'phone_number')];
  const text = parts.filter((each) => each !== undefined && each !== '').join(' ');
  return text === '' ? undefined : { text };
}

/** The coordinates may be strings. */
function placeOf(location: unknown) {
  const [latitude, longitude] = ['lat', 'lon'].map((name) => {
    const given = member(location, name);
    return typeof given === 'number' || typeof given === 'string' ? Number(given) : Number.NaN;
  });
  if (latitude === undefined || longitude === undefined) return undefined;
  const isPlace = Number.isFinite(latitude) && Number.isFinite(longitude);
  return isPlace ? { place: { latitude, longitude } } : undefined;
}
