import { gotify } from '../../../src/channels/gotify.ts';
import { TOKEN, gotifyError, openGotify } from '../../emulators/gotify.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_SENSE, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS, WITHOUT_TOKEN } from '../own-server.ts';
import { type Case, testChannel } from '../suite.ts';

type GotifyCase = Case<Request, Reply | Accident>;

const SENT = { outcome: 'sent', id: '25' } as const;
const MARKDOWN = { 'client::display': { contentType: 'text/markdown' } };

/** What must arrive as it was written. */
const TEXTS = {
  ...ODD_TEXTS,
  'what would be Markdown': '# *bold* _italic_ [a](https://example.com) `code` \\_ <b>',
};

const texts = Object.entries(TEXTS).map(([name, message]): GotifyCase => ({
  it: `sends ${name}`,
  message: { text: message },
  sees: [{ method: 'POST', path: '/message', text: JSON.stringify({ message }) }],
  outcome: SENT,
}));

/** Gotify repeats the text, so of these the answer is not read to the end. */
const long = ['x'.repeat(65_535), '*'.repeat(65_535)].map((message): GotifyCase => ({
  it: `sends the longest text of ${message.slice(0, 1)}`,
  message: { text: message },
  sees: [{ json: { message } }],
  outcome: SENT,
}));

const refusal = (blame: 'credentials' | 'content', status: number, said: string): GotifyCase => ({
  it: `blames the ${blame} for ${said}`,
  answers: [gotifyError(status, said)],
  outcome: { outcome: 'permanent', blame, code: String(status), detail: said },
});

testChannel(gotify, {
  open: openGotify,
  credentials: ({ url }) => ({ address: url, token: TOKEN }),
  recipient: 'ops',
  cases: [
    ...texts,
    ...long,
    {
      it: 'sends a text that is one longer in two',
      message: { text: 'x'.repeat(65_536) },
      sees: [{}, { json: { message: 'x' } }],
      outcome: { outcome: 'sent', id: '26' },
    },
    {
      it: 'says who it is in a header',
      sees: [{ headers: { 'x-gotify-key': TOKEN, 'content-type': 'application/json' } }],
      outcome: SENT,
    },
    {
      it: 'sends formatted text as Markdown, with other signs escaped',
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
      it: 'sends a title, too',
      message: { object: { name: 'Größe 😀' } },
      sees: [{ json: { title: 'Größe 😀', message: 'Good morning!' } }],
      outcome: SENT,
    },
    {
      it: 'sends a picture with a caption',
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
      it: 'sends a picture alone',
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
      it: `asks nobody about the token of a client: ${token}`,
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
      it: `waits when somebody limits it, with ${JSON.stringify(headers)}`,
      answers: [{ status: 429, headers, body: 'slow down' }],
      outcome: {
        outcome: 'limited',
        whom: 'integration',
        ...('retry-after' in headers && { seconds: 3 }),
        code: '429',
      },
    })),
    {
      it: 'tries again after an error of the server, which may have sent it',
      answers: [gotifyError(500, 'database is locked')],
      outcome: { ...transient(true, '500'), detail: 'database is locked' },
    },
    ...BEHIND_GATEWAY,
    ...WITHOUT_SENSE,
    ...WITHOUT_ANSWER,

    {
      it: 'tells that the token is an application’s, and sends nothing',
      calls: 'check',
      sees: [{ method: 'POST', path: '/message', text: '{}' }],
      outcome: { outcome: 'known', as: 'an application of this server' },
    },
    {
      it: "tells that a token is nobody's",
      calls: 'check',
      credentials: { token: 'Afake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'cannot tell whose token it is when the server is down',
      calls: 'check',
      answers: [{ status: 503, body: '' }],
      outcome: transient(false, '503'),
    },
  ],
});
