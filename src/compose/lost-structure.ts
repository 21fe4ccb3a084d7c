import type { TextLimit } from '../channels/channel.ts';
import { groupDigits } from '../lib/text/grouped-digits.ts';
import { type Content, MAX_FORMAT_CHANGES } from './content.ts';
import type { Degradations } from './degradations.ts';

/**
 * Records structure that rich text cannot express, or that the channel does not show. `isFormatted`: whether this
 * recipient sees formatting.
 */
export function noteLostStructure(
  { structure, items }: Content,
  title: string,
  { shows, dropsIndents }: TextLimit,
  isFormatted: boolean,
  degradations: Degradations,
): void {
  const isShown = (what: 'tables' | 'headings' | 'lists') => shows?.includes(what) === true;
  if (structure.hasTable && !isShown('tables')) {
    degradations.add('table', `${title} shows no tables`);
  }
  if (structure.hasHeading && !isShown('headings') && isFormatted) {
    degradations.add('heading', `${title} shows no headings`);
  }
  if (structure.hasNestedList && !isShown('lists')) {
    const pieces = items.flatMap((item) => item.pieces);
    const texts = pieces.flatMap((piece) => (piece.kind === 'text' ? piece.rich : piece.caption));
    if (dropsIndents?.(texts) === true) {
      degradations.add('list', `${title} shows no spaces at the beginning of a line`);
    }
  }
  if (structure.formatChanges > MAX_FORMAT_CHANGES) {
    const max = groupDigits(MAX_FORMAT_CHANGES);
    degradations.add('formatting', `a message may change its formatting ${max} times`);
  }
  // A channel that shows code blocks also shows their language.
  if (structure.hasCodeLanguage && !shows && isFormatted) {
    degradations.add('language', `${title} does not show the language of code blocks`);
  }
  if (structure.hasDeadLink) {
    degradations.add('link', 'only http, https, mailto and tel addresses can be links');
  }
}
