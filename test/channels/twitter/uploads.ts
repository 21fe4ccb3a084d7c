import assert from 'node:assert/strict';

import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import { CLIENT, EXPIRED, FIRST, FIRST_MEDIA, REFRESH } from '../../emulators/twitter/api.ts';
import { problem } from '../../emulators/twitter/problem.ts';
import type { Case } from '../suite.ts';
import { KINDS, assertUploaded, media, withoutFile, withoutResponse } from '../upload-cases.ts';

/* Images and videos uploaded to X. videos.test.ts covers the processing afterwards. */

type TwitterCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST } as const;
const UPLOAD = { method: 'POST', path: '/2/media/upload' };
const ID = FIRST_MEDIA;
const ATTACHED = { attachments: [{ media_id: ID }] };

const fails = (
  it: string,
  answers: readonly (Reply | ConnectionFault)[],
  outcome: TwitterCase['outcome'],
): TwitterCase => ({ it: `upload: ${it}`, message: media('Image'), answers, outcome });

export const UPLOADS: readonly TwitterCase[] = [
  {
    it: 'uploads an image and sends it with its caption',
    message: media('Image', { content: 'Look!' }),
    sees: [
      {
        ...UPLOAD,
        form: { media_category: 'dm_image' },
        parts: [{}, { name: 'media', filename: 'photo.png', mediaType: 'image/png' }],
      },
      { json: { text: 'Look!', ...ATTACHED } },
    ],
    outcome: SENT,
    also: (seen) => assertUploaded(seen, 'photo.png'),
  },
  {
    it: 'uploads an image without a caption',
    message: media('Image', { url: hosted('photo.webp') }),
    sees: [UPLOAD, { json: ATTACHED }],
    outcome: SENT,
    also: ([, message]) => assert.deepEqual(message?.json, ATTACHED),
  },
  {
    it: 'uploads an image with a new token when its own has expired',
    message: media('Image'),
    credentials: { ...CLIENT, token: EXPIRED, refresh: REFRESH, secret: undefined },
    sees: [UPLOAD, { path: '/2/oauth2/token' }, UPLOAD, { json: ATTACHED }],
    outcome: SENT,
  },
  {
    it: 'uploads a GIF that is not animated as an image',
    message: media('Image', { url: hosted('still.gif') }),
    sees: [{ ...UPLOAD, form: { media_category: 'dm_image' } }, { json: ATTACHED }],
    outcome: SENT,
  },
  {
    it: 'lets X detect the type when nothing else tells',
    message: media('Image', { url: hosted('plain-bytes') }),
    sees: [UPLOAD, { json: ATTACHED }],
    outcome: SENT,
  },
  ...(
    [
      ['Image', 'moving.gif', 'dm_gif'],
      ['Video', 'clip.mp4', 'dm_video'],
    ] as const
  ).map(([type, name, media_category]): TwitterCase => {
    const { mediaType: media_type, bytes } = HOSTED[name];
    return {
      it: `uploads animated media in pieces and waits for processing: ${name}`,
      message: media(type, { url: hosted(name), content: 'Look!' }),
      sees: [
        {
          path: '/2/media/upload/initialize',
          json: { media_category, media_type, total_bytes: bytes.length },
        },
        {
          path: `/2/media/upload/${ID}/append`,
          form: { segment_index: '0' },
          parts: [{}, { name: 'media', filename: name, mediaType: 'application/octet-stream' }],
        },
        { method: 'POST', path: `/2/media/upload/${ID}/finalize` },
      ],
      outcome: { outcome: 'limited', scope: 'message', seconds: 1, detail: '0 %' },
      also: (seen) => assertUploaded(seen, name),
    };
  }),
  {
    it: 'uploads a large video in several pieces',
    message: media('Video', { url: hosted('clip.mp4', 9_000_000) }),
    sees: [
      { json: { total_bytes: 9_000_000 } },
      { form: { segment_index: '0' } },
      { form: { segment_index: '1' } },
      { form: { segment_index: '2' } },
      { path: `/2/media/upload/${ID}/finalize` },
    ],
    outcome: { outcome: 'limited', scope: 'message', seconds: 1 },
  },
  ...(
    [
      ['Image', { mediaType: 'image/tiff' }],
      ['Image', { url: 'https://example.com/a.svg' }],
      ['Video', { mediaType: 'video/x-msvideo' }],
      ['Audio', {}],
      ['Document', {}],
    ] as const
  ).map(([type, more]): TwitterCase => {
    const text = 'url' in more ? more.url : hosted(KINDS[type]);
    return {
      it: `sends a link to unsupported media: ${[type, ...Object.values(more)].join(', ')}`,
      message: media(type, more),
      sees: [{ json: { text } }],
      outcome: SENT,
    };
  }),
  {
    it: 'does not upload a file whose content is of another type',
    message: media('Video', { url: hosted('plain-pdf') }),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'content', detail: 'application/pdf' },
  },
  ...withoutFile('Image', 5_000_000),
  {
    it: 'does not send a still GIF that is too large',
    message: media('Image', { url: hosted('still.gif', 5_000_001) }),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'content', detail: 'larger than 5000000 bytes' },
  },
  ...(
    [
      [[problem(400, 'invalid-request', 'total_bytes is too large')], 'content'],
      [['none', problem(403, 'about:blank', 'Forbidden')], 'unsupported'],
      [['none', 'none', problem(400, 'invalid-request', 'Segments do not add up')], 'content'],
    ] as const
  ).map(([answers, blame]): TwitterCase => ({
    it: `blames the ${blame} when a video is refused in request ${answers.length}`,
    message: media('Video'),
    answers,
    outcome: {
      outcome: 'permanent',
      blame,
      code: blame === 'content' ? 'invalid-request' : '403',
    },
  })),
  ...([['reset'], ['none', 'reset'], ['none', 'none', 'empty']] as const).map(
    (answers): TwitterCase => ({
      it: `the message was not sent when a video upload breaks off in request ${answers.length}`,
      message: media('Video'),
      answers,
      outcome: {
        outcome: 'transient',
        maybeSent: false,
        ...(answers.length === 3 && { code: '200' }),
      },
    }),
  ),
  fails(
    'blames the credentials for a missing app permission',
    [problem(403, 'about:blank', 'Forbidden')],
    {
      outcome: 'permanent',
      blame: 'unsupported',
      code: '403',
    },
  ),
  fails('blames the image', [problem(400, 'invalid-request', 'media type unrecognized.')], {
    outcome: 'permanent',
    blame: 'content',
    code: 'invalid-request',
  }),
  ...withoutResponse(fails, 'id'),
];
