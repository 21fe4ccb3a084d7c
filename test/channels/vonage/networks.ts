import assert from 'node:assert/strict';

import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { NUMBERS, SENDERS } from '../../emulators/sms/vonage.ts';
import type { Case } from '../suite.ts';

/* The Messages API's networks besides SMS. */

type VonageCase = Case<Request, Reply | ConnectionFault>;

const { person } = NUMBERS;
const sent = (count = 1) => ({
  outcome: 'sent' as const,
  id: `aaaaaaaa-bbbb-cccc-dddd-00000000000${count}`,
});
const NAMES = { whatsapp: 'whatsapp', viber: 'viber_service', rcs: 'rcs', mms: 'mms' } as const;
type Prefix = keyof typeof NAMES;

const texts = Object.entries({ ...NAMES, mms: 'sms' }).map(([prefix, channel]): VonageCase => ({
  it: `sends a text to ${prefix} with the status webhook URL`,
  message: { recipient: `${prefix}:${person}`, text: 'Good morning! 👋' },
  sees: [
    {
      json: {
        message_type: 'text',
        channel,
        to: person,
        from: SENDERS[0],
        text: 'Good morning! 👋',
        webhook_version: 'v1',
      },
    },
  ],
  outcome: sent(),
}));

const MEDIA = [
  ['Image', 'image', 'image/png', 'a.png', ['mms', 'whatsapp', 'viber', 'rcs']],
  ['Video', 'video', 'video/mp4', 'a.mp4', ['mms', 'whatsapp', 'rcs']],
  ['Audio', 'audio', 'audio/mpeg', 'a.mp3', ['mms', 'whatsapp']],
  ['Document', 'file', 'application/pdf', 'a.pdf', ['whatsapp', 'viber', 'rcs']],
] as const;

const media = MEDIA.flatMap(([type, kind, mediaType, name, supported]) =>
  (Object.keys(NAMES) as Prefix[]).map((prefix): VonageCase => {
    const url = `https://example.com/${name}`;
    const isSupported = supported.some((each) => each === prefix);
    const channel = prefix === 'mms' && !isSupported ? 'sms' : NAMES[prefix];
    return {
      it: `sends ${kind} to ${prefix} ${isSupported ? 'by its address' : 'as a link'}`,
      message: {
        recipient: `${prefix}:${person}`,
        object: { type, url, mediaType, ...(kind === 'file' && isSupported && { name }) },
      },
      sees: [
        isSupported
          ? { json: { channel, message_type: kind, [kind]: { url } } }
          : { json: { channel, message_type: 'text', text: url } },
      ],
      outcome: sent(),
    };
  }),
);

const asLink = (prefix: Prefix, type: string, object: object): VonageCase => ({
  it: `sends a link in place of ${JSON.stringify(object)} to ${prefix}`,
  message: {
    recipient: `${prefix}:${person}`,
    object: { type, url: 'https://example.com/a', ...object },
  },
  sees: [{ json: { message_type: 'text' } }],
  outcome: sent(),
});

export const NETWORK_CASES: readonly VonageCase[] = [
  ...texts,
  ...media,
  asLink('whatsapp', 'Image', { mediaType: 'image/gif' }),
  asLink('viber', 'Document', { mediaType: 'application/pdf', name: `${'x'.repeat(22)}.pdf` }),
  asLink('rcs', 'Document', {}),
  {
    it: 'sends an image, followed by its caption',
    message: {
      recipient: `whatsapp:${person}`,
      object: { type: 'Image', url: 'https://example.com/a.jpg', content: 'Look' },
    },
    sees: [{ json: { message_type: 'image' } }, { json: { message_type: 'text', text: 'Look' } }],
    outcome: sent(2),
  },
  {
    it: 'sends a place to whatsapp',
    message: {
      recipient: `whatsapp:${person}`,
      object: { type: 'Place', latitude: 40.347_72, longitude: -74.188_47, name: 'Vonage' },
    },
    sees: [
      {
        json: {
          message_type: 'location',
          location: { lat: 40.347_72, long: -74.188_47, name: 'Vonage' },
        },
      },
    ],
    outcome: sent(),
  },
  {
    it: 'sends a place to rcs as text',
    message: {
      recipient: `rcs:${person}`,
      object: { type: 'Place', latitude: 40.5, longitude: -74.5, name: 'Vonage' },
    },
    sees: [{ json: { channel: 'rcs', message_type: 'text' } }],
    outcome: sent(),
    also: ([seen]) => assert.match(seen?.text ?? '', /40\.5/),
  },
  {
    it: "sends formatted text in WhatsApp's markup, and as plain text elsewhere",
    message: {
      recipient: `whatsapp:${person}`,
      text: '**Hi** _you_',
      object: { mediaType: 'text/markdown' },
    },
    sees: [{ json: { text: '*Hi* _you_' } }],
    outcome: sent(),
  },
  {
    it: 'sends formatted text as plain text to viber',
    message: {
      recipient: `viber:${person}`,
      text: '**Hi** _you_',
      object: { mediaType: 'text/markdown' },
    },
    sees: [{ json: { text: 'Hi you' } }],
    outcome: sent(),
  },
  ...(['whatsapp', 'viber', 'rcs'] as const).map((prefix): VonageCase => ({
    it: `sends no request to ${prefix} without an application`,
    credentials: { consumer_key: undefined, consumer_secret: undefined },
    message: { recipient: `${prefix}:${person}` },
    sees: [],
    outcome: { outcome: 'permanent', blame: 'recipient' },
  })),
  {
    it: 'sends a link in place of an image to mms without an application',
    credentials: { consumer_key: undefined, consumer_secret: undefined },
    message: {
      recipient: `mms:${person}`,
      object: { type: 'Image', url: 'https://example.com/a.png' },
    },
    sees: [{ path: '/sms/json', form: { to: person, text: 'https://example.com/a.png' } }],
    outcome: { outcome: 'sent', id: '0A0000000123001' },
  },
];
