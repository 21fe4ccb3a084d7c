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

export type MailRead = { said: MailSaid } | { reports: readonly MailReport[] } | undefined;

const MESSAGE_ID = /<[^\s<>@\p{Cc}]{1,200}@[^\s<>@\p{Cc}]{1,200}>/gu;

/**
 * What a letter says, or what it reports of others; undefined where it is for nobody: from ourselves, or an
 * answer by a program, to answer which would never end. Its files are called by the number of the letter and
 * their own; without one, when something is missing at its end, there are none.
 */
export async function readMail(
  bytes: Buffer,
  self: string,
  number: string | undefined,
): Promise<MailRead> {
  const mail = await parse(bytes);
  if (!mail) return undefined;
  const reports = reportsIn(mail);
  if (reports) return { reports };
  if (isAutomaticAnswer(mail)) return undefined;
  const from = mail.from?.address ?? '';
  if (!isMailAddress(from) || from.toLowerCase() === self.toLowerCase()) return undefined;
  const answerTo = mail.replyTo?.[0]?.address ?? from;
  const [id] = idsIn(mail.messageId);
  const [replyTo] = idsIn(mail.inReplyTo);
  const [thread] = idsIn(mail.references);
  const media = number === undefined ? [] : filesIn(mail, number);
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
  const file = (await parse(bytes))?.attachments[index];
  if (!file) return undefined;
  const { mimeType: mediaType, filename } = file;
  return { bytes: bytesOf(file), mediaType, ...(filename && { name: filename }) };
}

async function parse(bytes: Buffer): Promise<Email | undefined> {
  // Only now: it takes time and memory that a start should not.
  const { default: PostalMime } = await import('postal-mime');
  try {
    return await PostalMime.parse(bytes, { forceRfc822Attachments: true });
  } catch {
    // What cannot be read must not keep others from being read.
    return undefined;
  }
}

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
