import assert from 'node:assert/strict';

import { msTeams } from '../../../src/channels/ms-teams/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';
import { assertListed, linkButton } from '../unsupported.ts';

type TeamsCase = Case<Request, Reply | ConnectionFault>;

const ISSUE = { method: 'POST', path: '/botframework.com/oauth2/v2.0/token' };
const SENT = { outcome: 'sent', id: '1700000000001' } as const;

const photo = (more = {}) => ({
  object: { type: 'Image', url: 'https://example.com/a.png', mediaType: 'image/png', ...more },
});

const longLink = (length: number) => ({
  text: 'x'.repeat(40_000),
  object: { attachment: Array.from({ length: 6 }, () => linkButton(length)) },
});

/** Images, captions and buttons. */
export const cardCases: readonly TeamsCase[] = [
  {
    it: 'sends an image by its address',
    message: photo({ name: 'a.png' }),
    sees: [
      ISSUE,
      {
        json: {
          attachments: [
            { contentType: 'image/png', contentUrl: 'https://example.com/a.png', name: 'a.png' },
          ],
        },
      },
    ],
    outcome: SENT,
  },
  {
    it: 'sends a caption in the card of its image, so that one id can be edited',
    message: photo({ name: 'a.png', content: 'A <cat>' }),
    sees: [
      ISSUE,
      {
        json: {
          attachments: [
            {
              contentType: 'application/vnd.microsoft.card.hero',
              content: {
                text: 'A &lt;cat&gt;',
                images: [{ url: 'https://example.com/a.png', alt: 'a.png' }],
              },
            },
          ],
        },
      },
    ],
    outcome: SENT,
  },
  {
    it: 'sends buttons in one card with their text, so that one id can be edited',
    message: {
      text: 'a <b>\nc',
      object: { attachment: [{ type: 'Button', name: 'Yes', value: 'order-7' }] },
    },
    sees: [
      ISSUE,
      {
        json: {
          attachments: [
            {
              content: {
                text: 'a &lt;b&gt;<br>c',
                buttons: [{ title: 'Yes', value: { value: 'order-7' } }],
              },
            },
          ],
        },
      },
    ],
    outcome: SENT,
  },
  ...(
    [
      photo({ mediaType: 'image/webp' }),
      photo({ type: 'Video', mediaType: 'video/mp4' }),
      photo({ type: 'Document', mediaType: 'application/pdf' }),
    ] as const
  ).map((message): TeamsCase => ({
    it: `sends a link to ${message.object.mediaType}`,
    message,
    sees: [ISSUE, { json: { text: 'https://example.com/a.png' } }],
    outcome: SENT,
  })),
  {
    it: 'sends the maximum number of buttons below the longest text',
    message: longLink(1500),
    sees: [ISSUE, { json: { attachments: [{ content: { text: 'x'.repeat(40_000) } }] } }],
    outcome: SENT,
  },
  {
    it: 'lists all buttons in the text when they exceed the request limit',
    message: longLink(2048),
    sees: [ISSUE, { json: { textFormat: 'plain' } }, { json: { textFormat: 'plain' } }],
    outcome: { outcome: 'sent', id: '1700000000002' },
    also(seen) {
      assert.ok(seen.every(({ text }) => !text.includes('attachments')));
      assertListed(msTeams, longLink(2048), 'at most 100 KB');
    },
  },
  {
    it: 'sends buttons below an image',
    message: photo({
      attachment: [
        { type: 'Button', name: 'Yes' },
        { type: 'Button', name: 'More', url: 'https://example.com/' },
      ],
    }),
    sees: [
      ISSUE,
      {
        json: {
          attachments: [
            {
              contentType: 'application/vnd.microsoft.card.hero',
              content: {
                images: [{ url: 'https://example.com/a.png' }],
                buttons: [
                  { type: 'messageBack', title: 'Yes', displayText: 'Yes', text: 'Yes' },
                  { type: 'openUrl', title: 'More', value: 'https://example.com/' },
                ],
              },
            },
          ],
        },
      },
    ],
    outcome: SENT,
  },
];
