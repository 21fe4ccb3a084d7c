import type { Address, Contact } from './contact.ts';

/* A contact is found by how its name, a later word of it, an address or its external id begins. */

/** Longer ones are cut: nobody types more. */
const MAX_TERM_LENGTH = 64;
/** Words of a name by which it is found. */
const MAX_WORDS = 8;

/** The text as it is compared: in one case, one form and with single spaces. */
export function searchTerm(text: string): string {
  const normal = text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
  return normal.slice(0, MAX_TERM_LENGTH).toWellFormed();
}

/** What a person types: spaces and the like in phone numbers do not count. */
export function searchPrefix(text: string): string {
  const isNumber = /^\s*\+?[\d\s()./-]+$/.test(text);
  return searchTerm(isNumber ? text.replaceAll(/[^\d+]/g, '') : text);
}

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
      searchTerm(address.replace(/^\+/, '')),
    ]),
  ];
  return [...new Set(terms)].filter((term) => term !== '');
}

/** The name from each of its words on: `ada lovelace`, `lovelace`. */
function namesIn(name: string): string[] {
  const words = searchTerm(name.slice(0, 1_000)).split(' ');
  return words.slice(0, MAX_WORDS).map((_, i) => words.slice(i).join(' '));
}
