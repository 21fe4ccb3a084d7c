import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Cause, MESSAGE_STATES, type MessageState, mayBecome } from './message.ts';

const CAUSES: readonly Cause[] = ['delivery', 'release', 'receipt', 'request', 'resend'];

/** The states that may follow, except for messages with several routes. */
const next = (from: MessageState) => MESSAGE_STATES.filter((to) => isNext(from, to));

const isNext = (from: MessageState, to: MessageState) =>
  CAUSES.some((cause) => mayBecome(from, to, cause));

/** All states reachable from this one. */
function reachable(from: MessageState): Set<MessageState> {
  const found = new Set<MessageState>();
  const follow = (state: MessageState) => {
    for (const to of next(state)) {
      if (found.has(to)) continue;
      found.add(to);
      follow(to);
    }
  };
  follow(from);
  return found;
}

describe('message states', () => {
  it('message states go from queued through sending and sent to delivered and read', () => {
    for (const [from, to] of [
      ['queued', 'sending'],
      ['sending', 'sent'],
      ['sent', 'delivered'],
      ['delivered', 'read'],
    ] as const) {
      assert.ok(mayBecome(from, to), `${from} to ${to}`);
      assert.equal(mayBecome(to, from), to === 'sending', `${to} back to ${from}`);
    }
  });

  it('a queued message can be sent, suppressed, canceled, expire or fail', () => {
    assert.deepEqual(next('queued'), ['sending', 'failed', 'canceled', 'expired', 'suppressed']);
  });

  it('a scheduled message is queued only when it is due', () => {
    assert.deepEqual(next('scheduled'), ['queued', 'failed', 'canceled', 'suppressed']);
    assert.ok(mayBecome('scheduled', 'queued', 'release'));
    for (const cause of ['resend', 'request', 'receipt', 'delivery', 'route'] as const)
      assert.equal(mayBecome('scheduled', 'queued', cause), false, cause);
  });

  it('an attempt can succeed, be repeated, deferred, fail, or end as uncertain or suppressed', () => {
    assert.deepEqual(next('sending'), [
      'scheduled',
      'queued',
      'sent',
      'failed',
      'uncertain',
      'suppressed',
    ]);
  });

  it('every state is reachable from queued', () => {
    assert.deepEqual([...reachable('queued')].toSorted(), MESSAGE_STATES.toSorted());
  });

  it('read is the final state', () => {
    assert.deepEqual(next('read'), []);
  });

  it('no state follows itself', () => {
    for (const state of MESSAGE_STATES) assert.equal(mayBecome(state, state), false, state);
  });

  it('a message returns to the queue only if it may not have arrived', () => {
    const requeued = MESSAGE_STATES.filter((from) => mayBecome(from, 'queued', 'resend'));
    assert.deepEqual(requeued, ['failed', 'canceled', 'expired', 'uncertain', 'suppressed']);
  });

  it('a sent message is never sent again', () => {
    for (const from of ['sent', 'delivered', 'read'] as const) {
      for (const to of ['queued', 'sending', 'canceled', 'expired', 'uncertain'] as const) {
        assert.equal(mayBecome(from, to), false, `${from} to ${to}`);
      }
    }
  });

  it('sent follows sending, or a decision on an uncertain message', () => {
    const before = MESSAGE_STATES.filter((from) => isNext(from, 'sent'));
    assert.deepEqual(before, ['sending', 'uncertain']);
    const starts = MESSAGE_STATES.filter((from) => mayBecome(from, 'sending'));
    assert.deepEqual(starts, ['queued']);
  });

  it('only a route that ended sends a message back to the schedule, or to an earlier state', () => {
    for (const from of ['queued', 'sent', 'delivered', 'uncertain'] as const) {
      assert.ok(mayBecome(from, 'scheduled', 'route'), from);
      for (const cause of CAUSES) assert.equal(mayBecome(from, 'scheduled', cause), false, from);
    }
    for (const to of ['sent', 'delivered', 'read'] as const) {
      assert.ok(mayBecome('scheduled', to, 'route'), to);
      assert.ok(mayBecome('queued', to, 'route'), to);
    }
    assert.equal(mayBecome('read', 'scheduled'), false);
  });

  it('only a message that has not been sent can be canceled', () => {
    const cancelable = MESSAGE_STATES.filter((from) => mayBecome(from, 'canceled'));
    assert.deepEqual(cancelable, ['scheduled', 'queued', 'uncertain']);
  });
});
