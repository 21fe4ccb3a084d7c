import assert from 'node:assert/strict';

import { CHANNELS, EARLIER } from '../../emulators/discord/api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { hosted } from '../../emulators/server/media.ts';
import type { Case, TestMessage } from '../suite.ts';
import { KINDS, assertUploaded, media, withoutFile } from '../upload-cases.ts';

/* Files uploaded to Discord with the message. */

type DiscordCase = Case<Request, Reply | ConnectionFault>;

const CHANNEL = CHANNELS.text;
const PATH = `/channels/${CHANNEL}/messages`;
const SENT = { outcome: 'sent', id: `${CHANNEL}:1200000000000000001` } as const;

const uploads = (
  type: keyof typeof KINDS,
  mediaType: string,
  filename: string,
  more: TestMessage['object'] = {},
): DiscordCase => ({
  it: `uploads ${filename} as ${mediaType}`,
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
    it: 'uploads a file with the media type from its server, without a caption',
    message: media('Document'),
    sees: [{ parts: [{}, { mediaType: 'application/pdf' }] }],
    outcome: SENT,
    also: ([request]) => assert.ok(request && !request.text.includes('"content"')),
  },
  {
    it: 'uploads an image whose address is too long for an embed',
    message: media('Image', { url: `${hosted('photo.png')}?${'x'.repeat(2048)}` }),
    sees: [{ parts: [{}, { filename: 'photo.png' }] }],
    outcome: SENT,
  },
  {
    it: 'uploads a file with buttons, as a reply',
    message: media('Document', {
      attachment: [{ type: 'Button', name: 'Yes' }],
      inReplyTo: EARLIER,
    }),
    sees: [{ json: { components: [{ type: 1 }], message_reference: { message_id: EARLIER } } }],
    outcome: SENT,
  },
  {
    it: 'replaces a message with a file',
    calls: 'edit',
    earlier: { id: `${CHANNEL}:${EARLIER}`, recipient: CHANNEL },
    message: media('Document'),
    sees: [{ method: 'PATCH', json: { content: null, attachments: [{ id: 0 }] } }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:${EARLIER}` },
  },
  {
    it: 'removes the file when a text replaces the message',
    calls: 'edit',
    earlier: { id: `${CHANNEL}:${EARLIER}`, recipient: CHANNEL },
    message: { text: 'New' },
    sees: [{ json: { content: 'New', attachments: [] } }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:${EARLIER}` },
  },
  {
    it: 'does not replace a message with a missing file',
    calls: 'edit',
    earlier: { id: `${CHANNEL}:${EARLIER}`, recipient: CHANNEL },
    message: media('Document', { url: `${hosted('report.pdf')}/gone` }),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'content', code: '404' },
  },
  {
    it: 'fails when the server rejects a file as too large',
    message: media('Document', { url: hosted('report.pdf', 10 * 1024 * 1024 + 1) }),
    outcome: { outcome: 'permanent', blame: 'content', code: '40005' },
  },
  ...withoutFile('Document'),
];
