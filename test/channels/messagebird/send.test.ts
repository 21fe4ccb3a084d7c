import type { Blame } from '../../../src/channels/channel.ts';
import { messagebird } from '../../../src/channels/messagebird/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { KEY, messageBirdError, openMessageBird } from '../../emulators/sms/messagebird.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { HOOK_URL, type Case, testChannel } from '../suite.ts';
import { OPTION_CASES } from './options.ts';

type BirdCase = Case<Request, Reply | ConnectionFault>;

const RECIPIENT = '31612345678';
const sent = (count = 1) => ({
  outcome: 'sent' as const,
  id: `e8077d803532c0b5937c639b6021000${count}`,
});

/** Texts and their expected encoding. */
const TEXTS: Readonly<Record<string, readonly [string, 'plain' | 'unicode']>> = {
  'ordinary text': ['Good morning!', 'plain'],
  'the GSM alphabet': ['Grüße, 5 € @ [x] \n', 'plain'],
  emoji: ['👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽', 'unicode'],
  'right-to-left text': ['שלום עולם مرحبا \u202eabc\u202c', 'unicode'],
  'markup of other products': ['*bold* _italic_ <b>&amp;</b>', 'plain'],
  'quotes and tabs': ['“one”\t"two" \\', 'unicode'],
  'the longest text': ['x'.repeat(1377), 'plain'],
  'the longest text of two-unit characters': [`x${'€'.repeat(688)}`, 'plain'],
  'the longest Unicode text': ['ש'.repeat(603), 'unicode'],
};

const refusal = (blame: Blame, status: number, code: number, parameter?: string): BirdCase => ({
  it: `blames the ${blame} for ${code} of ${parameter ?? 'nothing'} with ${status}`,
  answers: [messageBirdError(status, code, 'because', parameter)],
  outcome: { outcome: 'permanent', blame, code: String(code), detail: 'because' },
});

testChannel(messagebird, {
  open: openMessageBird,
  credentials: { token: KEY, username: 'Acme', secret: 'canary-of-the-hook' },
  recipient: RECIPIENT,
  cases: [
    ...OPTION_CASES,
    ...Object.entries(TEXTS).map(([name, [body, datacoding]]): BirdCase => ({
      it: `sends ${name}`,
      message: { text: body },
      sees: [
        {
          method: 'POST',
          path: '/messages',
          headers: { authorization: `AccessKey ${KEY}` },
          json: { originator: 'Acme', recipients: [RECIPIENT], body, datacoding },
        },
      ],
      outcome: sent(),
    })),
    {
      it: 'sends to a number with a leading plus',
      message: { recipient: `+${RECIPIENT}` },
      sees: [{ json: { recipients: [RECIPIENT] } }],
      outcome: sent(),
    },
    ...(
      [
        ['x', 1377],
        ['ש', 603],
      ] as const
    ).map(([character, most]): BirdCase => ({
      it: `sends ${most + 1} times ${character} as two messages`,
      message: { text: character.repeat(most + 1) },
      sees: [{ json: { body: character.repeat(most) } }, { json: { body: character } }],
      outcome: sent(2),
    })),
    {
      it: 'sends formatted text as plain text and an image as a link',
      message: {
        text: '**Hi** _you_ 2\\*3',
        object: {
          mediaType: 'text/markdown',
          attachment: [{ type: 'Image', url: 'https://example.com/a.png' }],
        },
      },
      sees: [{ json: { body: 'Hi you 2*3\nhttps://example.com/a.png' } }],
      outcome: sent(),
    },

    {
      it: 'blames the credentials when the key is wrong',
      credentials: { token: 'fake-key-that-was-revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '2', detail: 'not allowed' },
    },
    {
      it: 'blames the credentials when the sender is invalid',
      credentials: { username: 'Acme & Sons Ltd' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '10' },
    },
    {
      it: 'blames the content when the text is empty',
      message: { text: ' ' },
      outcome: { outcome: 'permanent', blame: 'content', code: '9' },
    },
    refusal('recipient', 422, 10, 'recipients'),
    refusal('credentials', 422, 25),
    refusal('credentials', 403, 77),
    refusal('content', 422, 10, 'body'),
    refusal('content', 400, 77),
    ...['', 'fake key', 'fake\r\nx: y', 'fäke'].map((token): BirdCase => ({
      it: `sends no request with the malformed key ${JSON.stringify(token)}`,
      credentials: { token },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    {
      it: 'rate limited: waits as long as the response says',
      answers: [{ ...messageBirdError(429, 98, 'too many'), headers: { 'retry-after': '4' } }],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 4, code: '98' },
    },
    {
      it: 'rate limited: waits when the response gives no time',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    ...([422, 500] as const).map((status): BirdCase => ({
      it: `retries after an internal error with ${status}: the message may have been sent`,
      answers: [messageBirdError(status, 99, 'Internal error')],
      outcome: transient(true, '99'),
    })),
    ...([302, 404, 503] as const).map((status): BirdCase => ({
      it: `retries after ${status}: the message was not sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(false, String(status)),
    })),
    {
      it: 'requests delivery reports for the message',
      sees: [{ json: { reference: 'message-1-part-1', reportUrl: HOOK_URL } }],
      outcome: sent(),
    },
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'check: accepts a valid key and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/balance' }],
      outcome: { outcome: 'known', as: 'a prepaid account', account: null },
    },
    {
      it: 'check: rejects an unknown key',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '2' },
    },
  ],
});
