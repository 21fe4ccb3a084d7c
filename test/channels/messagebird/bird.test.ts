import type { Blame } from '../../../src/channels/channel.ts';
import { messagebird } from '../../../src/channels/messagebird/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { CHANNEL, KEY, WORKSPACE, birdError, openBird } from '../../emulators/sms/bird.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { type Case, testChannel } from '../suite.ts';

/* The messagebird channel with a Bird workspace and channel. */

type BirdCase = Case<Request, Reply | ConnectionFault>;

const RECIPIENT = '31612345678';
const PATH = `/workspaces/${WORKSPACE}/channels/${CHANNEL}`;
const sent = (count = 1) => ({
  outcome: 'sent' as const,
  id: `96a0b5fa-a986-453d-be5c-00000000000${count}`,
});
const textBody = (text: string) => ({ json: { body: { type: 'text', text: { text } } } });

const TEXTS: Readonly<Record<string, string>> = {
  'ordinary text': 'Good morning!',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'markup of other products': '*bold* _italic_ <b>&amp;</b>',
  'the longest text': 'x'.repeat(1377),
  'the longest Unicode text': 'ש'.repeat(603),
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
    {
      it: 'sends without the options of the classic API',
      message: { options: { ttl: 600, flash: true }, endTime: '2999-01-01T00:00:00Z' },
      sees: [{ path: `${PATH}/messages` }],
      outcome: sent(),
    },
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
      it: 'sends to a number with a leading plus',
      message: { recipient: `+${RECIPIENT}` },
      sees: [{ json: { receiver: { contacts: [{ identifierValue: `+${RECIPIENT}` }] } } }],
      outcome: sent(),
    },
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: 'x'.repeat(1378) },
      sees: [textBody('x'.repeat(1377)), textBody('x')],
      outcome: sent(2),
    },
    {
      it: 'sends formatted text as plain text and an image as a link',
      message: {
        text: '**Hi** _you_',
        object: {
          mediaType: 'text/markdown',
          attachment: [{ type: 'Image', url: 'https://example.com/a.png' }],
        },
      },
      sees: [textBody('Hi you\nhttps://example.com/a.png')],
      outcome: sent(),
    },
    {
      it: 'blames the credentials when the key is wrong',
      credentials: { token: 'fake-key-that-was-revoked' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'Unauthorized' },
    },
    {
      it: 'blames the credentials when the channel does not exist',
      credentials: { address: '00000000-b153-4d5d-9989-2fddfc0ce4c3' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'NotFound' },
    },
    {
      it: 'blames the content when the text is empty',
      message: { text: ' ' },
      outcome: { outcome: 'permanent', blame: 'content', code: 'InvalidPayload' },
    },
    refusal('credentials', 402, 'InsufficientBalance'),
    refusal('credentials', 403, 'Forbidden'),
    refusal('recipient', 422, 'InvalidPayload', {
      '.receiver.contacts[0].identifierValue': ['is not a phone number'],
    }),
    refusal('content', 422, 'InvalidPayload', { '.body.text.text': ['is too long'] }),
    {
      it: 'blames the content for details with a number beyond 2^53',
      answers: [
        {
          status: 422,
          body: '{"code":"InvalidPayload","message":"because","details":[9223372036854775807]}',
        },
      ],
      outcome: {
        outcome: 'permanent',
        blame: 'content',
        code: 'InvalidPayload',
        detail: 'because',
      },
    },
    ...(
      [
        { token: 'fäke' },
        { token: 'a\r\nb' },
        { consumer_key: 'x/../y' },
        { address: 'fake' },
      ] as const
    ).map((credentials): BirdCase => ({
      it: `sends no request with the invalid credentials ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),
    {
      it: 'rate limited: waits as long as the response says',
      answers: [{ ...birdError(429, 'TooManyRequests', 'slow'), headers: { 'retry-after': '4' } }],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 4, code: 'TooManyRequests' },
    },
    {
      it: 'rate limited: waits when the response gives no time',
      answers: [birdError(429, 'TooManyRequests', 'slow')],
      outcome: { outcome: 'limited', scope: 'integration', code: 'TooManyRequests' },
    },
    {
      it: 'retries after an internal error: the message may have been sent',
      answers: [birdError(500, 'InternalError', 'oh')],
      outcome: transient(true, 'InternalError'),
    },
    ...([302, 404, 503] as const).map((status): BirdCase => ({
      it: `retries after ${status} from something other than Bird: the message was not sent`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(false, String(status)),
    })),
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,
    {
      it: 'check: names the channel and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: PATH }],
      outcome: { outcome: 'known', as: 'Acme SMS' },
    },
    {
      it: 'check: rejects an inactive channel',
      calls: 'check',
      answers: [{ status: 200, body: { id: CHANNEL, name: 'Acme SMS', status: 'pending' } }],
      outcome: { outcome: 'known', as: 'Acme SMS, which is pending', account: 'Acme SMS' },
    },
    {
      it: 'check: rejects an unknown key',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: 'Unauthorized' },
    },
  ],
});
