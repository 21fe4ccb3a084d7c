import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { hosted } from '../../emulators/server/media.ts';
import { PEOPLE, weChatError } from '../../emulators/wechat.ts';
import type { Case, Expected } from '../suite.ts';
import { assertUploaded, media, withoutFile } from '../upload-cases.ts';

/* Media uploaded to WeChat before they are sent. */

type WeChatCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent' } as const;
const TOKEN: Reply = { status: 200, body: { access_token: 'fake-token-1', expires_in: 7200 } };
const token = (name: string) => `access_token=fake-token-${name}`;
const uploadOf = (type: string, filename: string, mediaType: string) => ({
  method: 'POST',
  path: `/cgi-bin/media/upload?${token('1')}&type=${type}`,
  parts: [{ name: 'media', filename, mediaType }],
});
const messageOf = (type: string) => ({
  path: `/cgi-bin/message/custom/send?${token('1')}`,
  json: { touser: PEOPLE.known, msgtype: type, [type]: { media_id: `fake-media-${type}-00001` } },
});

const UPLOADED = [
  ['Image', 'photo.png', 'image', 'media.png', 'image/png'],
  ['Video', 'clip.mp4', 'video', 'media.mp4', 'video/mp4'],
  ['Audio', 'voice.mp3', 'voice', 'media.mp3', 'audio/mpeg'],
] as const;

const kinds = UPLOADED.map(([kind, name, type, filename, mediaType]): WeChatCase => ({
  it: `uploads and sends media of type ${kind}`,
  message: media(kind, { url: hosted(name) }),
  sees: [{}, uploadOf(type, filename, mediaType), messageOf(type)],
  outcome: SENT,
  also: (seen) => assertUploaded(seen, name),
}));

/** After the token, with no hint about the type. */
const fails = (
  it: string,
  answers: readonly (Reply | ConnectionFault)[],
  outcome: Expected,
): WeChatCase => ({
  it: `upload: ${it}`,
  message: media('Image'),
  answers: [TOKEN, ...answers],
  outcome,
});

const REFUSALS = {
  40_004: 'invalid media type',
  40_005: 'invalid file type',
  40_006: 'invalid meida size',
  40_009: 'invalid image size',
  41_005: 'media data missing',
  45_001: 'media size out of limit',
  45_007: 'playtime out of limit',
} as const;

const refused = Object.entries(REFUSALS).map(([code, words]) =>
  fails(`blames the content for error ${code}`, [weChatError(Number(code), words)], {
    outcome: 'permanent',
    blame: 'content',
    code,
    detail: words,
  }),
);

export const UPLOADS: readonly WeChatCase[] = [
  ...kinds,
  {
    it: "sends an image's caption as a separate message",
    message: media('Image', { content: 'Look <a>' }),
    sees: [{}, {}, messageOf('image'), { json: { text: { content: 'Look <a>' } } }],
    outcome: SENT,
  },
  {
    it: 'prefers the declared media type to the file extension',
    message: media('Image', { url: hosted('photo.webp'), mediaType: 'image/GIF', name: 'a.webp' }),
    sees: [{}, uploadOf('image', 'media.gif', 'image/gif'), messageOf('image')],
    outcome: SENT,
  },
  {
    it: 'uses the media type of the response when nothing else tells',
    message: media('Image', { url: hosted('plain-png') }),
    sees: [{}, uploadOf('image', 'media.png', 'image/png'), messageOf('image')],
    outcome: SENT,
  },
  {
    it: 'lets WeChat detect the type when nothing else tells',
    message: media('Image', { url: hosted('plain-bytes') }),
    sees: [{}, uploadOf('image', 'media.jpg', 'image/jpeg'), messageOf('image')],
    outcome: SENT,
  },
  {
    it: 'does not upload a file whose content is of another type',
    message: media('Audio', { url: hosted('plain-png') }),
    sees: [],
    outcome: {
      outcome: 'permanent',
      blame: 'content',
      detail: 'image/png',
    },
  },
  ...(
    [
      ['Image', hosted('photo.webp'), undefined],
      ['Image', hosted('photo.png'), 'constructor'],
      ['Audio', hosted('voice.ogg'), undefined],
      ['Video', hosted('clip.mp4'), 'video/webm'],
      ['Document', hosted('report.pdf'), undefined],
    ] as const
  ).map(([kind, url, mediaType]): WeChatCase => ({
    it: `sends a link to unsupported media: ${kind}, ${mediaType ?? url.split('/').at(-1)}`,
    message: media(kind, { url, ...(mediaType !== undefined && { mediaType }) }),
    sees: [{}, { json: { msgtype: 'text', text: { content: url } } }],
    outcome: SENT,
  })),
  {
    it: 'uploads and sends with a new token when WeChat rejects the current one',
    message: media('Image'),
    answers: [{ status: 200, body: { access_token: 'fake-token-0', expires_in: 7200 } }],
    sees: [
      {},
      { path: `/cgi-bin/media/upload?${token('0')}&type=image` },
      {},
      { path: `/cgi-bin/media/upload?${token('1')}&type=image` },
      messageOf('image'),
    ],
    outcome: SENT,
  },
  ...withoutFile('Image', 10_485_760),
  {
    it: 'does not send audio that is too large',
    message: media('Audio', { url: hosted('voice.mp3', 2_097_153) }),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'content', detail: 'larger than 2097152 bytes' },
  },
  ...refused,
  fails('waits', [weChatError(45_009, 'reach max api daily quota limit')], {
    outcome: 'limited',
    scope: 'integration',
    code: '45009',
  }),
  fails('nothing was sent when WeChat is busy', [weChatError(-1, 'system error')], {
    outcome: 'transient',
    maybeSent: false,
    code: '-1',
  }),
  ...(['reset', 'empty'] as const).map((connectionFault) =>
    fails(`nothing was sent after a broken response: ${connectionFault}`, [connectionFault], {
      outcome: 'transient',
      maybeSent: false,
      ...(connectionFault === 'empty' && { code: '200' }),
    }),
  ),
  fails('the message may have been sent when its request gets no response', ['none', 'reset'], {
    outcome: 'transient',
    maybeSent: true,
  }),
  {
    it: "blames the credentials when the upload's token request is refused",
    message: media('Image'),
    credentials: { consumer_secret: 'fake-secret-that-was-reset' },
    sees: [{ path: '/cgi-bin/stable_token' }],
    outcome: { outcome: 'permanent', blame: 'credentials', code: '40125' },
  },
];
