import assert from 'node:assert/strict';

import type { Accident, Reply, Request } from '../emulators/http.ts';
import { hosted } from '../emulators/media.ts';
import { CLIENT, EXPIRED, FIRST, REFRESH, problem } from '../emulators/twitter.ts';
import type { Case } from './suite.ts';
import { assertUploaded, media, unhad, unheard } from './upload-cases.ts';

/* Pictures for X, which it wants uploaded. */

type TwitterCase = Case<Request, Reply | Accident>;

const SENT = { outcome: 'sent', id: FIRST } as const;
const UPLOAD = { method: 'POST', path: '/2/media/upload' };
const ATTACHED = { attachments: [{ media_id: '1455495247106131910' }] };

const fails = (
  it: string,
  answers: readonly (Reply | Accident)[],
  outcome: TwitterCase['outcome'],
): TwitterCase => ({ it: `${it} while it uploads`, message: media('Image'), answers, outcome });

export const UPLOADS: readonly TwitterCase[] = [
  {
    it: 'uploads a picture, and sends it with what is said of it',
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
    it: 'uploads a picture without a word',
    message: media('Image', { url: hosted('photo.webp') }),
    sees: [UPLOAD, { json: ATTACHED }],
    outcome: SENT,
    also: ([, message]) => assert.deepEqual(message?.json, ATTACHED),
  },
  {
    it: 'uploads a picture with another token when its own is over',
    message: media('Image'),
    credentials: { ...CLIENT, token: EXPIRED, refresh: REFRESH, secret: undefined },
    sees: [UPLOAD, { path: '/2/oauth2/token' }, UPLOAD, { json: ATTACHED }],
    outcome: SENT,
  },
  ...[{ mediaType: 'image/gif' }, { url: 'https://example.com/a.svg' }].map(
    (more): TwitterCase => ({
      it: `sends a link to a picture that it does not take: ${Object.values(more).join()}`,
      message: media('Image', more),
      sees: [{ json: { text: more.url ?? hosted('photo.png') } }],
      outcome: SENT,
    }),
  ),
  ...unhad('Image', 5_000_000),
  fails('blames nobody for what the app may not do', [problem(403, 'about:blank', 'Forbidden')], {
    outcome: 'permanent',
    blame: 'unsupported',
    code: '403',
  }),
  fails('blames the picture', [problem(400, 'invalid-request', 'media type unrecognized.')], {
    outcome: 'permanent',
    blame: 'content',
    code: 'invalid-request',
  }),
  ...unheard(fails, 'id'),
];
