import { MAX_BYTES, ROOM, matrixError } from '../../emulators/matrix/api.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import type { Case } from '../suite.ts';
import { KINDS, assertUploaded, media, unhad } from '../upload-cases.ts';

/* Files on a homeserver, which is the only place that Matrix shows them from. */

type MatrixCase = Case<Request, Reply | Accident>;

const TYPES = { Image: 'm.image', Video: 'm.video', Audio: 'm.audio', Document: 'm.file' } as const;
const UPLOAD = '/_matrix/media/v3/upload?filename=';
const SENT = { outcome: 'sent', id: `${ROOM}/$event-1` } as const;
const EARLIER = { id: `${ROOM}/$before`, recipient: ROOM };

const kinds = (Object.keys(TYPES) as (keyof typeof TYPES)[]).map((type): MatrixCase => {
  const name = KINDS[type];
  const { bytes, mediaType: mimetype } = HOSTED[name];
  const size = bytes.length;
  return {
    it: `uploads a file: ${type}`,
    message: media(type),
    sees: [
      { method: 'POST', path: UPLOAD + name, headers: { 'content-type': mimetype } },
      {
        json: {
          msgtype: TYPES[type],
          body: name,
          filename: name,
          url: `mxc://example.org/fake${size}`,
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
  answers: readonly (Reply | Accident)[],
  outcome: MatrixCase['outcome'],
) => ({
  it: `${it} while it uploads`,
  message: media('Document'),
  answers,
  outcome,
});

export const UPLOADS: readonly MatrixCase[] = [
  ...kinds,
  {
    it: 'uploads a picture with a caption, its name and its kind',
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
    it: 'uploads a file into a thread, as an answer',
    message: { ...media('Document', { inReplyTo: '$before' }), context: '$before' },
    sees: [{}, { json: { 'm.relates_to': { rel_type: 'm.thread' } } }],
    outcome: SENT,
  },
  {
    it: 'puts a picture in the place of a message',
    calls: 'edit',
    earlier: EARLIER,
    message: media('Image'),
    sees: [{}, { json: { body: '* photo.png', 'm.new_content': { msgtype: 'm.image' } } }],
    outcome: { outcome: 'sent', id: EARLIER.id },
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
    it: 'acts as somebody while it uploads, if it is an application service',
    message: media('Document'),
    credentials: { username: '@bot:example.org', secret: 'fake-hs-token' },
    sees: [{ path: `${UPLOAD}report.pdf&user_id=%40bot%3Aexample.org` }, {}],
    outcome: SENT,
  },
  {
    it: 'is told that a file is too large for the homeserver',
    message: media('Document', { url: hosted('report.pdf', MAX_BYTES + 1) }),
    outcome: { outcome: 'permanent', blame: 'content', code: 'M_TOO_LARGE' },
  },
  ...unhad('Document'),
  fails('blames no room', [matrixError(403, 'M_FORBIDDEN', 'no media')], {
    outcome: 'permanent',
    blame: 'unsupported',
    code: 'M_FORBIDDEN',
  }),
  fails('knows that nothing was sent when it hears nothing', ['reset'], {
    outcome: 'transient',
    maybeSent: false,
  }),
  fails('knows that nothing was sent when it hears no address', ['empty'], {
    outcome: 'transient',
    maybeSent: false,
    code: '200',
  }),
  fails(
    'knows that nothing was sent when it is told another kind of address',
    [{ status: 200, body: { content_uri: 'https://example.com/x' } }],
    { outcome: 'transient', maybeSent: false, code: '200' },
  ),
  fails('does not know whether it was sent when nobody says so', ['none', 'reset'], {
    outcome: 'transient',
    maybeSent: true,
  }),
];
