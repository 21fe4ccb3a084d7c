import { FIRST, MAX_BYTES, ROOM, matrixError } from '../../emulators/matrix/api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import type { Case } from '../suite.ts';
import { KINDS, assertUploaded, media, withoutFile } from '../upload-cases.ts';

/* Files uploaded to the homeserver, the only place Matrix shows them from. */

type MatrixCase = Case<Request, Reply | ConnectionFault>;

const TYPES = { Image: 'm.image', Video: 'm.video', Audio: 'm.audio', Document: 'm.file' } as const;
const UPLOAD = '/_matrix/media/v3/upload?filename=';
const SENT = { outcome: 'sent', id: `${ROOM}/${FIRST}` } as const;
const EARLIER = { id: `${ROOM}/$before`, recipient: ROOM };

const kinds = (Object.keys(TYPES) as (keyof typeof TYPES)[]).map((type): MatrixCase => {
  const name = KINDS[type];
  const { bytes, mediaType: mimetype } = HOSTED[name];
  const size = bytes.length;
  return {
    it: `uploads a file of type ${type}`,
    message: media(type),
    sees: [
      { method: 'POST', path: UPLOAD + name, headers: { 'content-type': mimetype } },
      {
        json: {
          msgtype: TYPES[type],
          body: name,
          filename: name,
          url: `mxc://example.org/00001`,
          info: { mimetype, size },
        },
      },
    ],
    outcome: SENT,
    also: (seen) => assertUploaded(seen, name),
  };
});

const fails = (
  it: string,
  answers: readonly (Reply | ConnectionFault)[],
  outcome: MatrixCase['outcome'],
) => ({
  it: `upload: ${it}`,
  message: media('Document'),
  answers,
  outcome,
});

export const UPLOADS: readonly MatrixCase[] = [
  ...kinds,
  {
    it: 'uploads an image with its caption, name and media type',
    message: media('Image', {
      name: 'été 1',
      mediaType: 'image/jpeg',
      summary: '',
      content: '2 > 1',
    }),
    sees: [
      {
        path: `${UPLOAD}%C3%A9t%C3%A9%201.jpg`,
        headers: { 'content-type': 'image/jpeg' },
      },
      { json: { body: '2 > 1', filename: 'été 1.jpg', info: { mimetype: 'image/jpeg' } } },
    ],
    outcome: SENT,
  },
  {
    it: 'uploads a file to a thread as a reply',
    message: { ...media('Document', { inReplyTo: '$before' }), context: '$before' },
    sees: [{}, { json: { 'm.relates_to': { rel_type: 'm.thread' } } }],
    outcome: SENT,
  },
  {
    it: 'replaces a message with an image',
    calls: 'edit',
    earlier: EARLIER,
    message: media('Image'),
    sees: [{}, { json: { body: '* photo.png', 'm.new_content': { msgtype: 'm.image' } } }],
    outcome: { outcome: 'sent', id: EARLIER.id },
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
    it: 'uploads as the user that an application service acts as',
    message: media('Document'),
    credentials: { username: '@bot:example.org', secret: 'fake-hs-token' },
    sees: [{ path: `${UPLOAD}report.pdf&user_id=%40bot%3Aexample.org` }, {}],
    outcome: SENT,
  },
  {
    it: 'fails when the homeserver rejects a file as too large',
    message: media('Document', { url: hosted('report.pdf', MAX_BYTES + 1) }),
    outcome: { outcome: 'permanent', blame: 'content', code: 'M_TOO_LARGE' },
  },
  ...withoutFile('Document'),
  fails('does not blame the room', [matrixError(403, 'M_FORBIDDEN', 'no media')], {
    outcome: 'permanent',
    blame: 'unsupported',
    code: 'M_FORBIDDEN',
  }),
  fails('nothing was sent when there is no response', ['reset'], {
    outcome: 'transient',
    maybeSent: false,
  }),
  fails('nothing was sent when the response has no address', ['empty'], {
    outcome: 'transient',
    maybeSent: false,
    code: '200',
  }),
  fails(
    'nothing was sent when the address is of another kind',
    [{ status: 200, body: { content_uri: 'https://example.com/x' } }],
    { outcome: 'transient', maybeSent: false, code: '200' },
  ),
  fails('the message may have been sent when its request gets no response', ['none', 'reset'], {
    outcome: 'transient',
    maybeSent: true,
  }),
];
