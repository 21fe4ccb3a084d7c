import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Blame, Outcome } from '../../channels/channel.ts';
import { type Decision, type Situation, decide, released } from './outcome-policy.ts';

const NOW = 1_000_000;

/** One part of three is sent, and two attempts have failed. */
const situation: Situation = {
  message: { attempts: 2, partsSent: 1, channelIds: '["a"]' },
  parts: 3,
  uncertain: 'resend',
  idempotent: false,
  retryForever: undefined,
  spacing: 0,
  limits: 0,
  now: NOW,
  random: 0.5,
};

const unchanged = { partsSent: 1, channelIds: '["a"]' };
const again = { ...unchanged, state: 'queued', waits: 'retry', failed: true, dueAt: NOW + 30_000 };

const notSent: Outcome = { outcome: 'transient', maybeSent: false, detail: 'busy' };
const maybeSent: Outcome = { outcome: 'transient', maybeSent: true, detail: 'lost' };

const held: Expected = {
  outcome: 'uncertain',
  change: {
    ...unchanged,
    state: 'uncertain',
    reason: 'uncertain',
    detail: 'lost',
    failed: true,
    dueAt: NOW,
    waits: null,
  },
};
const triedAgain = (outcome: 'transient' | 'uncertain', detail: string): Expected => ({
  outcome,
  change: { ...again, reason: 'transient', detail } as Decision['change'],
});

type Expected = Pick<Decision, 'outcome' | 'change'>;

describe('a transient failure', () => {
  const policies = ['resend', 'hold'] as const;
  for (const uncertain of policies) {
    for (const idempotent of [false, true]) {
      const where = `with the policy ${uncertain}${idempotent ? ' on an idempotent channel' : ''}`;
      it(`a transient failure is retried ${where} if nothing was sent`, () => {
        const decision = decide(notSent, { ...situation, uncertain, idempotent });
        assert.deepEqual(decision, triedAgain('transient', 'busy'));
      });

      const isHeld = uncertain === 'hold' && !idempotent;
      it(`a transient failure is ${isHeld ? 'held' : 'retried'} ${where} if the message may have been sent`, () => {
        const decision = decide(maybeSent, { ...situation, uncertain, idempotent });
        const outcome = idempotent ? 'transient' : 'uncertain';
        assert.deepEqual(decision, isHeld ? held : triedAgain(outcome, 'lost'));
      });

      it(`a transient failure is uncertain ${where} if it may have been sent in a way that is not idempotent`, () => {
        const once = { ...maybeSent, isNotDeduplicated: true } as const;
        const decision = decide(once, { ...situation, uncertain, idempotent });
        assert.deepEqual(decision, uncertain === 'hold' ? held : triedAgain('uncertain', 'lost'));
      });

      it(`fails the message ${where} after ten earlier attempts`, () => {
        const message = { ...situation.message, attempts: 10 };
        const { change } = decide(notSent, { ...situation, message, uncertain, idempotent });
        assert.partialDeepStrictEqual(change, {
          ...unchanged,
          state: 'failed',
          reason: 'gave_up',
          detail: 'busy',
          failed: true,
          dueAt: NOW,
          waits: null,
        });
      });
    }
  }
});

describe('a sent part', () => {
  it('requeues the message for the next part', () => {
    const decision = decide({ outcome: 'sent', id: 'b' }, situation);
    assert.deepEqual(decision, {
      outcome: 'sent',
      change: {
        state: 'queued',
        failed: false,
        partsSent: 2,
        channelIds: '["a","b"]',
        reason: null,
        detail: null,
        dueAt: NOW,
        waits: null,
      },
    });
  });

  it('marks the message sent if it was the last, and spaces the next message by the rate limit', () => {
    const message = { ...situation.message, partsSent: 2 };
    const { change } = decide({ outcome: 'sent' }, { ...situation, message, spacing: 1000 });
    assert.partialDeepStrictEqual(change, {
      state: 'sent',
      failed: false,
      partsSent: 3,
      channelIds: '["a"]',
      dueAt: NOW + 1000,
      waits: 'rate_limit',
    });
  });

  it('starts the list of channel ids', () => {
    const message = { attempts: 0, partsSent: 0, channelIds: null };
    const { change } = decide({ outcome: 'sent', id: '"' }, { ...situation, message, parts: 1 });
    assert.deepEqual(JSON.parse(change.channelIds ?? ''), ['"']);
  });
});

describe('a rate limit', () => {
  const waiting = {
    ...unchanged,
    state: 'queued',
    failed: false,
    reason: null,
    detail: 'slow down',
  } as const;

  it('a rate limit for the recipient delays the lane and does not count as a failure', () => {
    const outcome = { outcome: 'limited', scope: 'recipient', detail: 'slow down' } as const;
    assert.deepEqual(decide({ ...outcome, seconds: 7 }, situation), {
      outcome: 'limited',
      change: { ...waiting, dueAt: NOW + 7000, waits: 'rate_limit' },
    });
    const unsaid = decide(outcome, { ...situation, limits: 3 });
    assert.equal(unsaid.change.dueAt, NOW + 8000);
  });

  it('a rate limit for one message, which the vendor is still processing, delays it as processing', () => {
    const outcome = { outcome: 'limited', scope: 'message', detail: 'slow down' } as const;
    assert.deepEqual(decide({ ...outcome, seconds: 7 }, situation), {
      outcome: 'limited',
      change: { ...waiting, dueAt: NOW + 7000, waits: 'processing' },
    });
  });

  it('a rate limit for the integration pauses it and leaves the lane due', () => {
    const outcome = { outcome: 'limited', scope: 'integration', detail: 'slow down' } as const;
    assert.deepEqual(decide({ ...outcome, seconds: 7 }, situation), {
      outcome: 'limited',
      change: { ...waiting, dueAt: NOW, waits: null },
      pause: { reason: 'rate_limit', detail: 'slow down', until: NOW + 7000 },
    });
  });
});

describe('a permanent failure', () => {
  const blames: readonly Blame[] = ['recipient', 'content', 'unsupported'];
  for (const blame of blames) {
    it(`a permanent failure with the blame ${blame} fails the message`, () => {
      const decision = decide(
        { outcome: 'permanent', blame, detail: 'no' },
        { ...situation, spacing: 500 },
      );
      assert.deepEqual(decision, {
        outcome: 'permanent',
        change: {
          ...unchanged,
          state: 'failed',
          reason: blame,
          detail: 'no',
          failed: true,
          dueAt: NOW + 500,
          waits: 'rate_limit',
        },
      });
    });
  }

  it('a permanent failure with the blame credentials pauses the integration and requeues the message without costing an attempt', () => {
    const outcome = { outcome: 'permanent', blame: 'credentials', detail: 'no' } as const;
    assert.deepEqual(decide(outcome, { ...situation, spacing: 500 }), {
      outcome: 'permanent',
      change: {
        ...unchanged,
        state: 'queued',
        reason: 'credentials',
        detail: 'no',
        failed: false,
        dueAt: NOW + 500,
        waits: 'rate_limit',
      },
      pause: { reason: 'credentials', detail: 'no', until: null },
    });
  });
});

it('a released message is unchanged from before it was claimed', () => {
  assert.deepEqual(released(situation), {
    ...unchanged,
    state: 'queued',
    failed: false,
    reason: null,
    detail: null,
    dueAt: NOW,
    waits: null,
  });
});
