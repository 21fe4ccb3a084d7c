import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, member, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { escapeMarkdown } from '../../lib/rich-text/writers.ts';
import { type InboundEvent, ignored } from '../inbound.ts';

/*
 * Webhook requests of Nextcloud Talk: Activity Streams.
 * https://nextcloud-talk.readthedocs.io/en/latest/bots/#receiving-chat-messages
 * A `Create` is a text, an `Activity` a shared file or object, or a system message. Edits and deletions are system
 * messages that do not say which message they concern.
 */

/** The names of activities with content; all others are system messages. */
const SHARED = new Set(['', 'message', 'file_shared', 'object_shared', 'voice-message']);

/** Parses a webhook request; undefined when it is not Talk's. */
export function readNextcloudTalk(json: unknown): readonly InboundEvent[] | undefined {
  const type = textMember(json, 'type');
  if (type === undefined || member(json, 'actor') === undefined) return undefined;
  if (type !== 'Create' && type !== 'Activity') return ignored(type, 'no_event');
  const name = textMember(json, 'object', 'name') ?? '';
  if (type === 'Activity' && !SHARED.has(name)) return ignored(name, 'no_event');
  const from = textMember(json, 'actor', 'id');
  const id = textMember(json, 'object', 'id');
  const room = textMember(json, 'target', 'id');
  const isRoom = room !== undefined && /^[a-z0-9]{4,30}$/.test(room);
  if (!from || !id || !isRoom) return ignored(type, 'incomplete');
  if (from.startsWith('bots/')) return ignored(type, 'bot');
  const isMarkdown = textMember(json, 'object', 'mediaType') === 'text/markdown';
  const content = jsonBody(textMember(json, 'object', 'content'));
  const text = textOf(content, isMarkdown);
  const place = placeOf(content);
  if (text === undefined) return ignored(type, 'incomplete');
  const at = Date.parse(textMember(json, 'published') ?? '');
  return [
    {
      what: 'message',
      key: id,
      id,
      from: {
        id: from,
        ...omitUndefined({ name: textMember(json, 'actor', 'name') || undefined }),
      },
      // A user is not an address.
      answerTo: room,
      group: {
        id: room,
        ...omitUndefined({ name: textMember(json, 'target', 'name') || undefined }),
      },
      // The text of a place is its name.
      ...(place ? { place } : { text, ...(isMarkdown && { mediaType: 'text/markdown' as const }) }),
      ...omitUndefined({
        at: Number.isNaN(at) ? undefined : at,
        replyTo: textMember(json, 'object', 'inReplyTo', 'object', 'id'),
        thread: integerMember(json, 'object', 'threadId'),
      }),
    },
  ];
}

/** The text with its placeholders filled in. Files are links: a bot has no access to them. */
function textOf(content: unknown, isMarkdown: boolean): string | undefined {
  const message = textMember(content, 'message');
  if (message === undefined) return undefined;
  const used = new Set<string>();
  const text = message.replaceAll(/\{([\w.-]{1,100})\}/g, (written, key: string) => {
    const parameter = member(content, 'parameters', key);
    if (parameter === undefined) return written;
    used.add(key);
    return nameOf(parameter, isMarkdown);
  });
  // A message with a caption has no placeholder for its file.
  const file = used.has('file') ? undefined : member(content, 'parameters', 'file');
  return file === undefined ? text : `${text}\n${nameOf(file, isMarkdown)}`;
}

const PEOPLE = new Set([
  'user',
  'guest',
  'call',
  'user-group',
  'circle',
  'email',
  'federated_user',
]);

/** A mentioned name, or the name and URL of a file or another object. */
function nameOf(parameter: unknown, isMarkdown: boolean): string {
  const plain = textMember(parameter, 'name') ?? '';
  const name = isMarkdown ? escapeMarkdown(plain) : plain;
  if (PEOPLE.has(textMember(parameter, 'type') ?? '')) return `@${name}`;
  const link = textMember(parameter, 'link');
  if (link === undefined || !/^https?:\/\/[^\s<>]+$/.test(link)) return name;
  return isMarkdown ? `[${name}](<${link}>)` : `${name}: ${link}`;
}

function placeOf(content: unknown) {
  const object = member(content, 'parameters', 'object');
  if (textMember(object, 'type') !== 'geo-location') return undefined;
  const [latitude, longitude] = ['latitude', 'longitude'].map((key) => {
    const degrees = textMember(object, key) ?? '';
    return /^-?\d{1,3}(?:\.\d{1,20})?$/.test(degrees) ? Number(degrees) : undefined;
  });
  if (latitude === undefined || longitude === undefined) return undefined;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined;
  return { latitude, longitude, ...omitUndefined({ name: textMember(object, 'name') }) };
}
