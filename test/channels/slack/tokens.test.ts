import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Context } from '../../../src/channels/channel.ts';
import { slack } from '../../../src/channels/slack/channel.ts';
import { CLIENT, EXPIRED, REFRESH, openSlack, renewed } from '../../emulators/slack/api.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

/* Tokens that are over after a while, and are asked for again by all who send at the same time. */

const HOURS = 3_600_000;

async function open() {
  const peer = await openSlack();
  const context = openContext({
    credentials: { token: EXPIRED, refresh: REFRESH, ...CLIENT },
    url: peer.url,
  });
  let later = 0;
  const { clock } = context;
  context.clock = { ...clock, now: () => clock.now() + later };
  return {
    context,
    pass: (millis: number) => void (later += millis),
    send: (other: Partial<Context> = {}) =>
      resultOf(slack, 'send', outgoing({ recipient: 'C0123456789' }), undefined, {
        ...context,
        ...other,
      }),
    asked: () => peer.seen.filter(({ path }) => path === '/oauth.v2.access').length,
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]();
      await peer.close();
    },
  };
}

describe('slack, with tokens that are rotated,', () => {
  it('asks once for all that is sent at the same time, and stores both tokens', async () => {
    await using link = await open();
    const results = await Promise.all(Array.from({ length: 8 }, () => link.send()));
    assert.ok(results.every(({ outcome }) => outcome === 'sent'));
    assert.equal(link.asked(), 1);
    assert.deepEqual(link.context.renewed, [renewed(1)]);
  });

  it('asks again shortly before a token is over, with the refresh token of the last time', async () => {
    await using link = await open();
    for (const [hours, asked] of [
      [0, 1],
      [11.9, 1],
      [0.1, 2],
      [12, 3],
    ] as const) {
      link.pass(hours * HOURS);
      assert.equal((await link.send()).outcome, 'sent');
      assert.equal(link.asked(), asked);
    }
    assert.deepEqual(link.context.renewed, [1, 2, 3].map(renewed));
  });

  it('keeps what is about tokens off the record', async () => {
    await using link = await open();
    const recorded: string[] = [];
    const { fetch } = link.context;
    await link.send({
      fetch: (url, request) => {
        if (!request?.isPrivate) recorded.push(new URL(url).pathname);
        return fetch(url, request);
      },
    });
    assert.deepEqual(recorded, ['/chat.postMessage', '/chat.postMessage']);
  });

  it('has sent nothing when a token cannot be stored, and gets and stores another the next time', async () => {
    await using link = await open();
    const storeCredentials = () => Promise.reject(new Error('the disk is full'));
    const result = await link.send({ storeCredentials });
    assert.partialDeepStrictEqual(result, { outcome: 'transient', maybeSent: false });
    assert.equal((await link.send()).outcome, 'sent');
    assert.deepEqual(link.context.renewed, [renewed(2)]);
  });
});
