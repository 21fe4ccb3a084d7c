import {
  BACKTICK_CODE,
  FENCED_CODE,
  type FormatRule,
  LISTED_LINE,
  QUOTED_LINE,
  STAR_BOLD,
  TILDE_STRIKE,
  UNDERSCORE_ITALIC,
} from './accidental-formats.ts';
import type { RichText } from './rich-text.ts';
import { type Delimiters, hasClash, withDelimiters } from './writers.ts';

/* WhatsApp's markup. It has no escape. https://faq.whatsapp.com/539178204879377 */

const DELIMITERS: Delimiters = { bold: '*', italic: '_', strike: '~', code: '`', block: '```' };

const FORMATS: readonly FormatRule[] = [
  STAR_BOLD,
  UNDERSCORE_ITALIC,
  TILDE_STRIKE,
  FENCED_CODE,
  BACKTICK_CODE,
  QUOTED_LINE,
  LISTED_LINE,
];

/** Shared by all vendors that send to WhatsApp. */
export const WHATSAPP_TEXT = {
  write: (rich: RichText): string => withDelimiters(rich, DELIMITERS),
  clashes: (rich: RichText): boolean => hasClash(rich, DELIMITERS),
  formats: (): readonly FormatRule[] => FORMATS,
};
