import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { msTeams } from '../../../src/channels/ms-teams/channel.ts';
import { APP, CONVERSATIONS, PASSWORD, openTeams } from '../../emulators/ms-teams.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

describe('ms-teams', () => {
  it("sends to the conversation's service URL and requests one token only", async () => {
    const peer = await openTeams();
    const address = `${peer.url}/`;
    const credentials = { token: APP, secret: PASSWORD, address };
    await using context = openContext({ credentials, url: peer.url });
    const send = async (key: number) =>
      resultOf(
        msTeams,
        'send',
        outgoing({ recipient: CONVERSATIONS.person, key: `${key}` }),
        undefined,
        context,
      );
    const issued = () =>
      peer.seen.filter(({ path }) => path === '/botframework.com/oauth2/v2.0/token').length;
    await Promise.all([1, 2, 3, 4].map(send));
    assert.equal(issued(), 1);
    peer.expire();
    const results = await Promise.all([5, 6, 7].map(send));
    assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['sent']));
    assert.ok(issued() >= 2 && issued() <= 4);
    await peer.close();
  });

  it('accepts only conversation ids as recipients', () => {
    for (const id of ['', '.', '..', 'a b', 'ä', 'x'.repeat(513)]) {
      assert.match(msTeams.recipient.validate(id) ?? '', /conversation/);
    }
  });
});
