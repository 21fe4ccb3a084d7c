import type { Attachment, Email } from 'postal-mime';

import { known } from '../../lib/known.ts';
import { type MediaKind, mediaKind } from '../../lib/media-kind.ts';
import { isMailAddress } from './address.ts';

/* What a letter says. https://www.rfc-editor.org/rfc/rfc5322 */

export interface MailSaid {
  from: { id: string; name?: string };
  answerTo?: string;
  id?: string;
  title?: string;
  text?: string;
  mediaType?: 'text/html';
  media?: readonly { type: MediaKind; reference: string; mediaType: string; name?: string }[];
  replyTo?: string;
  thread?: string;
}

/** What became of a letter, by its Message-ID. */
export interface MailReport {
  id: string;
  state: 'delivered' | 'read' | 'failed';
  code?: string;
  detail?: string;
}

/** Why a letter was skipped: it broke a bound of the parser, or the process ended while it was read. */
export type MailFault = 'malformed' | 'timeout' | 'memory' | 'crash' | 'interrupted';

export type MailRead =
  | { said: MailSaid }
  | { reports: readonly MailReport[] }
  | { unreadable: MailFault }
  /** From ourselves, without a sender that can be answered, or an answer by a program, to answer which would never end. */
  | { ignored: 'own' | 'bot' | 'incomplete' };

export interface MailBounds {
  bytes: number;
  lines: number;
  /** Lines that may begin or end a part: they start with two hyphens. */
  parts: number;
}

/** What is read of a letter. The longest that is fetched has 16 MiB, which is 220,000 lines of base64. */
export const WHOLE_MAIL: MailBounds = { bytes: 32 * 1024 * 1024, lines: 500_000, parts: 1_000 };
/** What is read where the whole breaks a bound: the beginning, without files. */
export const MAIL_BEGINNING: MailBounds = { bytes: 256 * 1024, lines: 10_000, parts: 200 };
export const MAX_MAIL_DEPTH = 20;
export const MAX_MAIL_HEADER_BYTES = 256 * 1024;

const MESSAGE_ID = /<[^\s<>@\p{Cc}]{1,200}@[^\s<>@\p{Cc}]{1,200}>/gu;

/**
 * What a letter says, or what it reports of others, or why it is ignored. Its files are called by the number of the letter and
 * their own; without one, when something is missing at its end, there are none.
 */
export async function readMail(
  letter: Buffer,
  self: string,
  number: string | undefined,
  bounds: MailBounds = WHOLE_MAIL,
): Promise<MailRead> {
  const isWhole = lengthWithin(letter, bounds) === letter.length;
  const bytes = letter.subarray(0, lengthWithin(letter, isWhole ? bounds : MAIL_BEGINNING));
  const mail = await parse(bytes);
  if (!mail) return { unreadable: 'malformed' };
  const reports = reportsIn(mail);
  if (reports) return { reports };
  if (isAutomaticAnswer(mail)) return { ignored: 'bot' };
  const from = mail.from?.address ?? '';
  if (!isMailAddress(from)) return { ignored: 'incomplete' };
  if (from.toLowerCase() === self.toLowerCase()) return { ignored: 'own' };
  const answerTo = mail.replyTo?.[0]?.address ?? from;
  const [id] = idsIn(mail.messageId);
  const [replyTo] = idsIn(mail.inReplyTo);
  const [thread] = idsIn(mail.references);
  const media = number === undefined || !isWhole ? [] : filesIn(mail, number);
  const said = {
    from: { id: from, ...(mail.from?.name && { name: mail.from.name }) },
    ...(isMailAddress(answerTo) && answerTo !== from && { answerTo }),
    ...known({ id, replyTo, thread }),
    ...(mail.subject?.trim() && { title: mail.subject.trim() }),
    ...contentOf(mail),
    ...(media.length > 0 && { media }),
  };
  return { said };
}

/** One of the files of a letter, by its number there. */
export async function fileInMail(
  bytes: Buffer,
  index: number,
): Promise<{ bytes: Buffer; mediaType: string; name?: string } | undefined> {
  if (lengthWithin(bytes, WHOLE_MAIL) < bytes.length) return undefined;
  const file = (await parse(bytes))?.attachments[index];
  if (!file) return undefined;
  const { mimeType: mediaType, filename } = file;
  return { bytes: bytesOf(file), mediaType, ...(filename && { name: filename }) };
}

async function parse(bytes: Buffer): Promise<Email | undefined> {
  // Only now: it takes time and memory that a start should not.
  const { default: PostalMime } = await import('postal-mime');
  try {
    return await PostalMime.parse(bytes, {
      forceRfc822Attachments: true,
      maxNestingDepth: MAX_MAIL_DEPTH,
      maxHeadersSize: MAX_MAIL_HEADER_BYTES,
    });
  } catch {
    // What cannot be read must not keep others from being read.
    return undefined;
  }
}

const LINE_FEED = 10;
const HYPHEN = 45;

/** How many bytes from the beginning are within the bounds. */
export function lengthWithin(bytes: Buffer, bounds: MailBounds): number {
  const end = Math.min(bytes.length, bounds.bytes);
  let lines = 0;
  let parts = 0;
  for (let start = 0; start < end;) {
    if (bytes[start] === HYPHEN && bytes[start + 1] === HYPHEN) parts++;
    if (++lines > bounds.lines || parts > bounds.parts) return start;
    const feed = bytes.indexOf(LINE_FEED, start);
    start = feed === -1 ? end : feed + 1;
  }
  return end;
}

/** What the beginning of a letter says of it, for one that cannot be read. */
export function headOfMail(bytes: Buffer): { sender?: string; id?: string } {
  const head = headOf(bytes.toString('latin1', 0, MAX_HEAD_BYTES));
  const sender = fieldIn(head, 'from').slice(0, MAX_SENDER_LENGTH);
  const [id] = idsIn(fieldIn(head, 'message-id'));
  return { ...(sender !== '' && { sender }), ...known({ id }) };
}

const MAX_HEAD_BYTES = 16 * 1024;
const MAX_SENDER_LENGTH = 320;

function bytesOf({ content }: Attachment): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(new Uint8Array(content));
}

const textOf = (file: Attachment | undefined) => (file ? bytesOf(file).toString() : '');

const headerOf = ({ headers }: Email, name: string) =>
  headers.find(({ key }) => key === name)?.value ?? '';

const idsIn = (text = ''): string[] => text.slice(0, 100_000).match(MESSAGE_ID) ?? [];

function contentOf({ text = '', html = '' }: Email): Pick<MailSaid, 'text' | 'mediaType'> {
  if (text.trim() !== '') return { text: text.trimEnd() };
  return html.trim() === '' ? {} : { text: html, mediaType: 'text/html' };
}

/** What is shown within the text is no file. */
function filesIn({ attachments }: Email, number: string): NonNullable<MailSaid['media']> {
  return attachments.flatMap(({ mimeType, filename, related }, index) =>
    related
      ? []
      : [
          {
            type: mediaKind(mimeType),
            reference: `${number}:${index}`,
            mediaType: mimeType,
            ...(filename && { name: filename }),
          },
        ],
  );
}

/**
 * Whether a program answered, and not a person: to answer that may never end. What a program writes of its own
 * accord is told, unless it wants no answer at all, which is what an empty return path says.
 * https://www.rfc-editor.org/rfc/rfc3834#section-5
 */
function isAutomaticAnswer(mail: Email): boolean {
  const has = (name: string) => headerOf(mail, name) !== '';
  return (
    /^\s*auto-replied/i.test(headerOf(mail, 'auto-submitted')) ||
    /^\s*auto_reply/i.test(headerOf(mail, 'precedence')) ||
    /^\s*<\s*>/.test(headerOf(mail, 'return-path')) ||
    ['x-autoreply', 'x-autorespond', 'x-auto-reply'].some(has)
  );
}

/** Undefined when it is no report; empty when it reports nothing that is for us to know. */
function reportsIn(mail: Email): MailReport[] | undefined {
  const type = headerOf(mail, 'content-type');
  if (!/^\s*multipart\/report/i.test(type)) return undefined;
  const part = (name: RegExp) => mail.attachments.find(({ mimeType }) => name.test(mimeType));
  const original = textOf(
    part(/^(?:message\/(?:global|global-headers|rfc822)|text\/rfc822-headers)$/i),
  );
  const read = textOf(part(/^message\/(?:global-)?disposition-notification$/i));
  const [sent] = idsIn(fieldIn(headOf(original), 'message-id'));
  if (read !== '') return readingIn(read, sent);
  const status = textOf(part(/^message\/(?:global-)?delivery-status$/i));
  return sent === undefined ? [] : deliveryIn(status, sent);
}

/** https://www.rfc-editor.org/rfc/rfc8098#section-3.2 */
function readingIn(text: string, sent: string | undefined): MailReport[] {
  const id = idsIn(fieldIn(text, 'original-message-id'))[0] ?? sent;
  const isRead = /displayed/i.test(fieldIn(text, 'disposition'));
  return id !== undefined && isRead ? [{ id, state: 'read' }] : [];
}

/** https://www.rfc-editor.org/rfc/rfc3464#section-2.3 */
function deliveryIn(text: string, id: string): MailReport[] {
  const action = fieldIn(text, 'action').toLowerCase();
  const code = /\d\.\d{1,3}\.\d{1,3}/.exec(fieldIn(text, 'status'))?.[0];
  if (action === 'delivered') return [{ id, state: 'delivered' }];
  if (action !== 'failed') return [];
  const detail = fieldIn(text, 'diagnostic-code')
    .replace(/^[\w-]+;\s*/, '')
    .slice(0, 1000);
  return [{ id, state: 'failed', ...known({ code }), ...(detail && { detail }) }];
}

const headOf = (letter: string) => letter.split(/\r?\n\r?\n/, 1)[0] ?? '';

/** The first field of that name, with its lines joined. */
function fieldIn(text: string, name: string): string {
  const lines = text.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const field = lines.find((line) => line.toLowerCase().startsWith(`${name}:`));
  return field?.slice(name.length + 1).trim() ?? '';
}
