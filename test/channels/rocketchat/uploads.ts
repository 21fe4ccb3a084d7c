import assert from 'node:assert/strict';

import { BEFORE, MAX_BYTES, ROOM, rocketchatError } from '../../emulators/rocketchat.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import type { Case } from '../suite.ts';
import { KINDS, assertUploaded, media, withoutFile, withoutResponse } from '../upload-cases.ts';

/* Files uploaded to a Rocket.Chat room and then sent to it. */

type RocketchatCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `${ROOM}:message1` } as const;
const FIND = { method: 'GET', path: '/api/v1/rooms.info?roomName=general' };
const UPLOAD = { method: 'POST', path: `/api/v1/rooms.media/${ROOM}` };
const CONFIRM = { method: 'POST', path: `/api/v1/rooms.mediaConfirm/${ROOM}/00001` };

const kinds = (['Video', 'Audio', 'Document'] as const).map((type): RocketchatCase => {
  const filename = KINDS[type];
  const { mediaType } = HOSTED[filename];
  return {
    it: `uploads a file of type ${type}`,
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
  answers: readonly (Reply | ConnectionFault)[],
  outcome: RocketchatCase['outcome'],
): RocketchatCase => ({
  it: `upload: ${it}`,
  message: { ...media('Document'), recipient: ROOM },
  answers,
  outcome,
});

export const UPLOADS: readonly RocketchatCase[] = [
  ...kinds,
  {
    it: 'uploads a file without a caption to a thread of a room given by its id',
    message: { ...media('Document', { inReplyTo: BEFORE }), recipient: ROOM },
    sees: [UPLOAD, { ...CONFIRM, json: { tmid: BEFORE } }],
    outcome: SENT,
    also: ([, confirm]) => assert.deepEqual(confirm?.json, { tmid: BEFORE }),
  },
  {
    it: 'uploads a file for a user',
    message: { ...media('Document'), recipient: '@ada' },
    sees: [
      { path: '/api/v1/im.create', json: { username: 'ada' } },
      { path: '/api/v1/rooms.media/direct.ada' },
      { path: '/api/v1/rooms.mediaConfirm/direct.ada/00001' },
    ],
    outcome: { outcome: 'sent', id: 'direct.ada:message1' },
  },
  {
    it: 'looks up the room once for several files',
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
    it: 'sends no file to a missing channel',
    message: { ...media('Document'), recipient: '#nowhere' },
    sees: [{}],
    outcome: { outcome: 'permanent', blame: 'recipient', code: '400' },
  },
  {
    it: 'sends no file to a missing user',
    message: { ...media('Document'), recipient: '@nobody' },
    sees: [{}],
    outcome: { outcome: 'permanent', blame: 'recipient', code: 'error-invalid-user' },
  },
  {
    it: 'cannot replace a message with a file',
    calls: 'edit',
    earlier: { id: `${ROOM}:${BEFORE}`, recipient: ROOM },
    message: media('Document'),
    sees: [],
    outcome: { outcome: 'permanent', blame: 'unsupported' },
  },
  {
    it: 'fails when the server rejects a file as too large',
    message: {
      ...media('Document', { url: hosted('report.pdf', MAX_BYTES + 1) }),
      recipient: ROOM,
    },
    sees: [UPLOAD],
    outcome: { outcome: 'permanent', blame: 'content', code: 'error-file-too-large' },
  },
  ...withoutFile('Document'),
  fails(
    'does not blame the room for a refused file type',
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
  ...withoutResponse(fails, 'id'),
];
