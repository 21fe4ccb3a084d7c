import { gotify } from '../../../src/channels/gotify.ts';
import { TOKEN, gotifyError, openGotify } from '../../emulators/gotify.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS, WITHOUT_TOKEN } from '../self-hosted.ts';
import { type Case, testChannel } from '../suite.ts';
import { OPTION_CASES } from './options.ts';

type GotifyCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: '25' } as const;
const MARKDOWN = { 'client::display': { contentType: 'text/markdown' } };

/** Texts that must arrive unchanged. */
const TEXTS = {
  ...ODD_TEXTS,
  'Markdown-like text': '# *bold* _italic_ [a](https://example.com) `code` \\_ <b>',
};

const texts = Object.entries(TEXTS).map(([name, message]): GotifyCase => ({
  it: `sends ${name}`,
  message: { text: message },
  sees: [{ method: 'POST', path: '/message', text: JSON.stringify({ message }) }],
  outcome: SENT,
}));

/** Gotify repeats the text, so the response to these is too long to be read to the end. */
const long = ['x'.repeat(65_535), '*'.repeat(65_535)].map((message): GotifyCase => ({
  it: `sends the longest text of ${message.slice(0, 1)}`,
  message: { text: message },
  sees: [{ json: { message } }],
  outcome: SENT,
}));

const refusal = (
  blame: 'credentials' | 'content',
  status: number,
  description: string,
): GotifyCase => ({
  it: `blames the ${blame} for ${description}`,
  answers: [gotifyError(status, description)],
  outcome: { outcome: 'permanent', blame, code: String(status), detail: description },
});

testChannel(gotify, {
  open: openGotify,
  credentials: ({ url }) => ({ address: url, token: TOKEN }),
  recipient: 'ops',
  cases: [
    ...OPTION_CASES,
    ...texts,
    ...long,
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: 'x'.repeat(65_536) },
      sees: [{}, { json: { message: 'x' } }],
      outcome: { outcome: 'sent', id: '26' },
    },
    {
      it: 'authenticates in a header',
      sees: [{ headers: { 'x-gotify-key': TOKEN, 'content-type': 'application/json' } }],
      outcome: SENT,
    },
    {
      it: 'sends formatted text as Markdown and escapes everything else',
      message: {
        text: '**bo_ld** *it* `x*y` [a](https://example.com/)',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          json: {
            message: '**bo\\_ld** *it* `x*y` [a](<https://example.com/>)',
            extras: MARKDOWN,
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a title',
      message: { object: { name: 'Größe 😀' } },
      sees: [{ json: { title: 'Größe 😀', message: 'Good morning!' } }],
      outcome: SENT,
    },
    {
      it: 'sends an image with a caption',
      message: {
        object: {
          type: 'Image',
          url: 'https://example.com/a b.png',
          mediaType: 'image/png',
          name: 'a_b.png',
          content: 'a *caption*',
        },
      },
      sees: [
        {
          json: {
            message: 'a \\*caption\\*\n\n![a\\_b.png](<https://example.com/a%20b.png>)',
            extras: {
              ...MARKDOWN,
              'client::notification': { bigImageUrl: 'https://example.com/a b.png' },
            },
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends an image without a caption',
      message: { object: { type: 'Image', url: 'https://example.com/a.png' } },
      sees: [{ json: { message: '![image](<https://example.com/a.png>)' } }],
      outcome: SENT,
    },
    {
      it: 'sends a file as a link',
      message: { object: { type: 'Document', url: 'https://example.com/a_b.pdf' } },
      sees: [{ text: JSON.stringify({ message: 'https://example.com/a_b.pdf' }) }],
      outcome: SENT,
    },

    {
      it: 'blames the credentials when the token is wrong',
      credentials: { token: 'Afake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401', detail: 'valid access' },
    },
    ...['Cfake-of-a-client', 'gtfyc.fake-of-a-client'].map((token): GotifyCase => ({
      it: `sends no request with a client token: ${token}`,
      credentials: { token },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials', detail: 'application' },
    })),
    refusal('credentials', 403, 'you are not allowed to access this api'),
    refusal('credentials', 404, 'page not found'),
    refusal('credentials', 400, 'appid is required when not authenticating with an application'),
    refusal('content', 400, "Field 'message' is required"),
    ...WITHOUT_ADDRESS,
    ...WITHOUT_TOKEN,

    ...([{ 'retry-after': '3' }, {}] as Record<string, string>[]).map((headers): GotifyCase => ({
      it: `rate limited: waits after a limit with ${JSON.stringify(headers)}`,
      answers: [{ status: 429, headers, body: 'slow down' }],
      outcome: {
        outcome: 'limited',
        scope: 'integration',
        ...('retry-after' in headers && { seconds: 3 }),
        code: '429',
      },
    })),
    {
      it: 'retries after a server error: the message may have been sent',
      answers: [gotifyError(500, 'database is locked')],
      outcome: { ...transient(true, '500'), detail: 'database is locked' },
    },
    ...BEHIND_GATEWAY,
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'check: accepts an application token and sends nothing',
      calls: 'check',
      sees: [{ method: 'POST', path: '/message', text: '{}' }],
      outcome: { outcome: 'known', as: 'an application of this server', account: null },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'Afake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'check: retries when the server is down',
      calls: 'check',
      answers: [{ status: 503, body: '' }],
      outcome: transient(false, '503'),
    },
  ],
});
