import assert from 'node:assert/strict';
import { it } from 'node:test';

import { interrupted, isIsolated, postponed } from './interruption.ts';
import type { Situation } from './outcome-policy.ts';

const NOW = 1_000_000;

const situation: Situation = {
  message: { attempts: 0, partsSent: 1, channelIds: '["a"]' },
  parts: 3,
  uncertain: 'resend',
  idempotent: false,
  retryForever: undefined,
  spacing: 0,
  limits: 0,
  now: NOW,
  random: 0.5,
};

const change = (times: number, some: Partial<Situation> = {}) =>
  interrupted(times, { ...situation, ...some }).change;

it('a message interrupted once is retried like after any failure', () => {
  const expected = { state: 'queued', reason: 'transient', dueAt: NOW + 1_000, partsSent: 1 };
  assert.partialDeepStrictEqual(change(1), expected);
  assert.equal(isIsolated(change(1)), false);
});

it('a message interrupted twice is retried in isolation', () => {
  const failedOnce = { ...situation.message, attempts: 1 };
  const second = change(2, { message: failedOnce });
  assert.partialDeepStrictEqual(second, { state: 'queued', dueAt: NOW + 5_000, waits: 'retry' });
  assert.equal(isIsolated(second), true);
});

it('a message interrupted in isolation becomes uncertain on every channel', () => {
  for (const some of [{}, { idempotent: true }, { retryForever: () => 60_000 }]) {
    for (const times of [3, 4]) {
      const expected = { state: 'uncertain', reason: 'crashed', partsSent: 1, dueAt: NOW };
      assert.partialDeepStrictEqual(change(times, some), expected);
    }
  }
});

it('an interrupted message is held at once with the policy hold, unless the channel is idempotent', () => {
  const held = change(1, { uncertain: 'hold' });
  assert.partialDeepStrictEqual(held, { state: 'uncertain', reason: 'uncertain' });
  assert.equal(change(1, { uncertain: 'hold', idempotent: true }).state, 'queued');
});

it('a message postponed for another isolated one stays isolated', () => {
  const waiting = postponed(situation);
  assert.partialDeepStrictEqual(waiting, { state: 'queued', failed: false, waits: 'retry' });
  assert.equal(waiting.dueAt, NOW + 1_000);
  assert.equal(isIsolated(waiting), true);
});
