import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case, TestMessage } from '../suite.ts';

/* Collection items with their own buttons. */

type LineCase = Case<Request, Reply | ConnectionFault>;

const button = (name: string, value: string) => ({ type: 'Button', name, value });
const note = (content: string, ...attachment: object[]) => ({ type: 'Note', content, attachment });
const imageItem = (name: string, content: string, ...attachment: object[]) => ({
  ...note(content, ...attachment),
  type: 'Image',
  url: `https://example.com/${name}.png`,
});

const buy = (what: string) => button('Buy', `buy:${what}`);
const postback = (what: string) => ({
  type: 'postback',
  label: 'Buy',
  data: `["Buy","buy:${what}"]`,
  displayText: 'Buy',
});

const collection = (...items: object[]) =>
  ({ object: { type: 'Collection', items } }) as Partial<TestMessage>;

const SENT = (id: string) => ({ outcome: 'sent', id }) as const;

export function lineCarousels(first: string, second: string): readonly LineCase[] {
  return [
    {
      it: 'sends items with images, texts and buttons as a carousel',
      message: collection(
        imageItem('tea', 'Tea', buy('tea')),
        imageItem('coffee', 'Coffee', buy('coffee')),
      ),
      sees: [
        {
          json: {
            messages: [
              {
                type: 'template',
                altText: 'Tea\nCoffee',
                template: {
                  type: 'carousel',
                  columns: [
                    {
                      thumbnailImageUrl: 'https://example.com/tea.png',
                      text: 'Tea',
                      actions: [postback('tea')],
                    },
                    { text: 'Coffee', actions: [postback('coffee')] },
                  ],
                },
              },
            ],
          },
        },
      ],
      outcome: SENT(first),
    },
    {
      it: 'sends items with the longest allowed texts as a carousel',
      message: collection(note('x'.repeat(120), buy('a')), note('y'.repeat(120), buy('b'))),
      sees: [{ json: { messages: [{ type: 'template' }] } }],
      outcome: SENT(first),
    },
    {
      it: 'sends items as separate messages when one is too long for a carousel, the last with buttons',
      message: collection(note('x'.repeat(121), buy('a')), note('Tea', buy('tea'))),
      sees: [
        { json: { messages: [{ text: `${'x'.repeat(121)}\n1. Buy` }] } },
        { json: { messages: [{ text: 'Tea', quickReply: { items: [{ action: {} }] } }] } },
      ],
      outcome: SENT(second),
    },
  ];
}
