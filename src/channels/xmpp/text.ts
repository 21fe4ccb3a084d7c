import { type RichText, isUnstyled, plainText } from '../../lib/rich-text.ts';
import { type Signs, toSigns } from '../../lib/rich-writers.ts';

/* Texts as XMPP takes them. */

/** What XML cannot hold, not even escaped: a server ends a stream in which it stands. */
const NO_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

export function xmlText(text: string): string {
  return text.replaceAll(NO_XML, '');
}

/** https://xmpp.org/extensions/xep-0393.html */
export function toStyling(rich: RichText): string {
  if (isUnstyled(rich)) return xmlText(plainText(rich));
  return xmlText(toSigns(rich.map(withoutConflicts), STYLING));
}

/** Joins words: what follows it follows no space, and so begins nothing. */
const JOINER = '\u2060';

const STYLING: Signs = {
  bold: '*',
  italic: '_',
  strike: '~',
  code: '`',
  block: '```',
  escape: (text) => text.replaceAll(/(?<![^\s*_~`])[*_~`]/g, `${JOINER}$&`),
  // A backtick inside of code would end it.
  escapeCode: (text) => text.replaceAll('`', 'ˋ'),
};

/** There is no way to write a sign between two of its own: such a text goes without that look. */
function withoutConflicts({ text, look }: RichText[number]): RichText[number] {
  const { bold, italic, strike, ...rest } = look;
  return {
    text,
    look: {
      ...rest,
      ...(bold && !text.includes('*') && { bold }),
      ...(italic && !text.includes('_') && { italic }),
      ...(strike && !text.includes('~') && { strike }),
    },
  };
}
