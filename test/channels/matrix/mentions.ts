import assert from 'node:assert/strict';

import { member } from '../../../src/lib/json/json-member.ts';
import { FIRST, ROOM } from '../../emulators/matrix/api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

/* https://spec.matrix.org/latest/client-server-api/#user-and-room-mentions */

type MatrixCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `${ROOM}/${FIRST}` } as const;

/** Texts and the users they mention. */
const MENTIONS: readonly (readonly [object: object, ids: readonly string[]])[] = [
  [
    { content: 'Hello @ada:example.org, @bob:example.org:8448!' },
    ['@ada:example.org', '@bob:example.org:8448'],
  ],
  [{ content: 'mail a@ada:example.org or @room, @ada' }, []],
  [
    {
      mediaType: 'text/markdown',
      content: '[Ada](https://matrix.to/#/@ada:example.org) `@bob:example.org`',
    },
    ['@ada:example.org'],
  ],
  [
    {
      mediaType: 'text/html',
      content:
        '<a href="https://matrix.to/#/%40ada%3Aexample.org?via=example.org">Ada</a>, <a href="https://matrix.to/#/!room:example.org">room</a>',
    },
    ['@ada:example.org'],
  ],
];

export const MENTION_CASES = MENTIONS.map(([object, ids]): MatrixCase => ({
  it: `mentions the users named in ${JSON.stringify(object)}`,
  message: { object: { type: 'Note', ...object } },
  sees: [{}],
  outcome: SENT,
  also: ([seen]) =>
    assert.deepEqual(member(seen?.json, 'm.mentions'), ids.length > 0 ? { user_ids: ids } : {}),
}));
