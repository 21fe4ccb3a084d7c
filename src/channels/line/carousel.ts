import type { Card, Unsupported } from '../channel.ts';
import { actionsOf } from './actions.ts';

/*
 * https://developers.line.biz/en/reference/messaging-api/#carousel
 * All columns have the same number of actions, and either all have an image or none has.
 */

const MAX_ACTIONS = 3;
const MAX_LABEL = 20;
const MAX_TEXT = 120;
const MAX_TEXT_BELOW_IMAGE = 60;
const MAX_ALT_TEXT = 400;
const IMAGE = /^image\/(?:jpe?g|png)$/i;

interface CarouselMessage {
  type: 'template';
  altText: string;
  template: { type: 'carousel'; columns: readonly object[] };
}

export function lineCarousel(cards: readonly Card[]): Unsupported | CarouselMessage {
  const columns: object[] = [];
  const [first] = cards;
  for (const { image, mediaType, text, buttons } of cards) {
    const hasImage = image !== undefined;
    const max = hasImage ? MAX_TEXT_BELOW_IMAGE : MAX_TEXT;
    const actions = actionsOf(buttons);
    if ('unsupported' in actions) return actions;
    const isEven = buttons.length === first?.buttons.length;
    if (!isEven || hasImage !== (first.image !== undefined)) {
      return { unsupported: 'LINE requires all cards to have the same elements' };
    }
    if (text.text.trim() === '' || text.text.length > max) {
      return { unsupported: `LINE accepts 1 to ${max} characters per card` };
    }
    const isShown = !hasImage || (image.startsWith('https://') && image.length <= 2000);
    if (!isShown || (mediaType !== undefined && !IMAGE.test(mediaType))) {
      return { unsupported: 'LINE shows JPEG and PNG images from https URLs only' };
    }
    if (actions.length > MAX_ACTIONS || buttons.some(({ name }) => name.length > MAX_LABEL)) {
      return {
        unsupported: `LINE accepts at most ${MAX_ACTIONS} buttons of ${MAX_LABEL} characters per card`,
      };
    }
    columns.push({ ...(hasImage && { thumbnailImageUrl: image }), text: text.text, actions });
  }
  // Shown in notifications, and on devices without carousels.
  const altText = cards
    .map(({ text }) => text.text)
    .join('\n')
    .slice(0, MAX_ALT_TEXT);
  return { type: 'template', altText, template: { type: 'carousel', columns } };
}
