import type { Blame } from '../../../src/channels/channel.ts';
import { messagebird } from '../../../src/channels/messagebird/channel.ts';
import { CHANNEL, KEY, WORKSPACE, birdError, openBird } from '../../emulators/bird.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_SENSE, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';

/* The channel messagebird with a workspace and a channel of Bird. */

type BirdCase = Case<Request, Reply | Accident>;

const RECIPIENT = '31612345678';
const PATH = `/workspaces/${WORKSPACE}/channels/${CHANNEL}`;
const sent = (count = 1) => ({
  outcome: 'sent' as const,
  id: `96a0b5fa-a986-453d-be5c-00000000000${count}`,
});
const saying = (text: string) => ({ json: { body: { type: 'text', text: { text } } } });

const TEXTS: Readonly<Record<string, string>> = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'text from right to left': 'שלום עולם مرحبا \u202eabc\u202c',
  'what would be markup elsewhere': '*bold* _italic_ <b>&amp;</b>',
  'the longest text': 'x'.repeat(1377),
  'the longest text in other characters': 'ש'.repeat(603),
};

const refusal = (blame: Blame, status: number, code: string, details?: object): BirdCase => ({
  it: `blames the ${blame} for ${code} with ${status}`,
  answers: [birdError(status, code, 'because', details)],
  outcome: { outcome: 'permanent', blame, code, detail: 'because' },
});

testChannel(messagebird, {
  open: openBird,
  credentials: { token: KEY, consumer_key: WORKSPACE, address: CHANNEL, secret: 'canary' },
  recipient: RECIPIENT,
  cases: [
    ...Object.entries(TEXTS).map(([name, text]): BirdCase => ({
      it: `sends ${name}`,
      message: { text },
      sees: [
        {
          method: 'POST',
          path: `${PATH}/messages`,
          headers: { authorization: `AccessKey ${KEY}` },
          json: {
            receiver: {
              contacts: [{ identifierKey: 'phonenumber', identifierValue: `+${RECIPIENT}` }],
            },
            body: { type: 'text', text: { text } },
            reference: 'message-1-part-1',
          },
        },
      ],
      outcome: sent(),
    })),
    {
      it: 'sends to a number with a plus',
      message: { recipient: `+${RECIPIENT}` },
      sees: [{ json: { receiver: { contacts: [{ identifierValue: `+${RECIPIENT}` }] } } }],
      outcome: sent(),
    },
    {
      it: 'sends in two what is one character longer',
      message: { text: 'x'.repeat(1378) },
      sees: [saying('x'.repeat(1377)), saying('x')],
      outcome: sent(2),
    },
    {
      it: 'sends formatted text as plain text, and a link for a picture',
      message: {
        text: '**Hi** _you_',
        object: {
          mediaType: 'text/markdown',
          attachment: [{ type: 'Image', url: 'https://example.com/a.png' }],
        },
      },
      sees: [saying('Hi you\nhttps://example.com/a.png')],
      outcome: sent(),
    },
    {
      it: 'blames the credentials when the key is wrong',
      credentials: { token: 'fake-key-that-was-revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'Unauthorized' },
    },
    {
      it: 'blames the credentials when there is no such channel',
      credentials: { address: '00000000-b153-4d5d-9989-2fddfc0ce4c3' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'NotFound' },
    },
    {
      it: 'blames the content when it is empty',
      message: { text: ' ' },
      outcome: { outcome: 'permanent', blame: 'content', code: 'InvalidPayload' },
    },
    refusal('credentials', 402, 'InsufficientBalance'),
    refusal('credentials', 403, 'Forbidden'),
    refusal('recipient', 422, 'InvalidPayload', {
      '.receiver.contacts[0].identifierValue': ['is not a phone number'],
    }),
    refusal('content', 422, 'InvalidPayload', { '.body.text.text': ['is too long'] }),
    ...(
      [
        { token: 'fäke' },
        { token: 'a\r\nb' },
        { consumer_key: 'x/../y' },
        { address: 'fake' },
      ] as const
    ).map((credentials): BirdCase => ({
      it: `asks nobody about ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    {
      it: 'waits as long as it is told',
      answers: [{ ...birdError(429, 'TooManyRequests', 'slow'), headers: { 'retry-after': '4' } }],
      outcome: { outcome: 'limited', whom: 'integration', seconds: 4, code: 'TooManyRequests' },
    },
    {
      it: 'waits when it is not told how long',
      answers: [birdError(429, 'TooManyRequests', 'slow')],
      outcome: { outcome: 'limited', whom: 'integration', code: 'TooManyRequests' },
    },
    {
      it: 'tries again after an internal error, when it may have been sent',
      answers: [birdError(500, 'InternalError', 'oh')],
      outcome: transient(true, 'InternalError'),
    },
    ...([302, 404, 503] as const).map((status): BirdCase => ({
      it: `tries again after ${status} of somebody else, when it was surely not sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_SENSE,
    ...WITHOUT_ANSWER,
    {
      it: 'tells which channel it is, and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: PATH }],
      outcome: { outcome: 'known', as: 'Acme SMS' },
    },
    {
      it: 'tells that a channel is not in use',
      calls: 'check',
      answers: [{ status: 200, body: { id: CHANNEL, name: 'Acme SMS', status: 'pending' } }],
      outcome: { outcome: 'known', as: 'Acme SMS, which is pending' },
    },
    {
      it: 'tells that a key is not known',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'Unauthorized' },
    },
  ],
});
