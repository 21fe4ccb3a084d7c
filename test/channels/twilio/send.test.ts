import assert from 'node:assert/strict';

import type { Blame } from '../../../src/channels/channel.ts';
import { twilio } from '../../../src/channels/twilio/channel.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import {
  ACCOUNT,
  KEY,
  KEY_SECRET,
  NUMBERS,
  SENDER,
  SERVICE,
  TOKEN,
  openTwilio,
  tooManyRequests,
  twilioError,
} from '../../emulators/sms/twilio.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { HOOK_URL, type Case, testChannel } from '../suite.ts';
import { OPTION_CASES } from './options.ts';

type TwilioCase = Case<Request, Reply | ConnectionFault>;

const POST = { method: 'POST', path: `/2010-04-01/Accounts/${ACCOUNT}/Messages.json` };
const WHATSAPP = `whatsapp:${NUMBERS.person}`;
const sid = (count: number) => `SM${String(count).padStart(32, '0')}`;
const sent = (count = 1) => ({ outcome: 'sent' as const, id: sid(count) });
const REPORTS = `&StatusCallback=${encodeURIComponent(HOOK_URL)}`;
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

/** Texts that must arrive unchanged by SMS. */
const TEXTS = {
  'ordinary text': 'Good morning!',
  'characters that forms encode': 'a=b&c+d%20 #1?',
  emoji: '👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽',
  'right-to-left text': 'שלום עולם مرحبا \u202eabc\u202c',
  'markup of other products': '*bold* _italic_ ~gone~ `code` <b>&amp;</b> > quoted',
  'line breaks, tabs and quotes': 'one\ntwo\r\n\t"three" \\ four\u2028five',
  'the longest text': 'x'.repeat(1600),
};

/** Texts and the escaped form in which WhatsApp shows them unchanged. */
const SIGNS: Readonly<Record<string, readonly [string, string]>> = {
  'markup characters around words': ['*a* _b_ ~c~ `d` ```e```', '*a* _b_ ~c~ `d` ```e```'],
  'markup characters without a meaning': [
    '2 * 3 * 4 = snake_case_name ~5',
    '2 * 3 * 4 = snake_case_name ~5',
  ],
  'an address': ['_a_ https://example.com/_b_', '_a_ https://example.com/_b_'],
  'line beginnings': ['> a\n- b\n1. c\n-d', '> a\n- b\n1. c\n-d'],
};

const media = (type: string, url: string, mediaType?: string) => ({
  object: { type, url, content: 'Look *here*', ...(mediaType !== undefined && { mediaType }) },
});

const refusal = (blame: Blame, code: number, status = 400): TwilioCase => ({
  it: `blames the ${blame} for ${code}`,
  answers: [twilioError(code, status, 'because')],
  outcome: { outcome: 'permanent', blame, code: String(code), detail: 'because' },
});

testChannel(twilio, {
  open: openTwilio,
  credentials: { token: ACCOUNT, secret: TOKEN, username: SENDER },
  recipient: NUMBERS.person,
  cases: [
    ...OPTION_CASES,
    ...Object.entries(TEXTS).map(([name, text]): TwilioCase => ({
      it: `sends ${name}`,
      message: { text },
      sees: [{ ...POST, form: { To: NUMBERS.person, From: SENDER, Body: text } }],
      outcome: sent(),
    })),
    {
      it: 'authenticates and sends only the needed fields',
      sees: [
        {
          headers: {
            authorization: basic(`${ACCOUNT}:${TOKEN}`),
            'content-type': 'application/x-www-form-urlencoded',
          },
          text: `To=%2B15558675310&From=%2B15557122661&Body=Good+morning%21${REPORTS}`,
        },
      ],
      outcome: sent(),
    },
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: `${'x'.repeat(1000)} ${'y'.repeat(600)}` },
      sees: [{ form: { Body: 'x'.repeat(1000) } }, { form: { Body: 'y'.repeat(600) } }],
      outcome: sent(2),
    },
    {
      it: 'sends formatted text as plain text by SMS',
      message: {
        text: '**Hi** *you* at [us](https://example.com/)',
        object: { mediaType: 'text/markdown' },
      },
      sees: [{ form: { Body: 'Hi you at us (https://example.com/)' } }],
      outcome: sent(),
    },
    {
      it: 'sends with an API key',
      credentials: { secret: undefined, consumer_key: KEY, consumer_secret: KEY_SECRET },
      sees: [{ ...POST, headers: { authorization: basic(`${KEY}:${KEY_SECRET}`) } }],
      outcome: sent(),
    },
    {
      it: 'sends through a messaging service',
      credentials: { username: SERVICE },
      sees: [
        { text: `To=%2B15558675310&MessagingServiceSid=${SERVICE}&Body=Good+morning%21${REPORTS}` },
      ],
      outcome: sent(),
    },
    {
      it: 'sends from an alphanumeric sender',
      credentials: { username: 'ACME' },
      sees: [{ form: { From: 'ACME' } }],
      outcome: sent(),
    },

    {
      it: 'sends to a WhatsApp user with a hidden number',
      message: { recipient: 'whatsapp:US.13491208655302741918' },
      sees: [{ form: { To: 'whatsapp:US.13491208655302741918', From: `whatsapp:${SENDER}` } }],
      outcome: sent(),
    },
    ...[SENDER, `whatsapp:${SENDER}`].map((username): TwilioCase => ({
      it: `sends to WhatsApp from ${username}`,
      credentials: { username },
      message: { recipient: WHATSAPP },
      sees: [{ form: { To: WHATSAPP, From: `whatsapp:${SENDER}` } }],
      outcome: sent(),
    })),
    {
      it: 'sends an SMS from a number configured for WhatsApp',
      credentials: { username: `whatsapp:${SENDER}` },
      sees: [{ form: { To: NUMBERS.person, From: SENDER } }],
      outcome: sent(),
    },
    {
      it: 'sends to Messenger',
      credentials: { username: 'messenger:1' },
      message: { recipient: 'messenger:42' },
      sees: [{ form: { To: 'messenger:42', From: 'messenger:1' } }],
      outcome: sent(),
    },
    ...Object.entries(SIGNS).map(([name, [text, Body]]): TwilioCase => ({
      it: `escapes ${name} for WhatsApp`,
      message: { recipient: WHATSAPP, text },
      sees: [{ form: { Body } }],
      outcome: sent(),
    })),
    {
      it: 'sends formatted text to WhatsApp',
      message: {
        recipient: WHATSAPP,
        text: '**Hi** *you* ~~not~~ `a*b` 2\\*3 at [us](https://example.com/)',
        object: { mediaType: 'text/markdown' },
      },
      sees: [{ form: { Body: '*Hi* _you_ ~not~ `a*b` 2*3 at us (https://example.com/)' } }],
      outcome: sent(),
    },

    {
      it: 'sends an image with its caption',
      message: media('Image', 'https://example.com/a.png', 'image/png'),
      sees: [{ form: { Body: 'Look *here*', MediaUrl: 'https://example.com/a.png' } }],
      outcome: sent(),
    },
    {
      it: 'sends an image without a caption or a media type',
      message: { object: { type: 'Image', url: 'https://example.com/a?b=c&d' } },
      also: ([request]) => {
        assert.match(request?.text ?? '', /&MediaUrl=https%3A%2F%2Fexample\.com%2Fa%3Fb%3Dc%26d&/);
        assert.doesNotMatch(request?.text ?? '', /Body/);
      },
      outcome: sent(),
    },
    {
      it: 'sends a video with its caption',
      message: media('Video', 'https://example.com/a.mp4', 'video/mp4'),
      sees: [{ form: { Body: 'Look *here*', MediaUrl: 'https://example.com/a.mp4' } }],
      outcome: sent(),
    },
    ...(['Audio', 'Document'] as const).map((type): TwilioCase => ({
      it: `sends the caption of ${type} separately, since WhatsApp would not show it`,
      message: media(type, 'https://example.com/a'),
      sees: [{ form: { MediaUrl: 'https://example.com/a' } }, { form: { Body: 'Look *here*' } }],
      outcome: sent(2),
    })),
    {
      it: 'sends a link to media of an unsupported type',
      message: media('Document', 'https://example.com/a.stl', 'model/stl'),
      sees: [{ form: { Body: 'Look *here*\nhttps://example.com/a.stl' } }],
      outcome: sent(),
    },
    {
      it: 'sends a place to WhatsApp',
      message: {
        recipient: WHATSAPP,
        object: { type: 'Place', latitude: 52.52, longitude: -13.4, name: 'A|B' },
      },
      sees: [{ form: { Body: 'A|B', PersistentAction: 'geo:52.52,-13.4|A/B' } }],
      outcome: sent(),
    },
    {
      it: 'sends a place without a name to WhatsApp',
      message: { recipient: WHATSAPP, object: { type: 'Place', latitude: 1, longitude: 2 } },
      sees: [{ form: { Body: '1,2', PersistentAction: 'geo:1,2' } }],
      outcome: sent(),
    },
    {
      it: 'sends a place as text by SMS',
      message: { object: { type: 'Place', latitude: 1.5, longitude: 2, name: 'Here' } },
      sees: [{ form: { Body: 'Here\n1.5, 2\nhttps://www.openstreetmap.org/?mlat=1.5&mlon=2' } }],
      outcome: sent(),
    },

    ...Object.entries({ invalid: 21211, unroutable: 21612, foreign: 21408, stopped: 21610 }).map(
      ([name, code]): TwilioCase => ({
        it: `blames the recipient whose number is ${name}`,
        message: { recipient: NUMBERS[name as keyof typeof NUMBERS] },
        outcome: { outcome: 'permanent', blame: 'recipient', code: String(code) },
      }),
    ),
    {
      it: 'blames the recipient whose number is a landline',
      message: { recipient: NUMBERS.landline },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '21614', detail: 'mobile' },
    },
    {
      it: 'blames the content when the text is empty',
      message: { text: ' ' },
      outcome: { outcome: 'permanent', blame: 'content', code: '21602' },
    },
    {
      it: 'blames the credentials when the token is wrong',
      credentials: { secret: 'fake-token-that-was-rolled' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '20003' },
    },
    {
      it: 'blames the credentials when the sender belongs to another account',
      credentials: { username: '+15550000000' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '21606' },
    },
    {
      it: 'blames the credentials when the messaging service does not exist',
      credentials: { username: `MG${'0'.repeat(32)}` },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '21701' },
    },
    refusal('recipient', 21608),
    refusal('window_closed', 63016),
    ...[21655, 21656, 21657, 63005, 63013, 63027, 63028, 63040, 63041].map((code) =>
      refusal('template_refused', code),
    ),
    refusal('credentials', 20404, 404),
    refusal('credentials', 99999, 403),
    refusal('content', 21617),
    refusal('content', 99999),
    {
      it: 'recognizes a message that failed at once',
      answers: [
        { status: 201, body: { sid: sid(1), status: 'failed', error_code: 30006, message: null } },
      ],
      outcome: { outcome: 'permanent', blame: 'recipient', code: '30006' },
    },
    ...(
      [
        { token: '' },
        { token: 'AC12' },
        { token: `${ACCOUNT}/../x` },
        { secret: '' },
        { secret: 'fake\r\nx: y' },
        { secret: 'fäke' },
        { consumer_key: 'AC12', consumer_secret: KEY_SECRET },
      ] as const
    ).map((credentials): TwilioCase => ({
      it: `sends no request with the invalid credentials ${JSON.stringify(credentials)}`,
      credentials,
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    })),

    {
      it: 'rate limited: waits as long as the response says',
      answers: [tooManyRequests(7)],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 7, code: '20429' },
    },
    {
      it: 'rate limited: waits when the response gives no time',
      answers: [tooManyRequests()],
      outcome: { outcome: 'limited', scope: 'integration', code: '20429' },
    },
    ...([21611, 14107, 63018, 63038] as const).map((code): TwilioCase => ({
      it: `rate limited: waits after ${code} whatever the status`,
      answers: [twilioError(code, 400)],
      outcome: { outcome: 'limited', scope: 'integration', code: String(code) },
    })),
    {
      it: 'rate limited: waits when the response is not JSON',
      answers: [{ status: 429, body: 'slow down' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    {
      it: 'retries after a Twilio error: the message may have been sent',
      answers: [twilioError(20500, 500)],
      outcome: transient(true, '20500'),
    },
    {
      it: 'retries after 503: the message was not sent',
      answers: [twilioError(20503, 503)],
      outcome: transient(false, '20503'),
    },
    ...([302, 400, 404] as const).map((status): TwilioCase => ({
      it: `retries after ${status} from something other than Twilio`,
      answers: [{ status, body: '<html>' }],
      outcome: transient(false, String(status)),
    })),
    {
      it: 'requests delivery reports for the message',
      sees: [{ form: { StatusCallback: HOOK_URL } }],
      outcome: sent(),
    },
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'check: names the account and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: `/2010-04-01/Accounts/${ACCOUNT}.json` }],
      outcome: { outcome: 'known', as: 'Example Ltd' },
    },
    {
      it: 'check: accepts an API key that may not read the account',
      calls: 'check',
      credentials: { secret: undefined, consumer_key: KEY, consumer_secret: KEY_SECRET },
      sees: [{ method: 'GET', path: `${POST.path}?PageSize=1` }],
      outcome: { outcome: 'known', as: ACCOUNT },
    },
    {
      it: 'check: rejects an unknown account',
      calls: 'check',
      credentials: { secret: 'fake' },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '20003' },
    },
    {
      it: 'check: sends no request with a malformed account id',
      calls: 'check',
      credentials: { token: 'fake' },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    },
  ],
});
