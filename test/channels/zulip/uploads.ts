import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import { BEFORE, FIRST, MAX_BYTES, zulipError } from '../../emulators/zulip.ts';
import type { Case } from '../suite.ts';
import { KINDS, assertUploaded, media, unhad, unheard } from '../upload-cases.ts';

/* Files that are uploaded to Zulip, and linked to. */

type ZulipCase = Case<Request, Reply | Accident>;

const SENT = { outcome: 'sent', id: FIRST } as const;
const EARLIER = { id: BEFORE, recipient: 'general/greetings' };
const UPLOAD = { method: 'POST', path: '/api/v1/user_uploads' };
const PATH = '/user_uploads/2/fa/ke';

const kinds = (Object.keys(KINDS) as (keyof typeof KINDS)[]).map((type): ZulipCase => {
  const filename = KINDS[type];
  const { mediaType } = HOSTED[filename];
  return {
    it: `uploads a file: ${type}`,
    message: media(type),
    sees: [
      { ...UPLOAD, parts: [{ name: 'filename', filename, mediaType }] },
      { path: '/api/v1/messages', form: { content: `[${filename}](${PATH}/${filename})` } },
    ],
    outcome: SENT,
    also: (seen) => assertUploaded(seen, filename),
  };
});

const fails = (
  it: string,
  answers: readonly (Reply | Accident)[],
  outcome: ZulipCase['outcome'],
): ZulipCase => ({ it: `${it} while it uploads`, message: media('Document'), answers, outcome });

export const UPLOADS: readonly ZulipCase[] = [
  ...kinds,
  {
    it: 'uploads a picture with a caption and a name with signs in it',
    message: media('Image', { name: '[a] (b)', mediaType: 'image/jpeg', content: 'a *caption*' }),
    sees: [
      { parts: [{ filename: '[a] (b).jpg', mediaType: 'image/jpeg' }] },
      {
        form: {
          content: `a &#42;caption&#42;\n[&#91;a&#93; (b).jpg](${PATH}/a-b.jpg)`,
        },
      },
    ],
    outcome: SENT,
  },
  {
    it: 'links to what an older server calls it',
    message: media('Document'),
    answers: [
      { status: 200, body: { result: 'success', msg: '', uri: '/user_uploads/1/x.pdf' } },
      { status: 200, body: { result: 'success', msg: '', id: 42 } },
    ],
    sees: [{}, { form: { content: '[report.pdf](/user_uploads/1/x.pdf)' } }],
    outcome: { outcome: 'sent', id: '42' },
  },
  {
    it: 'uploads what is at a very long address',
    message: media('Image', { url: `${hosted('photo.png')}?${'x'.repeat(12_000)}` }),
    sees: [UPLOAD, { form: { content: `[photo.png](${PATH}/photo.png)` } }],
    outcome: SENT,
  },
  {
    it: 'puts a picture in the place of a message',
    calls: 'edit',
    earlier: EARLIER,
    message: media('Image', { content: 'New' }),
    sees: [UPLOAD, { method: 'PATCH', form: { content: `New\n[photo.png](${PATH}/photo.png)` } }],
    outcome: { outcome: 'sent', id: BEFORE },
  },
  {
    it: 'puts nothing in the place of a message when the file is gone',
    calls: 'edit',
    earlier: EARLIER,
    message: media('Image', { url: `${hosted('photo.png')}/gone` }),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'content', code: '404' },
  },
  {
    it: 'is told that a file is too large for the server',
    message: media('Document', { url: hosted('report.pdf', MAX_BYTES + 1) }),
    sees: [UPLOAD],
    outcome: { outcome: 'permanent', blame: 'content', code: 'BAD_REQUEST', detail: 'larger' },
  },
  ...unhad('Document'),
  fails(
    'blames nobody who was not written to',
    [zulipError('Not allowed for users of this kind')],
    {
      outcome: 'permanent',
      blame: 'content',
      code: 'BAD_REQUEST',
    },
  ),
  ...unheard(fails, 'address'),
];
