import type { Address, Contact } from './contact.ts';

/* Contacts are found by the beginning of the name, of a word in it, of an address or of the external id. */

/** Longer terms are truncated. */
const MAX_TERM_LENGTH = 64;
/** Words of a name that can be searched. */
const MAX_WORDS = 8;
/** Appended to a prefix, it sorts after every term that begins with the prefix. */
export const LAST_CHARACTER = '\u{10FFFF}';

/** The text as it is compared: in one case, one form and with single spaces. */
export function searchTerm(text: string): string {
  const normal = text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  return normal.slice(0, MAX_TERM_LENGTH).toWellFormed();
}

/** The search text as typed; spaces and punctuation in phone numbers are ignored. */
export function searchPrefix(text: string): string {
  const isNumber = /^\s*\+?[\d\s()./-]+$/.test(text);
  return searchTerm(isNumber ? text.replaceAll(/[^\d+]/g, '') : text);
}

/** A number with or without the plus: channels and people write both. */
export const withoutPlus = (text: string): string => text.replace(/^\+/, '');

export function termsOf(
  { name, externalId }: Pick<Contact, 'name' | 'externalId'>,
  addresses: readonly Pick<Address, 'address'>[],
): string[] {
  const terms = [
    ...namesIn(name ?? ''),
    searchTerm(externalId ?? ''),
    ...addresses.flatMap(({ address }) => [
      searchTerm(address),
      // Many people type numbers without the plus.
      searchTerm(withoutPlus(address)),
    ]),
  ];
  return [...new Set(terms)].filter((term) => term !== '');
}

/** The name from each of its words on: `ada lovelace`, `lovelace`. */
function namesIn(name: string): string[] {
  const words = searchTerm(name.slice(0, 1_000)).split(' ');
  return words.slice(0, MAX_WORDS).map((_, i) => words.slice(i).join(' '));
}
