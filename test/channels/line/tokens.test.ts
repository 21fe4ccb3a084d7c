import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { line } from '../../../src/channels/line/channel.ts';
import { CHANNEL, PEERS, SECRET, openLine } from '../../emulators/line.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

describe('line', () => {
  it('requests one token for all concurrent messages and a new one after it expires', async () => {
    const peer = await openLine();
    const credentials = { username: CHANNEL, secret: SECRET };
    await using context = openContext({ credentials, url: peer.url });
    const send = async (key: number) =>
      resultOf(
        line,
        'send',
        outgoing({ recipient: PEERS.user, key: `${key}` }),
        undefined,
        context,
      );
    const issued = () => peer.seen.filter(({ path }) => path === '/oauth2/v3/token').length;
    await Promise.all([1, 2, 3, 4].map(send));
    assert.equal(issued(), 1);
    peer.expire();
    const results = await Promise.all([5, 6, 7].map(send));
    assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['sent']));
    assert.ok(issued() >= 2 && issued() <= 4);
    assert.deepEqual(await send(8), await send(8));
    await peer.close();
  });

  it('accepts only LINE ids as recipients', () => {
    for (const id of ['', 'U123', `u${'4'.repeat(32)}`, `U${'G'.repeat(32)}`, '@name']) {
      assert.match(line.recipient.validate(id) ?? '', /32/);
    }
  });
});
