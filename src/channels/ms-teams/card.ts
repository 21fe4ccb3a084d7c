import { member, textMember } from '../../lib/json/json-member.ts';
import { unstyled } from '../../lib/rich-text/rich-text.ts';
import { toHtml } from '../../lib/rich-text/writers.ts';

/*
 * Hero cards: https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-reference
 * Teams responds with `202` and no id to a message with both text and attachments, which could then not be edited. So
 * the text goes into the card, which is HTML regardless of `textFormat`.
 */

type Body = Readonly<Record<string, unknown>>;

interface HeroCard {
  text?: string;
  images?: readonly { url: string; alt?: string }[];
  buttons?: readonly object[];
}

const HERO = 'application/vnd.microsoft.card.hero';

export const heroCard = (content: HeroCard): object => ({ contentType: HERO, content });

export const imageOf = (url: string, name: string | undefined): HeroCard => ({
  images: [{ url, ...(name !== undefined && { alt: name }) }],
});

/** The message as one card, with these buttons below its content. */
export function withButtons(body: Body, buttons: readonly object[]): Body {
  const { text = '', textFormat, attachments, ...rest } = body;
  const shown = member(attachments, '0');
  const [url, card] = [textMember(shown, 'contentUrl'), member(shown, 'content')];
  const before = url === undefined ? card : imageOf(url, textMember(shown, 'name'));
  const textField = text === '' ? {} : { text: htmlOf(String(text), textFormat) };
  return {
    ...rest,
    attachments: [heroCard({ ...textField, ...(typeof before === 'object' && before), buttons })],
  };
}

const htmlOf = (text: string, format: unknown) =>
  format === 'plain' ? toHtml(unstyled(text), '<br>') : text;
