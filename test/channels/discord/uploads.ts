import assert from 'node:assert/strict';

import { CHANNELS, EARLIER } from '../../emulators/discord/api.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { hosted } from '../../emulators/server/media.ts';
import type { Case, TestMessage } from '../suite.ts';
import { KINDS, assertUploaded, media, unhad } from '../upload-cases.ts';

/* Files that Discord wants uploaded, together with the message. */

type DiscordCase = Case<Request, Reply | Accident>;

const CHANNEL = CHANNELS.text;
const PATH = `/channels/${CHANNEL}/messages`;
const SENT = { outcome: 'sent', id: `${CHANNEL}:1200000000000000001` } as const;

const uploads = (
  type: keyof typeof KINDS,
  mediaType: string,
  filename: string,
  more: TestMessage['object'] = {},
): DiscordCase => ({
  it: `uploads ${filename}, which is ${mediaType}`,
  message: media(type, { mediaType, content: 'A *cat*', ...more }),
  sees: [
    {
      method: 'POST',
      path: PATH,
      json: {
        content: String.raw`A \*cat\*`,
        enforce_nonce: true,
        attachments: [{ id: 0, filename }],
      },
      parts: [{ name: 'payload_json' }, { name: 'files[0]', filename, mediaType }],
    },
  ],
  outcome: SENT,
  also: (seen) => assertUploaded(seen, KINDS[type]),
});

export const UPLOADS: readonly DiscordCase[] = [
  uploads('Image', 'image/svg+xml', 'photo.png'),
  uploads('Video', 'video/x-msvideo', 'film.avi', { name: 'film.avi' }),
  uploads('Audio', 'audio/ogg', 'voice.ogg'),
  uploads('Document', 'application/pdf', 'Report_ one.pdf', { name: 'Report: one' }),
  {
    it: 'uploads what the host says that it is, without a word',
    message: media('Document'),
    sees: [{ parts: [{}, { mediaType: 'application/pdf' }] }],
    outcome: SENT,
    also: ([request]) => assert.ok(request && !request.text.includes('"content"')),
  },
  {
    it: 'uploads a picture at an address that is too long to be shown from there',
    message: media('Image', { url: `${hosted('photo.png')}?${'x'.repeat(2048)}` }),
    sees: [{ parts: [{}, { filename: 'photo.png' }] }],
    outcome: SENT,
  },
  {
    it: 'uploads a file with buttons, as an answer',
    message: media('Document', {
      attachment: [{ type: 'Button', name: 'Yes' }],
      inReplyTo: EARLIER,
    }),
    sees: [{ json: { components: [{ type: 1 }], message_reference: { message_id: EARLIER } } }],
    outcome: SENT,
  },
  {
    it: 'puts a file in the place of a message',
    calls: 'edit',
    earlier: { id: `${CHANNEL}:${EARLIER}`, recipient: CHANNEL },
    message: media('Document'),
    sees: [{ method: 'PATCH', json: { content: null, attachments: [{ id: 0 }] } }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:${EARLIER}` },
  },
  {
    it: 'takes away the file of a message when a text is put in its place',
    calls: 'edit',
    earlier: { id: `${CHANNEL}:${EARLIER}`, recipient: CHANNEL },
    message: { text: 'New' },
    sees: [{ json: { content: 'New', attachments: [] } }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:${EARLIER}` },
  },
  {
    it: 'does not put a file that is gone in the place of a message',
    calls: 'edit',
    earlier: { id: `${CHANNEL}:${EARLIER}`, recipient: CHANNEL },
    message: media('Document', { url: `${hosted('report.pdf')}/gone` }),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'content', code: '404' },
  },
  {
    it: 'is told that a file is too large for the server',
    message: media('Document', { url: hosted('report.pdf', 10 * 1024 * 1024 + 1) }),
    outcome: { outcome: 'permanent', blame: 'content', code: '40005' },
  },
  ...unhad('Document'),
];
