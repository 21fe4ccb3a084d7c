import assert from 'node:assert/strict';

import { BEFORE, MAX_BYTES, ROOM, rocketchatError } from '../../emulators/rocketchat.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import type { Case } from '../suite.ts';
import { KINDS, assertUploaded, media, unhad, unheard } from '../upload-cases.ts';

/* Files that Rocket.Chat wants uploaded to a room, and then sent into it. */

type RocketchatCase = Case<Request, Reply | Accident>;

const SENT = { outcome: 'sent', id: `${ROOM}:message1` } as const;
const FIND = { method: 'GET', path: '/api/v1/rooms.info?roomName=general' };
const UPLOAD = { method: 'POST', path: `/api/v1/rooms.media/${ROOM}` };
const CONFIRM = { method: 'POST', path: `/api/v1/rooms.mediaConfirm/${ROOM}/file1` };

const kinds = (['Video', 'Audio', 'Document'] as const).map((type): RocketchatCase => {
  const filename = KINDS[type];
  const { mediaType } = HOSTED[filename];
  return {
    it: `uploads a file: ${type}`,
    message: media(type, { content: 'a caption' }),
    sees: [
      FIND,
      { ...UPLOAD, parts: [{ name: 'file', filename, mediaType }] },
      { ...CONFIRM, json: { msg: 'a caption' } },
    ],
    outcome: SENT,
    also: (seen) => assertUploaded(seen, filename),
  };
});

const fails = (
  it: string,
  answers: readonly (Reply | Accident)[],
  outcome: RocketchatCase['outcome'],
): RocketchatCase => ({
  it: `${it} while it uploads`,
  message: { ...media('Document'), recipient: ROOM },
  answers,
  outcome,
});

export const UPLOADS: readonly RocketchatCase[] = [
  ...kinds,
  {
    it: 'uploads a file without a word into a thread of a room that is known by its id',
    message: { ...media('Document', { inReplyTo: BEFORE }), recipient: ROOM },
    sees: [UPLOAD, { ...CONFIRM, json: { tmid: BEFORE } }],
    outcome: SENT,
    also: ([, confirm]) => assert.deepEqual(confirm?.json, { tmid: BEFORE }),
  },
  {
    it: 'uploads a file for a person',
    message: { ...media('Document'), recipient: '@ada' },
    sees: [
      { path: '/api/v1/im.create', json: { username: 'ada' } },
      { path: '/api/v1/rooms.media/botada' },
      { path: '/api/v1/rooms.mediaConfirm/botada/file1' },
    ],
    outcome: { outcome: 'sent', id: 'botada:message1' },
  },
  {
    it: 'asks once for the room of several files',
    message: {
      object: {
        type: 'Collection',
        items: [1, 2].map(() => ({ type: 'Document', url: hosted('report.pdf') })),
      },
    },
    sees: [FIND, UPLOAD, CONFIRM, UPLOAD, {}],
    outcome: { outcome: 'sent', id: `${ROOM}:message2` },
  },
  {
    it: 'sends no file to a channel that is not there',
    message: { ...media('Document'), recipient: '#nowhere' },
    sees: [{}],
    outcome: { outcome: 'permanent', blame: 'recipient', code: '400' },
  },
  {
    it: 'sends no file to a person who is not there',
    message: { ...media('Document'), recipient: '@nobody' },
    sees: [{}],
    outcome: { outcome: 'permanent', blame: 'recipient', code: 'error-invalid-user' },
  },
  {
    it: 'puts no file in the place of a message',
    calls: 'edit',
    earlier: { id: `${ROOM}:${BEFORE}`, recipient: ROOM },
    message: media('Document'),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'unsupported' },
  },
  {
    it: 'is told that a file is too large for the server',
    message: {
      ...media('Document', { url: hosted('report.pdf', MAX_BYTES + 1) }),
      recipient: ROOM,
    },
    sees: [UPLOAD],
    outcome: { outcome: 'permanent', blame: 'content', code: 'error-file-too-large' },
  },
  ...unhad('Document'),
  fails(
    'blames no room for a type of files',
    [
      rocketchatError(
        'File type x/y not allowed [error-invalid-file-type]',
        'error-invalid-file-type',
      ),
    ],
    { outcome: 'permanent', blame: 'content', code: 'error-invalid-file-type' },
  ),
  fails('blames the room', [rocketchatError('unauthorized', undefined, 403)], {
    outcome: 'permanent',
    blame: 'recipient',
    code: '403',
  }),
  ...unheard(fails, 'id'),
];
