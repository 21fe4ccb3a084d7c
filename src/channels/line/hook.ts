import type { MediaKind } from '../../lib/http/media-kind.ts';
import { listMember, member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { NOTHING, ignored } from '../inbound.ts';
import { readPress } from './actions.ts';

/* Parses LINE's webhook requests. https://developers.line.biz/en/reference/messaging-api/#webhook-event-objects */

/** Parses the events of a request; undefined when it has none. A verification request has an empty list. */
export function readLine(json: unknown) {
  if (!Array.isArray(member(json, 'events'))) return undefined;
  const events = listMember(json, 'events');
  return events.length === 0 ? [NOTHING] : events.flatMap<LineEvent>(readEvent);
}

type LineEvent = ReturnType<typeof readEvent>[number];

function readEvent(event: unknown) {
  const key = textMember(event, 'webhookEventId');
  const who = partiesOf(member(event, 'source'));
  const type = textMember(event, 'type') ?? '';
  if (key === undefined || !who) return ignored(type, 'incomplete');
  const common = { key, ...omitUndefined({ at: numberMember(event, 'timestamp') }), ...who };
  switch (type) {
    case 'message':
      return message(common, member(event, 'message'));
    case 'postback': {
      const data = textMember(event, 'postback', 'data');
      if (data === undefined) return ignored(type, 'incomplete');
      return [{ what: 'message' as const, ...common, button: readPress(data) }];
    }
    case 'unsend': {
      const id = textMember(event, 'unsend', 'messageId');
      if (id === undefined) return ignored(type, 'incomplete');
      return [{ what: 'deletion' as const, ...common, id }];
    }
    // The account itself joined a group: LINE does not say who added it.
    case 'follow':
    case 'join':
      return [{ what: 'join' as const, ...common }];
    case 'unfollow':
    case 'leave':
      return [{ what: 'leave' as const, ...common }];
    case 'memberJoined':
      return members('join', common, listMember(event, 'joined', 'members'));
    case 'memberLeft':
      return members('leave', common, listMember(event, 'left', 'members'));
    default:
      return ignored(type, 'no_event');
  }
}

interface CommonFields {
  key: string;
  at?: number;
  from: { id: string };
  group?: { id: string };
}

/** The person and the conversation of an event. LINE withholds the ids of group members who have not consented. */
function partiesOf(source: unknown) {
  const group = textMember(source, 'groupId') ?? textMember(source, 'roomId');
  const person = textMember(source, 'userId') ?? group;
  if (person === undefined) return undefined;
  return {
    from: { id: person },
    ...omitUndefined({ group: group === undefined ? group : { id: group } }),
  };
}

function members(what: 'join' | 'leave', common: CommonFields, people: readonly unknown[]) {
  const ids = people.flatMap((one) => textMember(one, 'userId') ?? []);
  if (ids.length === 0) return ignored(`member.${what}`, 'incomplete');
  return ids.flatMap((id) => [{ ...common, what, key: `${common.key}:${id}`, from: { id } }]);
}

function message(common: CommonFields, payload: unknown) {
  const id = textMember(payload, 'id');
  const content = contentOf(payload, id);
  const type = `message.${textMember(payload, 'type') ?? ''}`;
  if (id === undefined) return ignored(type, 'incomplete');
  if (!content) return ignored(type, 'no_content');
  // Quoting requires a token; like our own ids, this one has it after a colon.
  const quote = textMember(payload, 'quoteToken');
  const replyTo = textMember(payload, 'quotedMessageId');
  return [
    {
      what: 'message' as const,
      ...common,
      id: quote === undefined ? id : `${id}:${quote}`,
      ...content,
      ...omitUndefined({ replyTo }),
    },
  ];
}

const KINDS: Readonly<Record<string, MediaKind>> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  file: 'Document',
};

function contentOf(payload: unknown, id: string | undefined) {
  const type = textMember(payload, 'type') ?? '';
  const text = textMember(payload, 'text');
  if (type === 'text') return text === undefined ? undefined : { text };
  // The text on a sticker, or a keyword for it.
  const [keyword] = listMember(payload, 'keywords');
  if (type === 'sticker') return { text: text ?? (typeof keyword === 'string' ? keyword : '') };
  if (type === 'location') return placeOf(payload);
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (kind === undefined || id === undefined) return undefined;
  // Files that a page inside the LINE app sent are at URLs of its own.
  const elsewhere = textMember(payload, 'contentProvider', 'originalContentUrl');
  const name = textMember(payload, 'fileName');
  return {
    media: [{ type: kind, reference: elsewhere ?? `${type}:${id}`, ...omitUndefined({ name }) }],
  };
}

function placeOf(payload: unknown) {
  const [latitude, longitude] = [
    numberMember(payload, 'latitude'),
    numberMember(payload, 'longitude'),
  ];
  if (latitude === undefined || longitude === undefined) return undefined;
  const name = textMember(payload, 'title') ?? textMember(payload, 'address');
  return { place: { latitude, longitude, ...omitUndefined({ name }) } };
}
