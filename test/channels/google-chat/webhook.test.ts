import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { googleChat } from '../../../src/channels/google-chat/channel.ts';
import type { MessageOptions } from '../../../src/model/sending/instructions.ts';
import {
  EARLIER,
  type GooglePeer,
  KEY_FILE,
  SPACE,
  WEBHOOK_QUERY,
  openGoogleChat,
} from '../../emulators/google-chat.ts';
import { type Expected, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

type Call = Parameters<typeof resultOf>[1];

let peer: GooglePeer;
before(async () => (peer = await openGoogleChat()));
after(async () => peer.close());

async function through(
  query: string,
  calls: Call,
  recipient: string,
  expected: Expected,
  options: MessageOptions = {},
) {
  const address = `${peer.url}/v1/${SPACE}/messages?${query}`;
  await using context = openContext({ credentials: { address }, url: 'http://127.0.0.1:1' });
  const earlier = { id: EARLIER, recipient };
  assertOutcome(
    await resultOf(googleChat, calls, outgoing({ recipient, options }), earlier, context),
    expected,
  );
}

describe('google-chat webhooks', () => {
  it('google-chat webhooks send to their own space and keep their URL unchanged', async () => {
    const id = `${SPACE}/messages/T1.M1:${SPACE}/threads/T1`;
    await through(WEBHOOK_QUERY, 'send', SPACE, { outcome: 'sent', id }, { silent: true });
    const [seen] = peer.seen;
    assert.ok(seen);
    assert.ok(seen.path.startsWith(`/v1/${SPACE}/messages?${WEBHOOK_QUERY}&requestId=`));
    assert.equal(seen.headers['authorization'], undefined);
  });

  it('google-chat webhooks send to no other space', async () => {
    const detail = SPACE;
    await through(WEBHOOK_QUERY, 'send', 'spaces/other', {
      outcome: 'permanent',
      blame: 'recipient',
      detail,
    });
  });

  for (const calls of ['edit', 'remove'] as const) {
    it(`google-chat webhooks cannot ${calls}`, async () => {
      await through(WEBHOOK_QUERY, calls, SPACE, { outcome: 'permanent', blame: 'unsupported' });
    });
  }

  it('pass the check without sending a message', async () => {
    const as = `the webhook of ${SPACE}`;
    await through(WEBHOOK_QUERY, 'check', SPACE, { outcome: 'known', as, account: SPACE });
    assert.equal(peer.seen.at(-1)?.text, '{}');
  });

  for (const calls of ['send', 'check'] as const) {
    it(`blame the credentials for a wrong key: ${calls}`, async () => {
      await through('key=fake-other&token=fake', calls, SPACE, {
        outcome: 'permanent',
        blame: 'credentials',
        code: 'INVALID_ARGUMENT',
      });
    });
  }
});

describe('google-chat apps', () => {
  it('request one token for all concurrent messages and a new one after it expires', async () => {
    await using context = openContext({ credentials: { token: KEY_FILE }, url: peer.url });
    const send = async (key: number) =>
      resultOf(
        googleChat,
        'send',
        outgoing({ recipient: SPACE, key: `k${key}` }),
        undefined,
        context,
      );
    const issued = () => peer.seen.filter(({ path }) => path === '/token').length;
    await Promise.all([1, 2, 3, 4].map(send));
    assert.equal(issued(), 1);
    peer.expire();
    const results = await Promise.all([5, 6, 7].map(send));
    assert.deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['sent']));
    assert.ok(issued() >= 2 && issued() <= 4);
    assert.deepEqual(await send(8), await send(8));
    assert.notDeepEqual(await send(8), await send(9));
  });

  it('google-chat apps accept only space names as recipients', () => {
    for (const id of ['', 'AAAA', 'spaces/', 'spaces/A/messages', 'spaces/../x', 'users/1']) {
      assert.match(googleChat.recipient.validate(id) ?? '', /name of a space/);
    }
  });
});
