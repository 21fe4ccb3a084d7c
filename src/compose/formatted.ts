import type { Addressed, Channel } from '../channels/channel.ts';
import { type Formatted, FormattedTexts } from '../lib/formatting.ts';
import type { RichText } from '../lib/rich-text.ts';

/** What the product may format of texts that go out as they were written. */
export function formattedIn(
  texts: readonly RichText[],
  { text }: Channel,
  to: Addressed,
): readonly Formatted[] {
  const found = new FormattedTexts();
  for (const rich of texts) {
    const rules = text?.formats?.(rich, to) ?? [];
    if (rules.length > 0) found.add(withoutCode(rich), rules);
  }
  return found.list;
}

/** Nothing within code is formatted. */
function withoutCode(rich: RichText): string {
  return rich.map(({ text, look }) => (look.code || look.block ? ' ' : text)).join('');
}
