import { callr } from '../../../src/channels/callr/channel.ts';
import type { Blame } from '../../../src/channels/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { KEY, LOGIN, PASSWORD, callrError, openCallr } from '../../emulators/sms/callr.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';
import { OPTION_CASES } from './options.ts';

type CallrCase = Case<Request, Reply | ConnectionFault>;

const RECIPIENT = '+33123456789';
const sent = (count = 1) => ({ outcome: 'sent' as const, id: `SMS0000${count}` });
const sees = (text: string, from = 'Acme') => ({
  method: 'POST',
  path: '/',
  json: { jsonrpc: '2.0', id: 1, method: 'sms.send', params: [from, RECIPIENT, text, null] },
});

const TEXTS = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'markup of other products': '*bold* _italic_ <b>&amp;</b>',
  'line breaks, tabs and quotes': 'one\ntwo\r\n\t"three" \\ four\u2028five',
  'the longest text': 'x'.repeat(1530),
  'the longest Unicode text': 'ש'.repeat(670),
};

const refusal = (blame: Blame, code: number, message: string): CallrCase => ({
  it: `blames the ${blame} for ${code}: ${message}`,
  answers: [callrError(code, message)],
  outcome: { outcome: 'permanent', blame, code: String(code), detail: message },
});

testChannel(callr, {
  open: openCallr,
  credentials: { token: LOGIN, secret: PASSWORD, username: 'Acme' },
  recipient: RECIPIENT,
  cases: [
    ...OPTION_CASES,
    ...Object.entries(TEXTS).map(([name, text]): CallrCase => ({
      it: `sends ${name}`,
      message: { text },
      sees: [sees(text)],
      outcome: sent(),
    })),
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: 'x'.repeat(1531) },
      sees: [sees('x'.repeat(1530)), sees('x')],
      outcome: sent(2),
    },
    {
      it: 'sends formatted text as plain text and an image as a link',
      message: {
        text: '**Hi** _you_ 2\\*3',
        object: {
          mediaType: 'text/markdown',
          attachment: [{ type: 'Image', url: 'https://example.com/a.png' }],
        },
      },
      sees: [sees('Hi you 2*3\nhttps://example.com/a.png')],
      outcome: sent(),
    },
    {
      it: 'lets CALLR choose the sender when none is set',
      credentials: { username: undefined },
      sees: [sees('Good morning!', '')],
      outcome: sent(),
    },
    {
      it: 'sends with an API key',
      credentials: { token: undefined, secret: undefined, consumer_secret: KEY },
      sees: [{ headers: { authorization: `Api-Key ${KEY}` } }],
      outcome: sent(),
    },

    {
      it: 'blames the credentials when the password is wrong',
      credentials: { secret: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
    {
      it: 'blames the credentials when the sender is not authorized',
      credentials: { username: 'Somebody' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '115' },
    },
    {
      it: 'blames the content when the text is empty',
      message: { text: ' ' },
      outcome: { outcome: 'permanent', blame: 'content', code: '152' },
    },
    refusal('recipient', 151, 'Invalid phone number'),
    refusal('credentials', 1, 'Authentication failed'),
    refusal('credentials', 2, 'Not enough credit'),
    refusal('content', -32_602, 'Invalid params'),
    refusal('content', 99, 'Something new'),
    ...(
      [
        { token: '' },
        { token: 'a:b' },
        { secret: '' },
        { secret: 'fäke' },
        { consumer_secret: 'fake\r\nx: y' },
      ] as const
    ).map((credentials): CallrCase => ({
      it: `sends no request with the invalid credentials ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    {
      it: 'rate limited: waits as long as the response says',
      answers: [{ status: 429, headers: { 'retry-after': '4' }, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 4, code: '429' },
    },
    {
      it: 'rate limited: waits when the response gives no time',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    {
      it: 'retries after an internal error: the message may have been sent',
      answers: [callrError(-32_603, 'Internal error')],
      outcome: transient(true, '-32603'),
    },
    ...([500, 502] as const).map((status): CallrCase => ({
      it: `retries after ${status}: the message may have been sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    ...([302, 404, 503] as const).map((status): CallrCase => ({
      it: `retries after ${status}: the message was not sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'check: accepts a known user and sends nothing',
      calls: 'check',
      sees: [{ json: { method: 'webhooks.get_event_types', params: [] } }],
      outcome: { outcome: 'known', as: `the user ${LOGIN}`, account: LOGIN },
    },
    {
      it: 'check: accepts a known API key',
      calls: 'check',
      credentials: { consumer_secret: KEY },
      outcome: { outcome: 'known', as: 'the owner of an API key', account: null },
    },
    {
      it: 'check: rejects an unknown user',
      calls: 'check',
      credentials: { secret: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
  ],
});
