import { pushover } from '../../../src/channels/pushover.ts';
import {
  DEVICE,
  RECEIPT,
  REQUEST,
  TOKEN,
  USER,
  openPushover,
  refusal,
  requestId,
} from '../../emulators/pushover.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_TOKEN } from '../self-hosted.ts';
import { type Case, HOOK_URL, testChannel } from '../suite.ts';
import { assertListed, linkButton } from '../unsupported.ts';
import { assertUploaded, media, withoutFile } from '../upload-cases.ts';

type PushoverCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: REQUEST } as const;
const LONGEST = 'x'.repeat(1024);
const MAX_IMAGE_BYTES = 5_242_880;

/** The exact form that Pushover must receive. */
const posted = (fields: Record<string, string>) => ({
  method: 'POST',
  path: '/1/messages.json',
  text: new URLSearchParams({ token: TOKEN, user: USER, ...fields }).toString(),
});

const withOptions = (
  it: string,
  options: Record<string, string | number>,
  fields: Record<string, string>,
): PushoverCase => ({
  it,
  message: { options },
  sees: [posted({ message: 'Good morning!', ...fields })],
  outcome: SENT,
});

testChannel(pushover, {
  open: openPushover,
  credentials: { token: TOKEN },
  recipient: USER,
  cases: [
    ...Object.entries({
      ...ODD_TEXTS,
      markup: '<b>a</b> &amp; *b*',
      'the longest text': LONGEST,
    }).map(([what, message]): PushoverCase => ({
      it: `sends ${what} as it is`,
      message: { text: message },
      sees: [posted({ message })],
      outcome: SENT,
    })),
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: `${LONGEST}y` },
      sees: [{ form: { message: LONGEST } }, { form: { message: 'y' } }],
      outcome: { outcome: 'sent', id: requestId(2) },
    },
    {
      it: 'sends formatted text as HTML and escapes the rest',
      message: {
        text: '<b>a&lt;b&gt;</b> <i>c</i> <s>d</s> <a href="https://x.test/?f&amp;g">e</a>',
        object: { mediaType: 'text/html' },
      },
      sees: [
        posted({
          message: '<b>a&lt;b&gt;</b> <i>c</i> d <a href="https://x.test/?f&amp;g">e</a>',
          html: '1',
        }),
      ],
      outcome: SENT,
    },
    {
      it: 'sends to one device of a user',
      message: { recipient: `${USER}:${DEVICE}` },
      sees: [posted({ device: DEVICE, message: 'Good morning!' })],
      outcome: SENT,
    },
    {
      it: 'sends a title',
      message: { object: { name: 'Größe 😀' } },
      sees: [posted({ title: 'Größe 😀', message: 'Good morning!' })],
      outcome: SENT,
    },

    {
      it: 'uploads an image with a caption',
      message: media('Image', { content: 'Look <here>' }),
      sees: [
        {
          path: '/1/messages.json',
          form: { token: TOKEN, user: USER, message: 'Look <here>' },
          parts: [
            {},
            {},
            {},
            { name: 'attachment', filename: 'photo.png', mediaType: HOSTED['photo.png'].mediaType },
          ],
        },
      ],
      outcome: SENT,
      also: (seen) => assertUploaded(seen, 'photo.png'),
    },
    {
      it: 'sends the name of an image without a caption, because a text is required',
      message: media('Image', { name: 'Photo' }),
      sees: [{ form: { message: 'Photo' } }],
      outcome: SENT,
    },
    ...withoutFile('Image', MAX_IMAGE_BYTES),
    {
      it: 'may have sent an image when there is no response',
      message: { object: { type: 'Image', url: hosted('photo.png') } },
      answers: ['reset'],
      outcome: transient(true),
    },
    {
      it: 'sends other files as links',
      message: { object: { type: 'Document', url: 'https://example.com/a.pdf' } },
      sees: [posted({ message: 'https://example.com/a.pdf' })],
      outcome: SENT,
    },

    {
      it: 'sends a link as a button',
      message: {
        object: { attachment: [{ type: 'Button', name: 'Open', url: 'https://x.test/' }] },
      },
      sees: [posted({ message: 'Good morning!', url: 'https://x.test/', url_title: 'Open' })],
      outcome: SENT,
    },
    {
      it: 'lists a button whose URL is too long',
      message: { object: { attachment: [linkButton(513)] } },
      sees: [{ form: { message: `Good morning!\n1. Far: ${linkButton(513).url}` } }],
      outcome: SENT,
      also: () =>
        assertListed(pushover, { object: { attachment: [linkButton(513)] } }, '512 characters'),
    },
    {
      it: 'lists buttons that send values, which Pushover does not have',
      message: { object: { attachment: [{ type: 'Button', name: 'Yes' }] } },
      sees: [posted({ message: 'Good morning!\n1. Yes' })],
      outcome: SENT,
    },

    withOptions('sends without sound', { priority: -1 }, { priority: '-1' }),
    withOptions('plays a sound', { sound: 'bike' }, { sound: 'bike' }),
    withOptions('limits the time on the devices', { ttl: 3600 }, { ttl: '3600' }),
    withOptions(
      'does not repeat ordinary messages',
      { priority: 1, retry: 30, expire: 60 },
      { priority: '1' },
    ),
    {
      it: 'repeats an emergency until it is acknowledged, and asks for the callback',
      message: { options: { priority: 2, retry: 30, expire: 10_800, ttl: 60 } },
      sees: [
        posted({
          message: 'Good morning!',
          priority: '2',
          retry: '30',
          expire: '10800',
          callback: HOOK_URL,
        }),
      ],
      outcome: { outcome: 'sent', id: RECEIPT },
    },
    {
      it: 'repeats an emergency every minute for an hour by default',
      message: { options: { priority: 2 } },
      sees: [{ form: { priority: '2', retry: '60', expire: '3600' } }],
      outcome: { outcome: 'sent', id: RECEIPT },
    },

    {
      it: 'blames the recipient for an unknown user',
      message: { recipient: 'a'.repeat(30) },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '400', detail: 'user identifier' },
    },
    {
      it: 'blames the recipient for an unknown device',
      message: { recipient: `${USER}:other` },
      outcome: { outcome: 'permanent', blame: 'recipient', code: '400' },
    },
    {
      it: 'blames the credentials for a wrong token',
      credentials: { token: 'b'.repeat(30) },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '400', detail: 'token' },
    },
    {
      it: 'blames the content for anything else',
      message: { options: { sound: 'silence' } },
      outcome: { outcome: 'permanent', blame: 'content', code: '400', detail: 'sound' },
    },
    ...WITHOUT_TOKEN,
    {
      it: 'waits until the next month when the messages of this one are used up',
      at: '2026-11-30T23:59:00Z',
      answers: [refusal(429, 'token', 'limit', { 'x-limit-app-reset': '1796083200' })],
      outcome: { outcome: 'limited', scope: 'integration', seconds: 60, code: '429' },
    },
    {
      it: 'waits when the response gives no time',
      answers: [refusal(429, 'token', 'limit')],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    ...BEHIND_GATEWAY.slice(0, -1),
    ...WITHOUT_ANSWER,
    ...WITHOUT_ID,

    {
      it: 'check: shows how many messages are left, and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: `/1/apps/limits.json?token=${TOKEN}` }],
      outcome: {
        outcome: 'known',
        as: 'an application with 7496 of 10000 messages left',
        account: null,
      },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'b'.repeat(30) },
      outcome: { outcome: 'permanent', blame: 'credentials', code: '400' },
    },
  ],
});
