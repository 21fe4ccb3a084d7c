import type { Attachment, Email } from 'postal-mime';

import { type MediaKind, mediaKind } from '../../lib/http/media-kind.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { isMailAddress } from './address.ts';

/* Parses emails. https://www.rfc-editor.org/rfc/rfc5322 */

export interface MailContent {
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

/** A delivery report for an email, by its Message-ID. */
export interface MailReport {
  id: string;
  state: 'delivered' | 'read' | 'failed';
  code?: string;
  detail?: string;
  /** Set if the recipient reported the email as spam. */
  blocked?: 'complaint';
}

/** Why an email was skipped: it exceeded a limit of the parser, or the process ended while parsing it. */
export type MailFault = 'malformed' | 'timeout' | 'memory' | 'crash' | 'interrupted';

export type MailRead =
  | { message: MailContent }
  | { reports: readonly MailReport[] }
  | { unreadable: MailFault }
  /**
   * Sent by ourselves, without a valid sender, or an automatic reply, which must not be answered, to prevent loops.
   */
  | { ignored: 'own' | 'bot' | 'incomplete' };

export interface MailBounds {
  bytes: number;
  lines: number;
  /** Lines that may begin or end a part: they start with two hyphens. */
  parts: number;
}

/** The limits for a whole email. At most 16 MiB are fetched, which are 220,000 lines of base64. */
export const WHOLE_MAIL: MailBounds = { bytes: 32 * 1024 * 1024, lines: 500_000, parts: 1_000 };
/** The limits for an email that exceeds those: only its beginning is read, without files. */
export const MAIL_BEGINNING: MailBounds = { bytes: 256 * 1024, lines: 10_000, parts: 200 };
export const MAX_MAIL_DEPTH = 20;
export const MAX_MAIL_HEADER_BYTES = 256 * 1024;

const MESSAGE_ID = /<[^\s<>@\p{Cc}]{1,200}@[^\s<>@\p{Cc}]{1,200}>/gu;

/**
 * The content of an email, the reports in it, or why it is ignored. References to its files consist of `number` and
 * an index; a truncated email has no number, and so no files.
 */
export async function readMail(
  rawMail: Buffer,
  self: string,
  number: string | undefined,
  bounds: MailBounds = WHOLE_MAIL,
): Promise<MailRead> {
  const isWhole = lengthWithin(rawMail, bounds) === rawMail.length;
  const bytes = rawMail.subarray(0, lengthWithin(rawMail, isWhole ? bounds : MAIL_BEGINNING));
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
  const message = {
    from: { id: from, ...(mail.from?.name && { name: mail.from.name }) },
    ...(isMailAddress(answerTo) && answerTo !== from && { answerTo }),
    ...omitUndefined({ id, replyTo, thread }),
    ...(mail.subject?.trim() && { title: mail.subject.trim() }),
    ...contentOf(mail),
    ...(media.length > 0 && { media }),
  };
  return { message };
}

/** An attachment by its index. */
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
  // Imported on first use, to save startup time and memory.
  const { default: PostalMime } = await import('postal-mime');
  try {
    return await PostalMime.parse(bytes, {
      forceRfc822Attachments: true,
      maxNestingDepth: MAX_MAIL_DEPTH,
      maxHeadersSize: MAX_MAIL_HEADER_BYTES,
    });
  } catch {
    // An email that cannot be parsed must not block the following ones.
    return undefined;
  }
}

const LINE_FEED = 10;
const HYPHEN = 45;

/** The number of leading bytes that are within the limits. */
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

/** Sender and id from the beginning of an email that cannot be parsed. */
export function headOfMail(bytes: Buffer): { sender?: string; id?: string } {
  const head = headOf(bytes.toString('latin1', 0, MAX_HEAD_BYTES));
  const sender = fieldIn(head, 'from').slice(0, MAX_SENDER_LENGTH);
  const [id] = idsIn(fieldIn(head, 'message-id'));
  return { ...(sender !== '' && { sender }), ...omitUndefined({ id }) };
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

function contentOf({ text = '', html = '' }: Email): Pick<MailContent, 'text' | 'mediaType'> {
  if (text.trim() !== '') return { text: text.trimEnd() };
  return html.trim() === '' ? {} : { text: html, mediaType: 'text/html' };
}

/** Inline files are not attachments. */
function filesIn({ attachments }: Email, number: string): NonNullable<MailContent['media']> {
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
 * Whether an email is an automatic reply, which must not be answered, to prevent loops. Other automatic emails are
 * passed on, unless an empty return path says that they accept no reply.
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

/** Undefined when it is not a report; empty when the report concerns none of our messages. */
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
  const feedback = textOf(part(/^message\/feedback-report$/i));
  if (feedback !== '') return complaintIn(feedback, sent);
  const status = textOf(part(/^message\/(?:global-)?delivery-status$/i));
  return sent === undefined ? [] : deliveryIn(status, sent);
}

/** https://www.rfc-editor.org/rfc/rfc8098#section-3.2 */
function readingIn(text: string, sent: string | undefined): MailReport[] {
  const id = idsIn(fieldIn(text, 'original-message-id'))[0] ?? sent;
  const isRead = /displayed/i.test(fieldIn(text, 'disposition'));
  return id !== undefined && isRead ? [{ id, state: 'read' }] : [];
}

/** https://www.rfc-editor.org/rfc/rfc5965#section-3.1 */
function complaintIn(text: string, sent: string | undefined): MailReport[] {
  const isComplaint = /^(?:abuse|fraud|opt-out)/i.test(fieldIn(text, 'feedback-type'));
  return sent !== undefined && isComplaint
    ? [{ id: sent, state: 'delivered', blocked: 'complaint' }]
    : [];
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
  return [{ id, state: 'failed', ...omitUndefined({ code }), ...(detail && { detail }) }];
}

const headOf = (rawMail: string) => rawMail.split(/\r?\n\r?\n/, 1)[0] ?? '';

/** The first field with that name, unfolded. */
function fieldIn(text: string, name: string): string {
  const lines = text.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const field = lines.find((line) => line.toLowerCase().startsWith(`${name}:`));
  return field?.slice(name.length + 1).trim() ?? '';
}
