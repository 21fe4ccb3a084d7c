import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type GotifyCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: '25' } as const;
const CLICK = { click: { url: 'https://example.com/7' } };

export const OPTION_CASES: readonly GotifyCase[] = [
  ...[0, 10].map((priority): GotifyCase => ({
    it: `sends with priority ${priority}`,
    message: { options: { priority } },
    sees: [{ json: { priority } }],
    outcome: SENT,
  })),
  {
    it: 'sends a click URL',
    message: { options: { click: CLICK.click.url } },
    sees: [{ json: { extras: { 'client::notification': CLICK } } }],
    outcome: SENT,
  },
  {
    it: 'sends a click URL with an image',
    message: {
      object: { type: 'Image', url: 'https://example.com/a.png' },
      options: { click: CLICK.click.url },
    },
    sees: [
      {
        json: {
          extras: {
            'client::display': { contentType: 'text/markdown' },
            'client::notification': { bigImageUrl: 'https://example.com/a.png', ...CLICK },
          },
        },
      },
    ],
    outcome: SENT,
  },
];
