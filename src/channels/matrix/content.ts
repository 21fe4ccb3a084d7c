import { member, textMember } from '../../lib/json/json-member.ts';
import { type RichText, isPlain, plainText } from '../../lib/rich-text/rich-text.ts';
import { fileName } from '../../lib/text/file-name.ts';
import { cut } from '../../lib/text/split.ts';
import {
  type ChannelOption,
  type Destination,
  type MediaRenderer,
  type PlacePart,
  type TextPart,
  type VendorRequest,
  fileOf,
} from '../channel.ts';
import { bytesInJson } from './text.ts';

/* The content of events. https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes */

const MAX_MENTIONS = 50;

/** https://spec.matrix.org/latest/appendices/#user-identifiers, as a separate word. */
const USER =
  /(?<![\w.+@/-])@[\w.=/+-]{1,200}:(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?/gi;
const MATRIX_TO = /^https:\/\/matrix\.to\/#\/(@[^/?]{1,255}|%40[^/?]{1,255})(?:\?|$)/i;

/**
 * The users that the text mentions, by a matrix.to link or by their full id. Sent even when empty: without it, older
 * servers and clients would search the text for names and `@room`.
 * https://spec.matrix.org/latest/client-server-api/#user-and-room-mentions
 */
function mentions(rich: RichText): { 'm.mentions': { user_ids?: string[] } } {
  const ids = new Set<string>();
  for (const { text, look } of rich) {
    if (look.code || look.block) continue;
    if (look.link !== undefined) ids.add(userAt(look.link));
    else for (const [id] of text.matchAll(USER)) ids.add(id);
  }
  ids.delete('');
  const user_ids = [...ids].filter((id) => Buffer.byteLength(id) <= 255).slice(0, MAX_MENTIONS);
  return { 'm.mentions': user_ids.length > 0 ? { user_ids } : {} };
}

function userAt(link: string): string {
  const [, written = ''] = MATRIX_TO.exec(link) ?? [];
  try {
    const id = decodeURIComponent(written);
    return /^@[^\s:]+:[^\s]+$/.test(id) ? id : '';
  } catch {
    return '';
  }
}

export function textContent({ text, rich }: TextPart): VendorRequest {
  return {
    body: {
      msgtype: 'm.text',
      body: plainText(rich),
      ...(!isPlain(rich) && { format: 'org.matrix.custom.html', formatted_body: text }),
      ...mentions(rich),
    },
  };
}

/** A caption replaces the file name: https://spec.matrix.org/latest/client-server-api/#media-captions */
export function mediaContent(msgtype: string): MediaRenderer {
  return {
    maxCaptionLength: 50_000,
    compose: (part) => {
      const { text, rich } = part.caption;
      const filename = fileName(part.url, part.name, part.mediaType ?? '');
      const isStyled = text !== '' && !isPlain(rich);
      return {
        body: {
          msgtype,
          filename,
          body: text === '' ? filename : plainText(rich),
          ...(isStyled && { format: 'org.matrix.custom.html', formatted_body: text }),
          ...mentions(rich),
        },
        file: fileOf({ ...part, name: filename }),
      };
    },
  };
}

export const MATRIX_OPTIONS: readonly ChannelOption[] = [
  {
    name: 'notice',
    label: 'Notice',
    help: 'Marks a text as an automatic message: other bots do not respond to it. False by default.',
    rule: { type: 'boolean' },
    link: 'https://spec.matrix.org/latest/client-server-api/#mnotice',
  },
];

export function withMatrixOptions(
  request: VendorRequest,
  { options: { notice } }: Destination,
): VendorRequest {
  const isNotice = notice === true && request.body['msgtype'] === 'm.text';
  return isNotice ? { ...request, body: { ...request.body, msgtype: 'm.notice' } } : request;
}

export function placeContent({ latitude, longitude, name }: PlacePart): VendorRequest {
  const coordinates = `${decimal(latitude)},${decimal(longitude)}`;
  const body = name ?? coordinates;
  return { body: { msgtype: 'm.location', body, geo_uri: `geo:${coordinates}`, ...mentions([]) } };
}

/** https://www.rfc-editor.org/rfc/rfc5870#section-3.3: no exponents. */
function decimal(degrees: number): string {
  return degrees.toFixed(7).replace(/\.?0+$/, '');
}

/** Shown by clients that do not support edits. */
const FALLBACK = { max: 2000, measure: bytesInJson };

/** https://spec.matrix.org/latest/client-server-api/#event-replacements: an edit does not notify again. */
export function replacement(event: string, content: VendorRequest['body']): VendorRequest['body'] {
  const { 'm.relates_to': _, ...newContent } = content;
  const { msgtype, filename, url, info } = newContent;
  const isFile = url !== undefined;
  const textType = msgtype === 'm.notice' ? msgtype : 'm.text';
  return {
    ...(isFile ? { msgtype, filename, url, info } : { msgtype: textType }),
    body: `* ${cut(String(newContent['body']), FALLBACK)}`,
    ...mentions([]),
    'm.new_content': newContent,
    'm.relates_to': { rel_type: 'm.replace', event_id: event },
  };
}

/** The file of an event after its last edit, and its properties. */
export function fileOfEvent(event: unknown): VendorRequest['body'] | undefined {
  const edited = member(event, 'unsigned', 'm.relations', 'm.replace', 'content', 'm.new_content');
  for (const content of [edited, member(event, 'content')]) {
    const [url, filename] = [textMember(content, 'url'), textMember(content, 'filename')];
    if (url === undefined) continue;
    const info = member(content, 'info');
    return {
      url,
      ...(info !== undefined && { info }),
      filename: filename ?? textMember(content, 'body'),
    };
  }
  return undefined;
}
