import assert from 'node:assert/strict';

import {
  ADA,
  BOB,
  CARA,
  DAN,
  FIRST,
  ROOM,
  SECOND,
  SELF,
  limited,
  matrixError,
} from '../../emulators/matrix/api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { transient } from '../faults.ts';
import type { Case } from '../suite.ts';

/* Messages to a user, with or without an existing direct room. */

const API = '/_matrix/client/v3';
const DIRECT = `${API}/user/%40bot%3Aexample.org/account_data/m.direct`;
const DIRECT_ROOMS = Object.fromEntries(
  Array.from({ length: 3_000 }, (_, i) => [`@user-${i}:example.org`, [`!room-${i}:example.org`]]),
);

export const PEOPLE: readonly Case<Request, Reply | ConnectionFault>[] = [
  {
    it: 'sends to a user in the shared direct room',
    message: { recipient: ADA },
    sees: [
      { path: `${API}/account/whoami` },
      { path: DIRECT },
      { path: `${API}/rooms/!gone%3Aexample.org/state/m.room.member/%40ada%3Aexample.org` },
      { path: `${API}/rooms/!with-ada%3Aexample.org/state/m.room.member/%40ada%3Aexample.org` },
      { method: 'PUT', json: { body: 'Good morning!' } },
    ],
    outcome: { outcome: 'sent', id: `!with-ada:example.org/${FIRST}` },
  },
  {
    it: 'invites a user who has left to a new room and records it after the first',
    message: { recipient: BOB },
    outcome: { outcome: 'sent', id: `!dm-bob:example.org/${FIRST}` },
    also: (seen) => {
      const noted = seen.find(({ method, path }) => method === 'PUT' && path === DIRECT);
      assert.deepEqual(noted?.json, {
        [ADA]: ['!gone:example.org', '!with-ada:example.org'],
        [BOB]: ['!left-by-bob:example.org', '!dm-bob:example.org'],
      });
    },
  },
  {
    it: 'looks up a user’s room once for all parts',
    message: { recipient: ADA, text: 'x'.repeat(60_000) },
    sees: [{}, {}, {}, {}, {}, {}],
    outcome: { outcome: 'sent', id: `!with-ada:example.org/${SECOND}` },
  },
  {
    it: 'sends to a user in a direct room among thousands',
    message: { recipient: ADA },
    answers: [
      { status: 200, body: { user_id: SELF } },
      { status: 200, body: { ...DIRECT_ROOMS, [ADA]: ['!with-ada:example.org'] } },
    ],
    outcome: { outcome: 'sent', id: `!with-ada:example.org/${FIRST}` },
  },
  {
    it: 'records the first direct room',
    message: { recipient: CARA },
    answers: [
      { status: 200, body: { user_id: SELF } },
      matrixError(404, 'M_NOT_FOUND', 'Account data not found'),
    ],
    outcome: { outcome: 'sent', id: `!dm-cara:example.org/${FIRST}` },
  },
  {
    it: 'sends although the new room cannot be recorded',
    message: { recipient: CARA },
    answers: [
      { status: 200, body: { user_id: SELF } },
      { status: 200, body: {} },
      { status: 200, body: { room_id: ROOM } },
      limited(),
    ],
    outcome: { outcome: 'sent', id: `${ROOM}/${FIRST}` },
  },
  {
    it: 'blames a recipient who refuses invitations',
    message: { recipient: DAN },
    outcome: { outcome: 'permanent', blame: 'recipient', code: 'M_INVITE_BLOCKED' },
  },
  {
    it: 'the message was not sent when no room was created',
    message: { recipient: CARA },
    answers: [
      { status: 200, body: { user_id: SELF } },
      { status: 200, body: {} },
      { status: 502, body: '' },
    ],
    outcome: transient(false, '502'),
  },
  {
    it: 'creates no room when the existing rooms cannot be read',
    message: { recipient: CARA },
    answers: [{ status: 200, body: { user_id: SELF } }, 'empty'],
    sees: [{}, {}],
    outcome: transient(false, '200'),
  },
];
