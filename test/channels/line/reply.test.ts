import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { line } from '../../../src/channels/line/channel.ts';
import { systemClock } from '../../../src/lib/runtime/clock.ts';
import { ExpiringValues } from '../../../src/lib/runtime/expiring-values.ts';
import { PEERS, SECRET, TOKEN, type LinePeer, lineError, openLine } from '../../emulators/line.ts';
import { HOOK_URL } from '../hooks.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

/* Each inbound message has a reply token: valid once, for a minute, and free of charge. */

const REPLY = '/v2/bot/message/reply';
const PUSH = '/v2/bot/message/push';
const { user, group } = PEERS;

interface Fixture {
  peer: LinePeer;
  context: ReturnType<typeof openContext>;
  /** LINE delivers a message with a valid token. */
  receiveToken(token: string, source?: object, more?: object): void;
  sends(recipient?: string, key?: string): ReturnType<typeof resultOf>;
  paths(): string[];
  tick(milliseconds: number): void;
}

async function withLine(test: (fixture: Fixture) => Promise<void>): Promise<void> {
  const peer = await openLine();
  let ahead = 0;
  const clock = { now: () => systemClock.now() + ahead };
  const sharedState = new ExpiringValues(clock, 100);
  await using context = openContext({ credentials: { token: TOKEN }, url: peer.url, sharedState });
  try {
    await test({
      peer,
      context,
      receiveToken(token, source = { type: 'user', userId: user }, more = {}) {
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
        void line.hook?.parse(call, context);
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

describe('line reply tokens', () => {
  it('replies once and pushes the next messages', () =>
    withLine(async ({ receiveToken, sends, paths, peer, context }) => {
      receiveToken('token-1');
      assert.partialDeepStrictEqual(await sends(), { outcome: 'sent' });
      assert.partialDeepStrictEqual(await sends(user, 'another'), { outcome: 'sent' });
      assert.deepEqual(paths(), [REPLY, PUSH]);
      assert.partialDeepStrictEqual(peer.seen[0], { json: { replyToken: 'token-1' } });
      assert.deepEqual(context.concealed, ['token-1']);
    }));

  it('replies silently', () =>
    withLine(async ({ receiveToken, paths, peer, context }) => {
      receiveToken('token-1');
      const message = outgoing({ recipient: user, options: { silent: true } });
      const result = await resultOf(line, 'send', message, undefined, context);
      assert.partialDeepStrictEqual(result, { outcome: 'sent' });
      assert.deepEqual(paths(), [REPLY]);
      assert.partialDeepStrictEqual(peer.seen[0], { json: { notificationDisabled: true } });
    }));

  it("uses the sender's latest token only", () =>
    withLine(async ({ receiveToken, sends, paths, peer }) => {
      receiveToken('token-1');
      receiveToken('token-2');
      receiveToken('token-3', { type: 'group', groupId: group, userId: user });
      await sends();
      await sends(group);
      await sends(PEERS.room);
      assert.deepEqual(paths(), [REPLY, REPLY, PUSH]);
      const tokens = peer.seen.map(({ json }) => (json as { replyToken?: string }).replyToken);
      assert.deepEqual(tokens, ['token-2', 'token-3', undefined]);
    }));

  it('pushes when the token is too old or came with a redelivery', () =>
    withLine(async ({ receiveToken, sends, paths, tick }) => {
      receiveToken('token-1');
      tick(50_000);
      await sends();
      receiveToken('token-2', undefined, { deliveryContext: { isRedelivery: true } });
      await sends(user, 'another');
      assert.deepEqual(paths(), [PUSH, PUSH]);
    }));

  it('pushes in the same attempt when LINE refuses the token', () =>
    withLine(async ({ receiveToken, sends, paths, peer }) => {
      receiveToken('token-1');
      peer.spend('token-1');
      assert.partialDeepStrictEqual(await sends(), { outcome: 'sent' });
      assert.deepEqual(paths(), [REPLY, PUSH]);
    }));

  it('uses the same token to find out whether an uncertain reply arrived', () =>
    withLine(async ({ receiveToken, sends, paths, peer }) => {
      for (const [token, hasArrived] of [
        ['token-1', true],
        ['token-2', false],
      ] as const) {
        receiveToken(token);
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

  it('cannot tell whether a reply without a response arrived', () =>
    withLine(async ({ receiveToken, sends, peer }) => {
      receiveToken('token-1');
      peer.next('reset');
      const result = await sends();
      assert.partialDeepStrictEqual(result, {
        outcome: 'transient',
        maybeSent: true,
        isNotDeduplicated: true,
      });
    }));

  it('keeps the token when nothing was sent with it', () =>
    withLine(async ({ receiveToken, sends, paths, peer }) => {
      receiveToken('token-1');
      peer.next(lineError(503, 'Service unavailable'));
      assert.partialDeepStrictEqual(await sends(), { outcome: 'transient', maybeSent: false });
      peer.next(lineError(429, 'The API rate limit has been exceeded'));
      assert.partialDeepStrictEqual(await sends(), { outcome: 'limited' });
      assert.partialDeepStrictEqual(await sends(), { outcome: 'sent' });
      assert.deepEqual(paths(), [REPLY, REPLY, REPLY]);
    }));

  it('does not use a token for another message while its reply is uncertain', () =>
    withLine(async ({ receiveToken, sends, paths, peer }) => {
      receiveToken('token-1');
      peer.next(lineError(500, 'Internal server error'));
      await sends(user, 'first');
      assert.partialDeepStrictEqual(await sends(user, 'second'), { outcome: 'sent' });
      assert.deepEqual(paths(), [REPLY, PUSH]);
    }));
});
