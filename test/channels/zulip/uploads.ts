import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import { BEFORE, FIRST, MAX_BYTES, zulipError } from '../../emulators/zulip.ts';
import type { Case } from '../suite.ts';
import { KINDS, assertUploaded, media, withoutFile, withoutResponse } from '../upload-cases.ts';

/* Files uploaded to Zulip and linked in the text. */

type ZulipCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST } as const;
const EARLIER = { id: BEFORE, recipient: 'general/greetings' };
const UPLOAD = { method: 'POST', path: '/api/v1/user_uploads' };
const PATH = '/user_uploads/2/00001';

const kinds = (Object.keys(KINDS) as (keyof typeof KINDS)[]).map((type): ZulipCase => {
  const filename = KINDS[type];
  const { mediaType } = HOSTED[filename];
  return {
    it: `uploads a file of type ${type}`,
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
  answers: readonly (Reply | ConnectionFault)[],
  outcome: ZulipCase['outcome'],
): ZulipCase => ({ it: `upload: ${it}`, message: media('Document'), answers, outcome });

export const UPLOADS: readonly ZulipCase[] = [
  ...kinds,
  {
    it: 'uploads an image with a caption and a name with special characters',
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
    it: 'links to the address that an older server returns',
    message: media('Document'),
    answers: [
      { status: 200, body: { result: 'success', msg: '', uri: '/user_uploads/1/x.pdf' } },
      { status: 200, body: { result: 'success', msg: '', id: 42 } },
    ],
    sees: [{}, { form: { content: '[report.pdf](/user_uploads/1/x.pdf)' } }],
    outcome: { outcome: 'sent', id: '42' },
  },
  {
    it: 'uploads a file with a very long address',
    message: media('Image', { url: `${hosted('photo.png')}?${'x'.repeat(12_000)}` }),
    sees: [UPLOAD, { form: { content: `[photo.png](${PATH}/photo.png)` } }],
    outcome: SENT,
  },
  {
    it: 'replaces a message with an image',
    calls: 'edit',
    earlier: EARLIER,
    message: media('Image', { content: 'New' }),
    sees: [UPLOAD, { method: 'PATCH', form: { content: `New\n[photo.png](${PATH}/photo.png)` } }],
    outcome: { outcome: 'sent', id: BEFORE },
  },
  {
    it: 'does not edit a message when the new file is missing',
    calls: 'edit',
    earlier: EARLIER,
    message: media('Image', { url: `${hosted('photo.png')}/gone` }),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'content', code: '404' },
  },
  {
    it: 'fails when the server rejects a file as too large',
    message: media('Document', { url: hosted('report.pdf', MAX_BYTES + 1) }),
    sees: [UPLOAD],
    outcome: { outcome: 'permanent', blame: 'content', code: 'BAD_REQUEST', detail: 'larger' },
  },
  ...withoutFile('Document'),
  fails('does not blame the recipient', [zulipError('Not allowed for users of this kind')], {
    outcome: 'permanent',
    blame: 'content',
    code: 'BAD_REQUEST',
  }),
  ...withoutResponse(fails, 'address'),
];
