import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';

import { toHtmlBlocks } from '../../lib/rich-text/html.ts';
import { type RichText, isPlain, unstyled } from '../../lib/rich-text/rich-text.ts';
import { toHtml } from '../../lib/rich-text/writers.ts';
import { fileName } from '../../lib/text/file-name.ts';
import { cut } from '../../lib/text/split.ts';
import type { Context } from '../channel.ts';
import { BREAK, type RequestedFile, enclose, inLines, imagePlaceholder } from './attachments.ts';
import type { OutboundMail } from './smtp-pool.ts';

/* Renders a message as an email. */

/** The content of an email. */
export type EmailContent = Pick<OutboundMail, 'subject' | 'text'> &
  Partial<Pick<OutboundMail, 'html' | 'inReplyTo' | 'thread' | 'priority' | 'replyTo'>>;

const HTML = { newline: BREAK, tables: true, headings: 6 };

/** Renders a text, optionally with a file that may be shown below it. */
export function writeEmail(
  { text, rich }: { text: string; rich: RichText },
  title: string | undefined,
  file?: { url: string; name?: string; mediaType?: string; isShown: boolean },
): EmailContent {
  const first = text.trimStart().split(/[\r\n]/, 1)[0];
  const nameOfFile = file && fileName(file.url, file.name, file.mediaType ?? '');
  const shown = file?.isShown ? imagePlaceholder(file.url, file.name) : '';
  const html = inLines([toHtmlBlocks(rich, HTML), shown], BREAK);
  const isBare = isPlain(rich) && shown === '';
  return {
    subject: givenSubject(title) ?? subjectOf(first) ?? subjectOf(nameOfFile) ?? '',
    text,
    ...(!isBare && { html }),
  };
}

/**
 * Adds sender, recipient and Message-ID. The key is the same at every attempt, and so are the Message-ID and, with
 * the same files, the boundaries between parts.
 */
export function composeEmail(
  { subject, inReplyTo, thread, priority, replyTo, ...message }: EmailContent,
  files: readonly RequestedFile[],
  { key, recipient }: { key: string; recipient: string },
  from: string,
  now: number,
  { unsubscribeUrl, tokenOf }: Pick<Context, 'unsubscribeUrl' | 'tokenOf'> = {},
): OutboundMail {
  const name = /^[\w-]{1,64}$/.test(key) ? key : digestOf(key);
  // Bounces are not signed: with the token, only those who saw the email can report it.
  const id = tokenOf ? `${name}.${tokenOf(key)}` : name;
  const domain = domainOf(from);
  // Usable in a URL, unlike an address literal in brackets.
  const host = /^[\w.-]+$/.test(domain) ? domain : 'localhost';
  const { text, html, enclosures } = enclose(message, files, (n) => `${id}-file-${n}@${host}`);
  return {
    from,
    to: recipient,
    subject,
    text,
    ...(html !== undefined && { html }),
    enclosures,
    // Derived from the whole content, so that no author could have predicted it.
    boundary: digestOf(JSON.stringify([id, subject, text, html])).slice(0, 32),
    messageId: `<${id}@${domain}>`,
    date: new Date(now),
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(thread !== undefined && { thread }),
    ...(priority !== undefined && { priority }),
    ...(replyTo !== undefined && { replyTo }),
    ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
  };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domain.startsWith('[') ? domain : domainToASCII(domain) || 'localhost';
}

/** Merges several emails into one. */
export function mergeParts(mails: readonly EmailContent[]): EmailContent {
  const isStyled = mails.some(({ html }) => html !== undefined);
  const htmlOf = ({ text, html }: EmailContent) => html ?? toHtml(unstyled(text), BREAK);
  return {
    subject: mails.find(({ subject }) => subject !== '')?.subject ?? '',
    text: inLines(
      mails.map(({ text }) => text),
      '\n',
    ),
    ...(isStyled && { html: inLines(mails.map(htmlOf), BREAK) }),
  };
}

/** Of any length, since headers fold: RFC 5322, 2.2.3. */
function givenSubject(title = ''): string | undefined {
  return withoutBreaks(title) || undefined;
}

/** The recommended line length: RFC 5322, 2.1.1. */
const SUBJECT = { max: 78, measure: (text: string) => text.length };

function subjectOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = inOneLine(value);
  return line === '' ? undefined : cut(line, SUBJECT);
}

/** One line, of a text cut to 1,000 characters. */
export function inOneLine(text: string): string {
  return withoutBreaks(text.slice(0, 1000));
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
