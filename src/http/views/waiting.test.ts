import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { SendConditions } from '../../store/messages/lanes.ts';
import { paceWait, waitingOf } from './waiting.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const SOON = NOW + 90_000;

const nothing: SendConditions = {
  lane: { dueAt: NOW, messageId: null, reason: null },
  pause: { pausedReason: null, pausedDetail: null, pausedUntil: null },
  enabled: true,
  channel: 'telegram',
  isOwned: true,
  isBehind: false,
};
const retry: SendConditions['lane'] = { dueAt: SOON, messageId: 1, reason: 'retry' };
const limited: SendConditions['lane'] = { dueAt: SOON, messageId: null, reason: 'rate_limit' };
const processing: SendConditions['lane'] = { dueAt: SOON, messageId: null, reason: 'processing' };
const pause = (
  pausedReason: 'rate_limit' | 'credentials',
  pausedUntil: number | null,
): SendConditions['pause'] => ({ pausedReason, pausedDetail: 'no', pausedUntil });

const waiting = (change: Partial<SendConditions>, detail: string | null = null) =>
  waitingOf({ detail }, { ...nothing, ...change }, NOW);

describe('the reason why a message waits', () => {
  it('the reason why a message waits is absent when it is about to be sent', () => {
    assert.equal(waiting({}), null);
    assert.equal(waiting({ lane: undefined, pause: undefined }), null);
    assert.equal(waiting({ lane: { ...retry, dueAt: NOW } }), null, 'it is due');
    assert.equal(waiting({ lane: { ...retry, dueAt: null } }), null, 'it is being started');
    assert.equal(waiting({ pause: pause('rate_limit', NOW) }), null, 'the pause is over');
  });

  const until = '2026-11-15T12:01:30';
  for (const [reason, change, end] of [
    ['disabled', { enabled: false }, null],
    ['credentials', { pause: pause('credentials', null) }, null],
    ['order', { isBehind: true }, null],
    ['rate_limit', { pause: pause('rate_limit', SOON) }, until],
    ['rate_limit', { lane: limited }, until],
    ['processing', { lane: processing }, until],
    ['retry', { lane: retry }, until],
  ] as const) {
    it(`the reason why a message waits is ${reason} ${end === null ? 'without' : 'with'} an end`, () => {
      const found = waiting(change);
      assert.deepEqual([found?.reason, found?.until], [reason, end]);
      assert.match(found?.detail ?? '', /^[A-Z].*(\.| no)$/);
    });
  }

  it("the reason why a message waits has the channel's own description if there is one", () => {
    assert.match(waiting({ lane: retry }, 'busy')?.detail ?? '', / busy$/);
    assert.match(waiting({ lane: limited }, 'slow')?.detail ?? '', / slow$/);
    assert.match(waiting({ lane: retry })?.detail ?? '', /\.$/);
    assert.match(waiting({ lane: processing }, '40 %')?.detail ?? '', / 40 %\.$/);
  });

  it('the reason why a message waits is first a required user action, then earlier messages, then time', () => {
    const all: SendConditions = {
      lane: retry,
      pause: pause('credentials', null),
      enabled: false,
      channel: undefined,
      isOwned: true,
      isBehind: true,
    };
    const order: Partial<SendConditions>[] = [
      {},
      { enabled: true },
      { pause: pause('rate_limit', SOON) },
      { isBehind: false },
      { pause: undefined },
    ];
    let circumstances = all;
    const reasons = order.map((change) => {
      circumstances = { ...circumstances, ...change };
      return waitingOf({ detail: null }, circumstances, NOW)?.reason;
    });
    assert.deepEqual(reasons, ['disabled', 'credentials', 'order', 'rate_limit', 'retry']);
  });
});

describe("the wait for a channel's rate limit", () => {
  const telegram = { count: 30, seconds: 1, burst: 30 };
  const twitter = { count: 15, seconds: 900, burst: 15 };

  it("the wait for a channel's rate limit is estimated from the rate and the messages ahead", () => {
    const wait = paceWait(telegram, { ahead: 299, dueAt: NOW, now: NOW });
    assert.deepEqual(
      [wait?.reason, wait?.until, wait?.estimated],
      ['rate_limit', '2026-11-15T12:00:10', true],
    );
  });

  it("the wait for a channel's rate limit is absent for a message within the burst, until it is overdue", () => {
    assert.equal(paceWait(telegram, { ahead: 29, dueAt: NOW, now: NOW }), null);
    assert.equal(paceWait(twitter, { ahead: 0, dueAt: NOW, now: NOW + 999 }), null);
    const wait = paceWait(twitter, { ahead: 0, dueAt: NOW, now: NOW + 1000 });
    assert.equal(wait?.until, '2026-11-15T12:01:01');
  });
});
