import type { MediaKind } from '../../lib/http/media-kind.ts';
import { integerMember, member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { type Ignored, ignored } from '../inbound.ts';
import { isAddress, isEvent, parseMxc, writeId } from './ids.ts';

/* Parses the events of a room. https://spec.matrix.org/latest/client-server-api/#room-event-format */

interface CommonFields {
  key: string;
  at?: number;
  from: { id: string; name?: string };
  answerTo?: string;
  group?: { id: string };
}

export type MatrixUserEvent =
  | ({
      what: 'message' | 'edit';
      id: string;
      text?: string;
      mediaType?: 'text/html';
      media?: readonly MatrixFile[];
      place?: { latitude: number; longitude: number; name?: string };
      replyTo?: string;
      thread?: string;
    } & CommonFields)
  | ({ what: 'deletion'; id: string } & CommonFields)
  | ({ what: 'join' | 'leave' } & CommonFields);

interface MatrixFile {
  type: MediaKind;
  reference: string;
  mediaType?: string;
  name?: string;
  caption?: string;
}

/** The room of an event, as the bot sees it. */
export interface MatrixScene {
  room: string;
  /** The bot's own user id. */
  self: string;
  /** The display names in the room, by user id. */
  names: ReadonlyMap<string, string>;
  /** Whether it is a direct room; `secondary` if it is, but messages to the user are sent to another direct room. */
  direct: 'no' | 'primary' | 'secondary';
}

/** Parses an event, or returns why it is ignored. */
export function readEvent(event: unknown, scene: MatrixScene): MatrixUserEvent | Ignored {
  const type = textMember(event, 'type') ?? '';
  const kind =
    type === 'm.room.message' ? `${type} ${textMember(event, 'content', 'msgtype') ?? ''}` : type;
  const [ignoredEvent] = ignored(kind, reasonFor(event, scene));
  return readUserEvent(event, scene) ?? ignoredEvent;
}

/** Types with content. Encrypted events need keys that our session lacks, so their content cannot be read. */
const TYPES_WITH_CONTENT = new Set(['m.room.encrypted', 'm.room.message', 'm.sticker']);

function reasonFor(event: unknown, { self }: MatrixScene): Ignored['reason'] {
  const type = textMember(event, 'type');
  if (type === 'm.room.member') {
    return textMember(event, 'state_key') === self ? 'own' : 'no_change';
  }
  if (textMember(event, 'sender') === self) return 'own';
  if (type === 'm.room.redaction') return 'incomplete';
  // https://spec.matrix.org/latest/client-server-api/#mnotice: sent by programs, and must not be answered.
  if (textMember(event, 'content', 'msgtype') === 'm.notice') return 'bot';
  return TYPES_WITH_CONTENT.has(type ?? '') ? 'no_content' : 'no_event';
}

function readUserEvent(event: unknown, scene: MatrixScene): MatrixUserEvent | undefined {
  const type = textMember(event, 'type');
  const sender = textMember(event, 'sender') ?? '';
  const id = textMember(event, 'event_id') ?? '';
  if (!isEvent(id) || !isAddress(sender)) return undefined;
  if (type === 'm.room.member') return membershipIn(event, id, scene);
  if (sender === scene.self) return undefined;
  const common = { key: id, ...timeOf(event), ...partiesOf(scene, sender) };
  if (type === 'm.room.redaction') {
    // Room version 11 moved `redacts` into the content.
    const redacted = textMember(event, 'redacts') ?? textMember(event, 'content', 'redacts') ?? '';
    return isEvent(redacted)
      ? { what: 'deletion', ...common, id: writeId(scene.room, redacted) }
      : undefined;
  }
  const content = member(event, 'content');
  if (type === 'm.sticker')
    return messageEvent(id, common, content, stickerIn(content), scene.room);
  return type === 'm.room.message' ? messageIn(id, common, content, scene.room) : undefined;
}

export function timeOf(event: unknown): { at?: number } {
  const at = Number(integerMember(event, 'origin_server_ts') ?? Number.NaN);
  return Number.isNaN(at) ? {} : { at };
}

function partiesOf({ room, names, direct }: MatrixScene, id: string) {
  const from = { id, ...omitUndefined({ name: names.get(id) }) };
  if (direct === 'no') return { from, group: { id: room } };
  return { from, ...(direct === 'secondary' && { answerTo: room }) };
}

/** https://spec.matrix.org/latest/client-server-api/#mroommember */
function membershipIn(event: unknown, id: string, scene: MatrixScene): MatrixUserEvent | undefined {
  const user = textMember(event, 'state_key') ?? '';
  const isPresent = textMember(event, 'content', 'membership') === 'join';
  const wasPresent = textMember(event, 'unsigned', 'prev_content', 'membership') === 'join';
  if (user === scene.self || !isAddress(user) || isPresent === wasPresent) return undefined;
  const what = isPresent ? 'join' : 'leave';
  return { what, key: id, ...timeOf(event), ...partiesOf(scene, user) };
}

type Content = Pick<
  Extract<MatrixUserEvent, { what: 'message' | 'edit' }>,
  'text' | 'mediaType' | 'media' | 'place'
>;

/** https://spec.matrix.org/latest/client-server-api/#event-replacements */
function messageIn(
  id: string,
  common: CommonFields,
  content: unknown,
  room: string,
): MatrixUserEvent | undefined {
  const relation = member(content, 'm.relates_to');
  if (textMember(relation, 'rel_type') !== 'm.replace') {
    return messageEvent(id, common, content, contentIn(content), room);
  }
  const changed = contentIn(member(content, 'm.new_content'));
  const original = textMember(relation, 'event_id') ?? '';
  if (!changed || !isEvent(original)) return undefined;
  return { what: 'edit', ...common, id: writeId(room, original), ...changed };
}

function messageEvent(
  id: string,
  common: CommonFields,
  content: unknown,
  parsed: Content | undefined,
  room: string,
): MatrixUserEvent | undefined {
  if (!parsed) return undefined;
  const relation = member(content, 'm.relates_to');
  // https://spec.matrix.org/latest/client-server-api/#fallback-for-unthreaded-clients
  const isFallback = member(relation, 'is_falling_back') === true;
  const answeredId = isFallback ? undefined : textMember(relation, 'm.in_reply_to', 'event_id');
  const isThread = textMember(relation, 'rel_type') === 'm.thread';
  const thread = isThread ? textMember(relation, 'event_id') : undefined;
  const idOf = (event: string | undefined) =>
    event !== undefined && isEvent(event) ? writeId(room, event) : undefined;
  return {
    what: 'message',
    ...common,
    id: writeId(room, id),
    ...parsed,
    ...omitUndefined({ replyTo: idOf(answeredId), thread: idOf(thread) }),
  };
}

const FILES: Readonly<Record<string, MediaKind>> = {
  'm.image': 'Image',
  'm.video': 'Video',
  'm.audio': 'Audio',
  'm.file': 'Document',
};

/** https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes. Notices are left out, since programs send them. */
function contentIn(content: unknown): Content | undefined {
  const type = textMember(content, 'msgtype') ?? '';
  const kind = Object.hasOwn(FILES, type) ? FILES[type] : undefined;
  if (kind) return fileIn(content, kind);
  if (type === 'm.location') return placeIn(content);
  if (type === 'm.text') return textIn(content);
  const emote = type === 'm.emote' ? textIn(content) : undefined;
  return emote && { ...emote, text: `/me ${emote.text}` };
}

function textIn(content: unknown): { text: string; mediaType?: 'text/html' } | undefined {
  const plain = textMember(content, 'body') ?? '';
  const isHtml = textMember(content, 'format') === 'org.matrix.custom.html';
  const html = isHtml ? textMember(content, 'formatted_body') : undefined;
  if (html !== undefined) return { text: withoutHtmlQuote(html), mediaType: 'text/html' };
  const isReply = member(content, 'm.relates_to', 'm.in_reply_to') !== undefined;
  const text = isReply ? withoutPlainQuote(plain) : plain;
  return text.trim() === '' ? undefined : { text };
}

/** Removes the quote that clients put before replies until 2025: lines that start with `>`, and an empty line. */
function withoutPlainQuote(plain: string): string {
  const lines = plain.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('> '));
  return end > 0 && lines[end] === '' ? lines.slice(end + 1).join('\n') : plain;
}

/** The same for HTML. */
function withoutHtmlQuote(html: string): string {
  const [start, end] = ['<mx-reply>', '</mx-reply>'];
  return html.startsWith(start) && html.includes(end)
    ? html.slice(html.indexOf(end) + end.length)
    : html;
}

/** https://spec.matrix.org/latest/client-server-api/#media-captions */
function fileIn(content: unknown, type: MediaKind): Content | undefined {
  const reference = textMember(content, 'url') ?? '';
  if (!parseMxc(reference)) return undefined;
  const body = textMember(content, 'body');
  const filename = textMember(content, 'filename');
  const caption = filename === undefined || filename === body ? undefined : body;
  const mediaType = textMember(content, 'info', 'mimetype');
  const file = {
    type,
    reference,
    ...omitUndefined({ mediaType, name: filename ?? body, caption }),
  };
  return { media: [file] };
}

function stickerIn(content: unknown): Content | undefined {
  const image = fileIn(content, 'Image');
  const mediaType = textMember(content, 'info', 'mimetype');
  const caption = textMember(content, 'body');
  const [file] = image?.media ?? [];
  if (!file) return undefined;
  return {
    media: [{ type: 'Image', reference: file.reference, ...omitUndefined({ mediaType, caption }) }],
  };
}

/** https://www.rfc-editor.org/rfc/rfc5870#section-3.3 */
function placeIn(content: unknown): Content | undefined {
  const uri = textMember(content, 'geo_uri') ?? '';
  const [, north = '', east = ''] = /^geo:(-?[\d.]{1,20}),(-?[\d.]{1,20})/.exec(uri) ?? [];
  const where = { latitude: Number.parseFloat(north), longitude: Number.parseFloat(east) };
  const latitude = numberMember(where, 'latitude');
  const longitude = numberMember(where, 'longitude');
  if (latitude === undefined || longitude === undefined) return undefined;
  const name = textMember(content, 'body');
  return { place: { latitude, longitude, ...(name && { name }) } };
}
