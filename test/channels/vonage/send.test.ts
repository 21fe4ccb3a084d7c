import type { Blame } from '../../../src/channels/channel.ts';
import { vonage } from '../../../src/channels/vonage/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import {
  API_KEY,
  API_SECRET,
  APPLICATION,
  NUMBERS,
  PRIVATE_KEY,
  SENDERS,
  openVonage,
  problem,
  statuses,
} from '../../emulators/sms/vonage.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, HOOK_URL, testChannel } from '../suite.ts';
import { NETWORK_CASES } from './networks.ts';
import { OPTION_CASES } from './options.ts';

type VonageCase = Case<Request, Reply | ConnectionFault>;

const TEXTS = {
  'ordinary text': 'Good morning!',
  'characters that forms encode': 'a=b&c+d%20 #1?',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'markup of other products': '*bold* _italic_ <b>&amp;</b>',
  'line breaks and quotes': 'one\ntwo "three" \\ four',
  'the longest text': 'x'.repeat(1000),
  'the longest text of emoji': '👋'.repeat(500),
};

/** Both APIs: their credentials and expected requests. */
const APIS = {
  messages: {
    credentials: {},
    sees: (text: string) => ({
      method: 'POST',
      path: '/v1/messages',
      json: {
        message_type: 'text',
        channel: 'sms',
        to: NUMBERS.person,
        from: SENDERS[0],
        text,
      },
    }),
    id: (count: number) => `aaaaaaaa-bbbb-cccc-dddd-00000000000${count}`,
  },
  older: {
    credentials: { consumer_key: undefined, consumer_secret: undefined },
    sees: (text: string) => ({
      method: 'POST',
      path: '/sms/json',
      form: {
        api_key: API_KEY,
        api_secret: API_SECRET,
        from: SENDERS[0],
        to: NUMBERS.person,
        text,
        type: /[\u0400-\uffff]/.test(text) ? 'unicode' : 'text',
      },
    }),
    id: (count: number) => `0A000000012300${count}`,
  },
} as const;

const OLDER = APIS.older.credentials;

function casesOf(name: keyof typeof APIS): VonageCase[] {
  const { credentials, sees, id } = APIS[name];
  const of = (sentence: string) => `${sentence} (${name})`;
  const permanent = (blame: Blame, code: string) => ({
    outcome: 'permanent' as const,
    blame,
    code,
  });
  const isNewer = name === 'messages';
  return [
    ...Object.entries(TEXTS).map(([what, text]): VonageCase => ({
      it: of(`sends ${what}`),
      credentials,
      message: { text },
      sees: [sees(text)],
      outcome: { outcome: 'sent', id: id(1) },
    })),
    {
      it: of('sends a text over the limit as two messages'),
      credentials,
      message: { text: `${'x'.repeat(900)} ${'y'.repeat(100)}` },
      sees: [sees('x'.repeat(900)), sees('y'.repeat(100))],
      outcome: { outcome: 'sent', id: id(2) },
    },
    {
      it: of('sends formatted text as plain text and an image as a link'),
      credentials,
      message: {
        text: '**Hi** _you_ 2\\*3',
        object: {
          mediaType: 'text/markdown',
          attachment: [{ type: 'Image', url: 'https://example.com/a.png' }],
        },
      },
      sees: [sees('Hi you 2*3\nhttps://example.com/a.png')],
      outcome: { outcome: 'sent', id: id(1) },
    },
    {
      it: of('requests delivery reports for the message'),
      credentials,
      sees: [isNewer ? { json: { webhook_url: HOOK_URL } } : { form: { callback: HOOK_URL } }],
      outcome: { outcome: 'sent', id: id(1) },
    },
    {
      it: of('sends from an alphanumeric sender'),
      credentials: { ...credentials, username: SENDERS[1] },
      outcome: { outcome: 'sent', id: id(1) },
    },
    {
      it: of('blames a barred recipient'),
      credentials,
      message: { recipient: NUMBERS.barred },
      outcome: permanent('recipient', isNewer ? '1050' : '7'),
    },
    {
      it: of('blames the credentials when the sender is not allowed'),
      credentials: { ...credentials, username: 'Somebody' },
      outcome: permanent('credentials', isNewer ? '1120' : '15'),
    },
    {
      it: of('rate limited: waits when the response is not JSON'),
      credentials,
      answers: [{ status: 429, headers: { 'retry-after': '3' }, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 3, code: '429' },
    },
    ...([500, 502] as const).map((status): VonageCase => ({
      it: of(`retries after ${status}: the message may have been sent`),
      credentials,
      answers: [{ status, body: '<html>' }],
      outcome: transient(true, String(status)),
    })),
    ...([302, 404, 503] as const).map((status): VonageCase => ({
      it: of(`retries after ${status}: the message was not sent`),
      credentials,
      answers: [{ status, body: '<html>' }],
      outcome: transient(false, String(status)),
    })),
    ...[...WITHOUT_ANSWER, ...WITHOUT_ID].map((each) => withCredentials(each, of(each.it))),
  ];

  function withCredentials(each: VonageCase, sentence: string): VonageCase {
    return { ...each, it: sentence, credentials };
  }
}

const refusal = (status: number, code: string, title: string, blame: Blame): VonageCase => ({
  it: `blames the ${blame} for ${status} ${code}`,
  answers: [problem(status, code, title)],
  outcome: { outcome: 'permanent', blame, code, detail: `${title}: Details` },
});

const older = (blame: Blame, code: string, text: string): VonageCase => ({
  it: `blames the ${blame} for status ${code}: ${text}`,
  credentials: OLDER,
  answers: [statuses([code, text])],
  outcome: { outcome: 'permanent', blame, code, detail: text },
});

testChannel(vonage, {
  open: openVonage,
  credentials: {
    token: API_KEY,
    secret: API_SECRET,
    username: SENDERS[0],
    consumer_key: APPLICATION,
    consumer_secret: PRIVATE_KEY,
  },
  recipient: NUMBERS.person,
  cases: [
    ...OPTION_CASES,
    ...casesOf('messages'),
    ...casesOf('older'),
    ...NETWORK_CASES,
    {
      it: 'accepts a private key with escaped line breaks',
      credentials: { consumer_secret: PRIVATE_KEY.replaceAll('\n', '\\n') },
      outcome: { outcome: 'sent', id: APIS.messages.id(1) },
    },
    {
      it: 'needs no account when it has an application',
      credentials: { token: undefined, secret: undefined },
      outcome: { outcome: 'sent', id: APIS.messages.id(1) },
    },

    refusal(402, 'low-balance', 'Low balance', 'credentials'),
    refusal(403, 'unprovisioned', 'No access to the requested product', 'credentials'),
    refusal(422, '1170', 'Something new', 'recipient'),
    refusal(422, '9999', 'Invalid recipient', 'recipient'),
    refusal(422, '9999', 'Invalid sender', 'credentials'),
    refusal(422, '1020', 'Invalid params', 'content'),
    refusal(422, '1340', 'Outside of the allowed window', 'window_closed'),
    {
      it: 'blames the credentials when the private key belongs to another application',
      credentials: { consumer_key: '00000000-323d-0114-9c3d-d6f0d48968cf' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'unauthorized' },
    },
    {
      it: 'rate limited: waits as long as the Messages API says',
      answers: [problem(429, '1000', 'Rate Limit Hit', { 'retry-after': '2' })],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 2, code: '1000' },
    },
    {
      it: 'rate limited: waits when the Messages API gives no time',
      answers: [problem(429, '1000', 'Rate Limit Hit')],
      outcome: { outcome: 'limited', scope: 'integration', code: '1000' },
    },
    {
      it: 'retries after a Messages API error: the message may have been sent',
      answers: [problem(500, '1000', 'Internal error')],
      outcome: transient(true, '1000'),
    },
    {
      it: 'retries when nothing was submitted',
      answers: [problem(422, '1100', 'Communication Failed')],
      outcome: transient(false, '1100'),
    },

    older('content', '2', 'Missing text param'),
    older('content', '3', 'Invalid value for param: ttl'),
    older('recipient', '3', 'Invalid value for param: to'),
    older('credentials', '3', 'Invalid value for param: from'),
    older('credentials', '9', 'Partner quota exceeded'),
    older('recipient', '29', 'Non White-listed Destination'),
    older('recipient', '6', 'Unroutable message - rejected'),
    {
      it: 'blames the credentials when the secret is wrong',
      credentials: { ...OLDER, secret: 'fake-secret-that-was-rolled' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '4' },
    },
    {
      it: 'rate limited: waits as long as the SMS API says',
      credentials: OLDER,
      answers: [statuses(['1', 'Throughput Rate Exceeded - please wait [ 1250 ] and retry'])],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 2, code: '1' },
    },
    {
      it: 'rate limited: waits when the SMS API gives no time',
      credentials: OLDER,
      answers: [statuses(['1', 'Throttled'])],
      outcome: { outcome: 'limited', scope: 'integration', code: '1' },
    },
    {
      it: 'retries after an SMS API error: the message may have been sent',
      credentials: OLDER,
      answers: [statuses(['5', 'Internal Error'])],
      outcome: transient(true, '5'),
    },
    {
      it: 'retries after status 13: nothing was submitted',
      credentials: OLDER,
      answers: [statuses(['13', 'Communication Failed'])],
      outcome: transient(false, '13'),
    },
    {
      it: 'does not retry when part of a text was submitted',
      credentials: OLDER,
      answers: [statuses(['0'], ['1', 'please wait [ 5 ] and retry'])],
      outcome: transient(true, '1'),
    },

    ...(
      [
        { consumer_key: 'fake' },
        { consumer_secret: 'fake' },
        { consumer_secret: '-----BEGIN PRIVATE KEY-----\nfake\n-----END PRIVATE KEY-----' },
        { ...OLDER, token: '' },
        { ...OLDER, token: 'a:b' },
        { ...OLDER, secret: 'fake\r\n' },
      ] as const
    ).flatMap((credentials): VonageCase[] =>
      (['send', 'check'] as const).map((calls) => ({
        it: `sends no request with the invalid credentials ${JSON.stringify(credentials)} (${calls})`,
        calls,
        credentials,
        sees: [],
        outcome: { outcome: 'permanent', blame: 'credentials' },
      })),
    ),

    {
      it: 'check: accepts a known application and sends nothing',
      calls: 'check',
      sees: [{ path: '/v1/messages', json: {} }],
      outcome: { outcome: 'known', as: `application ${APPLICATION}`, account: APPLICATION },
    },
    {
      it: 'check: rejects an unknown application',
      calls: 'check',
      credentials: { consumer_key: '00000000-323d-0114-9c3d-d6f0d48968cf' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'unauthorized' },
    },
    {
      it: 'check: accepts a known account and sends nothing',
      calls: 'check',
      credentials: OLDER,
      sees: [{ method: 'GET', path: '/account/get-balance' }],
      outcome: { outcome: 'known', as: `account ${API_KEY}`, account: API_KEY },
    },
    {
      it: 'check: rejects an unknown account',
      calls: 'check',
      credentials: { ...OLDER, secret: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '401' },
    },
  ],
});
