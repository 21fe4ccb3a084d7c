import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { line } from '../../../src/channels/line/channel.ts';
import { systemClock } from '../../../src/lib/runtime/clock.ts';
import { ExpiringValues } from '../../../src/lib/runtime/expiring-values.ts';
import { PEERS, SECRET, TOKEN, type LinePeer, lineError, openLine } from '../../emulators/line.ts';
import { HOOK_URL } from '../hooks.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

/* What people write brings a reply token: good once, for a minute, and free. */

const REPLY = '/v2/bot/message/reply';
const PUSH = '/v2/bot/message/push';
const { user, group } = PEERS;

interface World {
  peer: LinePeer;
  context: ReturnType<typeof openContext>;
  /** LINE tells of a message, with a token that is good. */
  hears(token: string, source?: object, more?: object): void;
  sends(recipient?: string, key?: string): ReturnType<typeof resultOf>;
  paths(): string[];
  tick(milliseconds: number): void;
}

async function withLine(test: (world: World) => Promise<void>): Promise<void> {
  const peer = await openLine();
  let ahead = 0;
  const clock = { now: () => systemClock.now() + ahead };
  const notes = new ExpiringValues(clock, 100);
  await using context = openContext({ credentials: { token: TOKEN }, url: peer.url, notes });
  try {
    await test({
      peer,
      context,
      hears(token, source = { type: 'user', userId: user }, more = {}) {
        peer.grant(token);
        const event = {
          type: 'message',
          webhookEventId: token,
          replyToken: token,
          source,
          ...more,
        };
        const body = Buffer.from(JSON.stringify({ destination: user, events: [event] }));
        const query = new URLSearchParams();
        const call = { method: 'POST', url: HOOK_URL, path: '', query, header: () => SECRET, body };
        line.hook?.parse(call, context);
      },
      sends: (recipient = user, key = 'message-1-part-1') =>
        resultOf(line, 'send', outgoing({ recipient, key }), undefined, context),
      paths: () => peer.seen.map(({ path }) => path),
      tick: (milliseconds) => (ahead += milliseconds),
    });
  } finally {
    await peer.close();
  }
}

describe('line, with a reply token', () => {
  it('replies once, and pushes what follows', () =>
    withLine(async ({ hears, sends, paths, peer, context }) => {
      hears('token-1');
      assert.partialDeepStrictEqual(await sends(), { outcome: 'sent' });
      assert.partialDeepStrictEqual(await sends(user, 'another'), { outcome: 'sent' });
      assert.deepEqual(paths(), [REPLY, PUSH]);
      assert.partialDeepStrictEqual(peer.seen[0], { json: { replyToken: 'token-1' } });
      assert.deepEqual(context.concealed, ['token-1']);
    }));

  it('uses the latest token, and none of somebody else', () =>
    withLine(async ({ hears, sends, paths, peer }) => {
      hears('token-1');
      hears('token-2');
      hears('token-3', { type: 'group', groupId: group, userId: user });
      await sends();
      await sends(group);
      await sends(PEERS.room);
      assert.deepEqual(paths(), [REPLY, REPLY, PUSH]);
      const tokens = peer.seen.map(({ json }) => (json as { replyToken?: string }).replyToken);
      assert.deepEqual(tokens, ['token-2', 'token-3', undefined]);
    }));

  it('pushes when the token is not fresh any more, or came with a repeated call', () =>
    withLine(async ({ hears, sends, paths, tick }) => {
      hears('token-1');
      tick(50_000);
      await sends();
      hears('token-2', undefined, { deliveryContext: { isRedelivery: true } });
      await sends(user, 'another');
      assert.deepEqual(paths(), [PUSH, PUSH]);
    }));

  it('pushes in the same attempt when LINE takes the token no more', () =>
    withLine(async ({ hears, sends, paths, peer }) => {
      hears('token-1');
      peer.spend('token-1');
      assert.partialDeepStrictEqual(await sends(), { outcome: 'sent' });
      assert.deepEqual(paths(), [REPLY, PUSH]);
    }));

  it('finds out by the same token whether an uncertain reply arrived', () =>
    withLine(async ({ hears, sends, paths, peer }) => {
      for (const [token, hasArrived] of [
        ['token-1', true],
        ['token-2', false],
      ] as const) {
        hears(token);
        peer.next(lineError(500, 'Internal server error'));
        const first = await sends(user, token);
        assert.partialDeepStrictEqual(first, {
          outcome: 'transient',
          maybeSent: true,
          isNotDeduplicated: true,
        });
        if (hasArrived) peer.spend(token);
        assert.partialDeepStrictEqual(await sends(user, token), { outcome: 'sent' });
      }
      assert.deepEqual(paths(), [REPLY, REPLY, REPLY, REPLY]);
    }));

  it('does not know whether a reply without an answer arrived', () =>
    withLine(async ({ hears, sends, peer }) => {
      hears('token-1');
      peer.next('reset');
      const result = await sends();
      assert.partialDeepStrictEqual(result, {
        outcome: 'transient',
        maybeSent: true,
        isNotDeduplicated: true,
      });
    }));

  it('keeps the token for later when nothing was sent with it', () =>
    withLine(async ({ hears, sends, paths, peer }) => {
      hears('token-1');
      peer.next(lineError(503, 'Service unavailable'));
      assert.partialDeepStrictEqual(await sends(), { outcome: 'transient', maybeSent: false });
      peer.next(lineError(429, 'The API rate limit has been exceeded'));
      assert.partialDeepStrictEqual(await sends(), { outcome: 'limited' });
      assert.partialDeepStrictEqual(await sends(), { outcome: 'sent' });
      assert.deepEqual(paths(), [REPLY, REPLY, REPLY]);
    }));

  it('does not spend a token on another message while it is uncertain', () =>
    withLine(async ({ hears, sends, paths, peer }) => {
      hears('token-1');
      peer.next(lineError(500, 'Internal server error'));
      await sends(user, 'first');
      assert.partialDeepStrictEqual(await sends(user, 'second'), { outcome: 'sent' });
      assert.deepEqual(paths(), [REPLY, PUSH]);
    }));
});
