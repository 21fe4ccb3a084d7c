import type { Destination, Channel } from '../channels/channel.ts';
import { type Formatted, FormattedTexts } from '../lib/rich-text/accidental-formats.ts';
import type { RichText } from '../lib/rich-text/rich-text.ts';

/** The unintended formatting that the product may apply to texts sent as plain text. */
export function formattedIn(
  texts: readonly RichText[],
  { text }: Channel,
  to: Destination,
): readonly Formatted[] {
  const found = new FormattedTexts();
  for (const rich of texts) {
    const rules = text?.formats?.(rich, to) ?? [];
    if (rules.length > 0) found.add(withoutCode(rich), rules);
  }
  return found.list;
}

/** Products format nothing inside code. */
function withoutCode(rich: RichText): string {
  return rich.map(({ text, look }) => (look.code || look.block ? ' ' : text)).join('');
}
