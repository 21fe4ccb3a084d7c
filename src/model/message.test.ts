import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { MESSAGE_STATES, type MessageState, mayBecome } from './message.ts';

const next = (from: MessageState) => MESSAGE_STATES.filter((to) => mayBecome(from, to));

/** Every state that can follow, by whatever way. */
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

describe('the states of a message', () => {
  it('go from queued by sending and sent to delivered and read', () => {
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

  it('let a message that has not left be sent, canceled, expire or fail', () => {
    assert.deepEqual(next('queued'), ['sending', 'failed', 'canceled', 'expired']);
  });

  it('let an attempt succeed, be repeated, fail, expire, or end nobody knows how', () => {
    assert.deepEqual(next('sending'), ['queued', 'sent', 'failed', 'expired', 'uncertain']);
  });

  it('can all be reached from queued', () => {
    assert.deepEqual([...reachable('queued')].toSorted(), MESSAGE_STATES.toSorted());
  });

  it('end with read', () => {
    assert.deepEqual(next('read'), []);
  });

  it('do not stay the same: nothing becomes what it is', () => {
    for (const state of MESSAGE_STATES) assert.equal(mayBecome(state, state), false, state);
  });

  it('let a message go back to the queue only if it may not have arrived', () => {
    const requeued = MESSAGE_STATES.filter((from) => mayBecome(from, 'queued'));
    assert.deepEqual(requeued, ['sending', 'failed', 'canceled', 'expired', 'uncertain']);
  });

  it('never let what was sent be sent again', () => {
    for (const from of ['sent', 'delivered', 'read'] as const) {
      for (const to of ['queued', 'sending', 'canceled', 'expired', 'uncertain'] as const) {
        assert.equal(mayBecome(from, to), false, `${from} to ${to}`);
      }
    }
  });

  it('are sent by way of sending, or by a person who decides what was uncertain', () => {
    const before = MESSAGE_STATES.filter((from) => mayBecome(from, 'sent'));
    assert.deepEqual(before, ['sending', 'uncertain']);
    const starts = MESSAGE_STATES.filter((from) => mayBecome(from, 'sending'));
    assert.deepEqual(starts, ['queued']);
  });

  it('let only what has not left be canceled', () => {
    const cancelable = MESSAGE_STATES.filter((from) => mayBecome(from, 'canceled'));
    assert.deepEqual(cancelable, ['queued', 'uncertain']);
  });
});
