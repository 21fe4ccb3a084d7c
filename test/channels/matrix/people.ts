import assert from 'node:assert/strict';

import {
  ADA,
  BOB,
  CARA,
  DAN,
  ROOM,
  SELF,
  limited,
  matrixError,
} from '../../emulators/matrix/api.ts';
import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { transient } from '../faults.ts';
import type { Case } from '../suite.ts';

/* What is sent through Matrix to a person, for whom there may be a room, or none yet. */

const API = '/_matrix/client/v3';
const DIRECT = `${API}/user/%40bot%3Aexample.org/account_data/m.direct`;

export const PEOPLE: readonly Case<Request, Reply | Accident>[] = [
  {
    it: 'sends to a person in the room that both are in',
    message: { recipient: ADA },
    sees: [
      { path: `${API}/account/whoami` },
      { path: DIRECT },
      { path: `${API}/rooms/!gone%3Aexample.org/state/m.room.member/%40ada%3Aexample.org` },
      { path: `${API}/rooms/!with-ada%3Aexample.org/state/m.room.member/%40ada%3Aexample.org` },
      { method: 'PUT', json: { body: 'Good morning!' } },
    ],
    outcome: { outcome: 'sent', id: '!with-ada:example.org/$event-1' },
  },
  {
    it: 'invites a person who has left into another room, and notes it beside the first',
    message: { recipient: BOB },
    outcome: { outcome: 'sent', id: '!made-for-bob:example.org/$event-1' },
    also: (seen) => {
      const noted = seen.find(({ method, path }) => method === 'PUT' && path === DIRECT);
      assert.deepEqual(noted?.json, {
        [ADA]: ['!gone:example.org', '!with-ada:example.org'],
        [BOB]: ['!left-by-bob:example.org', '!made-for-bob:example.org'],
      });
    },
  },
  {
    it: 'looks for a person’s room once for all parts',
    message: { recipient: ADA, text: 'x'.repeat(60_000) },
    sees: [{}, {}, {}, {}, {}, {}],
    outcome: { outcome: 'sent', id: '!with-ada:example.org/$event-2' },
  },
  {
    it: 'notes the first room of all',
    message: { recipient: CARA },
    answers: [
      { status: 200, body: { user_id: SELF } },
      matrixError(404, 'M_NOT_FOUND', 'Account data not found'),
    ],
    outcome: { outcome: 'sent', id: '!made-for-car:example.org/$event-1' },
  },
  {
    it: 'sends though the new room cannot be noted',
    message: { recipient: CARA },
    answers: [
      { status: 200, body: { user_id: SELF } },
      { status: 200, body: {} },
      { status: 200, body: { room_id: ROOM } },
      limited(),
    ],
    outcome: { outcome: 'sent', id: `${ROOM}/$event-1` },
  },
  {
    it: 'blames a person who wants no invitation',
    message: { recipient: DAN },
    outcome: { outcome: 'permanent', blame: 'recipient', code: 'M_INVITE_BLOCKED' },
  },
  {
    it: 'has surely not sent when no room was made',
    message: { recipient: CARA },
    answers: [
      { status: 200, body: { user_id: SELF } },
      { status: 200, body: {} },
      { status: 502, body: '' },
    ],
    outcome: transient(false, '502'),
  },
  {
    it: 'makes no room when it cannot read which there are',
    message: { recipient: CARA },
    answers: [{ status: 200, body: { user_id: SELF } }, 'empty'],
    sees: [{}, {}],
    outcome: transient(false, '200'),
  },
];
