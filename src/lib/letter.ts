import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';

import type { Letter } from './smtp-pool.ts';
import { cut } from './split.ts';

/* How a message becomes a letter. */

/** What goes out, from whom and to whom; the key is the same at every try, and so is the Message-ID. */
export function composeLetter(
  body: Readonly<Record<string, unknown>>,
  { key, recipient }: { key: string; recipient: string },
  from: string,
  now: number,
): Letter {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const id = /^[\w-]{1,64}$/.test(key) ? key : createHash('sha256').update(key).digest('hex');
  const { subject, text, html, inReplyTo, thread } = body as Pick<Letter, 'subject' | 'text'> &
    Partial<Letter>;
  return {
    from,
    to: recipient,
    subject,
    text,
    ...(html !== undefined && { html }),
    messageId: `<${id}@${domain.startsWith('[') ? domain : domainToASCII(domain) || 'localhost'}>`,
    date: new Date(now),
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(thread !== undefined && { thread }),
  };
}

/** No longer than a line of a header should be: RFC 5322, 2.1.1. */
const SUBJECT = { most: 78, measure: (text: string) => text.length };

export function subjectOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = inOneLine(value);
  return line === '' ? undefined : cut(line, SUBJECT);
}

export function inOneLine(text: string): string {
  return text
    .slice(0, 1000)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}
