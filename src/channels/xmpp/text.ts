import type { FormatRule } from '../../lib/rich-text/accidental-formats.ts';
import { type RichText, isUnstyled, plainText } from '../../lib/rich-text/rich-text.ts';
import { type Delimiters, hasClash, withDelimiters } from '../../lib/rich-text/writers.ts';

/* Texts for XMPP. */

/** Characters that XML cannot hold, even escaped: servers close a stream that contains them. */
const NO_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

export function xmlText(text: string): string {
  return text.replaceAll(NO_XML, '');
}

/** https://xmpp.org/extensions/xep-0393.html has no escapes, but a hint that disables markup for a whole message. */
export function toStyling(rich: RichText): string {
  return xmlText(isUnstyled(rich) ? plainText(rich) : withDelimiters(rich, DELIMITERS));
}

const DELIMITERS: Delimiters = { bold: '*', italic: '_', strike: '~', code: '`', block: '```' };

/** Text without formatting is sent with the hint that disables markup, so clients format nothing by accident. */
export function stylingFormats(rich: RichText): readonly FormatRule[] {
  return isUnstyled(rich) ? [] : FORMATS;
}

export const hasStylingClash = (rich: RichText): boolean => hasClash(rich, DELIMITERS);

const FORMATS: readonly FormatRule[] = [
  { as: 'bold', pattern: /(?<![^\s*_~`])\*(?=\S)[^\n*]{1,1000}(?<=\S)\*/g },
  { as: 'italic', pattern: /(?<![^\s*_~`])_(?=\S)[^\n_]{1,1000}(?<=\S)_/g },
  { as: 'strikethrough', pattern: /(?<![^\s*_~`])~(?=\S)[^\n~]{1,1000}(?<=\S)~/g },
  { as: 'code', pattern: /(?<![^\s*_~`])`(?=\S)[^\n`]{1,1000}(?<=\S)`/g },
  { as: 'code block', pattern: /^```.*/gm },
  { as: 'quote', pattern: /^>.*/gm },
];
