import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';

import { fileName } from '../../lib/file-name.ts';
import { toHtmlBlocks } from '../../lib/rich-html.ts';
import { type RichText, isPlain, unstyled } from '../../lib/rich-text.ts';
import { toHtml } from '../../lib/rich-writers.ts';
import { cut } from '../../lib/split.ts';
import { BREAK, type Wanted, enclose, inLines, pictureAt } from './enclosures.ts';
import type { Letter } from './smtp-pool.ts';

/* How a message becomes a letter. */

/** What is written in a letter. */
export type Writing = Pick<Letter, 'subject' | 'text'> &
  Partial<Pick<Letter, 'html' | 'inReplyTo' | 'thread'>>;

const HTML = { newline: BREAK, tables: true, headings: 6 };

/** What is written where a text is all, or where a file goes with it, which may be shown below. */
export function writeLetter(
  { text, rich }: { text: string; rich: RichText },
  title: string | undefined,
  file?: { url: string; name?: string; mediaType?: string; isShown: boolean },
): Writing {
  const first = text.trimStart().split(/[\r\n]/, 1)[0];
  const called = file && fileName(file.url, file.name, file.mediaType ?? '');
  const shown = file?.isShown ? pictureAt(file.url, file.name) : '';
  const html = inLines([toHtmlBlocks(rich, HTML), shown], BREAK);
  const isBare = isPlain(rich) && shown === '';
  return {
    subject: givenSubject(title) ?? subjectOf(first) ?? subjectOf(called) ?? '',
    text,
    ...(!isBare && { html }),
  };
}

/**
 * What goes out, from whom and to whom. The key is the same at every try, and so are the Message-ID and, as long
 * as the same files are to be had, everything that tells the parts from each other.
 */
export function composeLetter(
  { subject, inReplyTo, thread, ...said }: Writing,
  wanted: readonly Wanted[],
  { key, recipient }: { key: string; recipient: string },
  from: string,
  now: number,
): Letter {
  const id = /^[\w-]{1,64}$/.test(key) ? key : digestOf(key);
  const domain = domainOf(from);
  // As it can stand in a URL, unlike an address in brackets.
  const host = /^[\w.-]+$/.test(domain) ? domain : 'localhost';
  const { text, html, enclosures } = enclose(said, wanted, (n) => `${id}-file-${n}@${host}`);
  return {
    from,
    to: recipient,
    subject,
    text,
    ...(html !== undefined && { html }),
    enclosures,
    // Nobody who wrote what is in it can have known what comes of all of it.
    boundary: digestOf(JSON.stringify([id, subject, text, html])).slice(0, 32),
    messageId: `<${id}@${domain}>`,
    date: new Date(now),
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(thread !== undefined && { thread }),
  };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

function domainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domain.startsWith('[') ? domain : domainToASCII(domain) || 'localhost';
}

/** What several letters would say, in one. */
export function inOneLetter(letters: readonly Writing[]): Writing {
  const isStyled = letters.some(({ html }) => html !== undefined);
  const htmlOf = ({ text, html }: Writing) => html ?? toHtml(unstyled(text), BREAK);
  return {
    subject: letters.find(({ subject }) => subject !== '')?.subject ?? '',
    text: inLines(
      letters.map(({ text }) => text),
      '\n',
    ),
    ...(isStyled && { html: inLines(letters.map(htmlOf), BREAK) }),
  };
}

/** However long it is, headers fold: RFC 5322, 2.2.3. */
function givenSubject(title = ''): string | undefined {
  return onOneLine(title) || undefined;
}

/** No longer than a line of a header should be: RFC 5322, 2.1.1. */
const SUBJECT = { most: 78, measure: (text: string) => text.length };

export function subjectOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = inOneLine(value);
  return line === '' ? undefined : cut(line, SUBJECT);
}

export function inOneLine(text: string): string {
  return onOneLine(text.slice(0, 1000));
}

function onOneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
