/*
 * Finds plain text that a product would display as formatting and that cannot be escaped there. The text is sent
 * unchanged; a dry run lists what may look different.
 */

export const FORMATS = [
  'bold',
  'italic',
  'strikethrough',
  'code',
  'code block',
  'quote',
  'list',
  'link',
  'mention',
  'emoji',
  'spoiler',
  'math',
  'rule',
] as const;

export type Format = (typeof FORMATS)[number];

export interface FormatRule {
  as: Format;
  /** Needs the flag `g`, and `m` if it matches line starts. */
  pattern: RegExp;
}

/** A piece of text and the formatting that the product may apply to it. */
export interface Formatted {
  text: string;
  as: Format;
}

const MAX_LISTED = 20;
const MAX_CHARACTERS = 100;

/** Collects distinct findings, up to the number a person would read. */
export class FormattedTexts {
  readonly list: Formatted[] = [];

  add(text: string, rules: readonly FormatRule[]): void {
    for (const { as, pattern } of rules) {
      for (const [found] of text.matchAll(pattern)) {
        if (this.list.length === MAX_LISTED) return;
        const piece = found.trim().slice(0, MAX_CHARACTERS);
        const isKnown = this.list.some((each) => each.as === as && each.text === piece);
        if (piece !== '' && !isKnown) this.list.push({ text: piece, as });
      }
    }
  }
}

/** Delimiters around words within a line, as WhatsApp and others interpret them. */
function around(delimiter: string, as: Format): FormatRule {
  const border = String.raw`[\p{L}\p{N}]`;
  const pattern = `(?<!${border})${delimiter}(?=\\S)[^\\n]{0,1000}?(?<=\\S)${delimiter}(?!${border})`;
  return { as, pattern: new RegExp(pattern, 'gu') };
}

export const STAR_BOLD = around(String.raw`\*`, 'bold');
export const UNDERSCORE_ITALIC = around('_', 'italic');
export const TILDE_STRIKE = around('~', 'strikethrough');
export const BACKTICK_CODE = around('`', 'code');
export const FENCED_CODE: FormatRule = { as: 'code block', pattern: /```[^`]{1,1000}```/g };
export const QUOTED_LINE: FormatRule = { as: 'quote', pattern: /^ ?> .*/gm };
export const LISTED_LINE: FormatRule = { as: 'list', pattern: /^(?:[*-]|\d{1,3}\.) .*/gm };
/** Four spaces at the start of a paragraph. */
export const INDENTED_LINE: FormatRule = {
  as: 'code block',
  pattern: /(?<=^\n{0,9}|\n[ \t]{0,100}\n)(?: {4}| {0,3}\t).*/g,
};
export const EMOJI_NAME: FormatRule = { as: 'emoji', pattern: /:(?!(?!100:)\d+:)[\w+-]{1,64}:/g };

/** Viber's markup, which has no escape. https://help.viber.com/hc/en-us/articles/8892452180125 */
export const VIBER_FORMATS: readonly FormatRule[] = [
  STAR_BOLD,
  UNDERSCORE_ITALIC,
  TILDE_STRIKE,
  FENCED_CODE,
];
