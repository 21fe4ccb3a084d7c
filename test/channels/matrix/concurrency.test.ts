import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { matrix } from '../../../src/channels/matrix/channel.ts';
import {
  ADA,
  BOB,
  CARA,
  EXPIRED,
  REFRESH,
  RENEWED,
  ROOM,
  TOKEN,
  openMatrix,
} from '../../emulators/matrix/api.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

const API = '/_matrix/client/v3';
const DIRECT = 'user/%40bot%3Aexample.org/account_data/m.direct';

describe('matrix with concurrent messages', () => {
  const sendAll = async (credentials: object, recipients: readonly string[]) => {
    const peer = await openMatrix();
    await using context = openContext({
      credentials: { address: peer.url, token: TOKEN, ...credentials },
      url: '',
    });
    const results = await Promise.all(
      recipients.map(async (recipient, i) =>
        resultOf(matrix, 'send', outgoing({ recipient, key: `k${i}` }), undefined, context),
      ),
    );
    await peer.close();
    const counts = Object.groupBy(peer.seen, ({ path }) => path.replace(`${API}/`, ''));
    return { results, counts, renewed: context.renewed };
  };

  it('refreshes the token once and stores the new one', async () => {
    const expired = { token: EXPIRED, refresh: REFRESH };
    const { results, counts, renewed } = await sendAll(expired, [ROOM, ROOM, ROOM]);
    assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['sent']));
    assert.equal(counts['refresh']?.length, 1);
    assert.deepEqual(renewed, [RENEWED]);
  });

  it('creates one room per user and records the rooms of all', async () => {
    const { results, counts } = await sendAll({}, [CARA, BOB, CARA]);
    assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['sent']));
    assert.equal(counts['createRoom']?.length, 2);
    const noted = counts[DIRECT]?.findLast(({ method }) => method === 'PUT');
    assert.deepEqual(Object.keys(noted?.json ?? {}).toSorted(), [ADA, BOB, CARA]);
  });
});
