import { member, textMember } from '../../../lib/json/json-member.ts';
import { readHtml } from '../../../lib/rich-text/readers.ts';
import { type ShownContent, type ShownMedia, shownText } from '../../shown.ts';
import type { Reply } from '../../wire/request.ts';

/*
 * The content of `m.room.message`, at least as strict as documented: fields that a homeserver would silently ignore are
 * refused. https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes
 */

export const matrixError = (status: number, errcode: string, error = '', more = {}): Reply => ({
  status,
  body: { errcode, error, ...more },
});

const bad = (error: string) => matrixError(400, 'M_BAD_JSON', error);

const MEDIA = ['format', 'formatted_body', 'filename', 'url', 'info'];
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  'm.text': ['format', 'formatted_body'],
  'm.notice': ['format', 'formatted_body'],
  'm.location': ['geo_uri'],
  'm.image': MEDIA,
  'm.video': MEDIA,
  'm.audio': MEDIA,
  'm.file': MEDIA,
};
const ALWAYS = ['msgtype', 'body', 'm.mentions', 'm.relates_to', 'm.new_content'];
const HTML = 'org.matrix.custom.html';
/** Approximate size of the fields that a homeserver adds. */
const ENVELOPE_BYTES = 2000;
const MAX_EVENT_BYTES = 65_536;

/** The homeserver's error for invalid content. */
export function contentFault(
  json: unknown,
  isUploaded: (url: string, size: unknown) => boolean,
): Reply | undefined {
  const own = FIELDS[textMember(json, 'msgtype') ?? ''];
  if (typeof json !== 'object' || json === null || !own) return bad('msgtype');
  const unknown = Object.keys(json).find((key) => ![...ALWAYS, ...own].includes(key));
  if (unknown !== undefined) return bad(`SIMULATOR: unknown key ${unknown}`);
  if (typeof member(json, 'body') !== 'string') return bad("'body' not in content");
  if (!areMentions(member(json, 'm.mentions'))) return bad('SIMULATOR: m.mentions');
  if ((member(json, 'format') ?? HTML) !== HTML) return bad('format');
  if ('format' in json !== 'formatted_body' in json) return bad('format without formatted_body');
  if (own === MEDIA && !isMedia(json, isUploaded)) return bad('SIMULATOR: url, filename or info');
  if ('geo_uri' in json && !GEO.test(String(json.geo_uri))) return bad('geo_uri');
  if (Buffer.byteLength(JSON.stringify(json)) > MAX_EVENT_BYTES - ENVELOPE_BYTES) {
    return matrixError(413, 'M_TOO_LARGE', 'event too large');
  }
  return relationFault(json, isUploaded);
}

const GEO = /^geo:(-?[\d.]+),(-?[\d.]+)$/;

/** https://spec.matrix.org/latest/client-server-api/#user-and-room-mentions */
function areMentions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const ids = member(value, 'user_ids') ?? [];
  const isIds = Array.isArray(ids) && ids.every((id) => /^@[^:\s]+:\S+$/.test(String(id)));
  return isIds && Object.keys(value).every((name) => name === 'user_ids');
}

function isMedia(json: object, isUploaded: (url: string, size: unknown) => boolean): boolean {
  const [size, type] = [member(json, 'info', 'size'), textMember(json, 'info', 'mimetype')];
  const isKnown = isUploaded(textMember(json, 'url') ?? '', size);
  return isKnown && type !== undefined && textMember(json, 'filename') !== undefined;
}

const isEvent = (id: unknown) => typeof id === 'string' && id.startsWith('$');

function relationFault(
  json: object,
  isUploaded: (url: string, size: unknown) => boolean,
): Reply | undefined {
  const content = member(json, 'm.new_content');
  const relation = member(json, 'm.relates_to');
  const type = textMember(relation, 'rel_type');
  if ((type === 'm.replace') !== (content !== undefined)) return bad('m.new_content');
  const ids = [member(relation, 'event_id'), member(relation, 'm.in_reply_to', 'event_id')];
  const isMalformed = ids.some((id) => id !== undefined && !isEvent(id));
  const isKnown = type === undefined || type === 'm.thread' || type === 'm.replace';
  if (isMalformed || !isKnown) return bad('m.relates_to');
  return content === undefined ? undefined : contentFault(content, isUploaded);
}

const KINDS: Readonly<Record<string, ShownMedia['type']>> = {
  'm.image': 'Image',
  'm.video': 'Video',
  'm.audio': 'Audio',
  'm.file': 'Document',
};

/** The shown form of valid content. `idOf` makes the vendor's id of an event. */
export function contentOf(
  json: unknown,
  fileOf: (url: string) => string,
  idOf: (event: string) => string,
): ShownContent {
  const kind = KINDS[textMember(json, 'msgtype') ?? ''];
  const [body = '', html, url] = ['body', 'formatted_body', 'url'].map((name) =>
    textMember(json, name),
  );
  const [, latitude, longitude] = GEO.exec(textMember(json, 'geo_uri') ?? '') ?? [];
  const name = textMember(json, 'filename');
  // The caption of a file is its body, unless that is only its name.
  const hasText = !kind || body !== name;
  const rich = html === undefined ? [{ text: body, look: {} }] : readHtml(html);
  const relation = member(json, 'm.relates_to');
  const isReply = member(relation, 'is_falling_back') !== true;
  const answered = isReply ? textMember(relation, 'm.in_reply_to', 'event_id') : undefined;
  const isThread = textMember(relation, 'rel_type') === 'm.thread';
  const thread = isThread ? textMember(relation, 'event_id') : undefined;
  const isPlace = latitude !== undefined && longitude !== undefined;
  return {
    ...(hasText && !isPlace && shownText(rich)),
    ...(isPlace && {
      place: { latitude: Number(latitude), longitude: Number(longitude), name: body },
    }),
    ...(kind &&
      url !== undefined && {
        media: [{ type: kind, file: fileOf(url), ...(name !== undefined && { name }) }],
      }),
    ...(answered !== undefined && { reply_to: idOf(answered) }),
    ...(thread !== undefined && { thread: idOf(thread) }),
  };
}
