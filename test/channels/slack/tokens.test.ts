import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Context } from '../../../src/channels/channel.ts';
import { slack } from '../../../src/channels/slack/channel.ts';
import { CLIENT, EXPIRED, REFRESH, openSlack, renewed } from '../../emulators/slack/api.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

/* Expiring tokens that concurrent messages refresh together. */

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
    refreshCount: () => peer.seen.filter(({ path }) => path === '/oauth.v2.access').length,
    async [Symbol.asyncDispose]() {
      await context[Symbol.asyncDispose]();
      await peer.close();
    },
  };
}

describe('slack token rotation', () => {
  it('refreshes once for all concurrent messages and stores both tokens', async () => {
    await using link = await open();
    const results = await Promise.all(Array.from({ length: 8 }, () => link.send()));
    assert.ok(results.every(({ outcome }) => outcome === 'sent'));
    assert.equal(link.refreshCount(), 1);
    assert.deepEqual(link.context.renewed, [renewed(1)]);
  });

  it('refreshes shortly before expiry with the latest refresh token', async () => {
    await using link = await open();
    for (const [hours, refreshCount] of [
      [0, 1],
      [11.9, 1],
      [0.1, 2],
      [12, 3],
    ] as const) {
      link.pass(hours * HOURS);
      assert.equal((await link.send()).outcome, 'sent');
      assert.equal(link.refreshCount(), refreshCount);
    }
    assert.deepEqual(link.context.renewed, [1, 2, 3].map(renewed));
  });

  it('conceals token responses', async () => {
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

  it('sends nothing when a token cannot be stored and refreshes again in the next attempt', async () => {
    await using link = await open();
    const storeCredentials = () => Promise.reject(new Error('the disk is full'));
    const result = await link.send({ storeCredentials });
    assert.partialDeepStrictEqual(result, { outcome: 'transient', maybeSent: false });
    assert.equal((await link.send()).outcome, 'sent');
    assert.deepEqual(link.context.renewed, [renewed(2)]);
  });
});
