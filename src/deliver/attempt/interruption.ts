import type { FaultName } from '../../model/fault.ts';
import { INTERRUPTED } from '../../store/delivery/deliveries.ts';
import type { ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import { type Decision, type Situation, decide, ended, released } from './outcome-policy.ts';

/*
 * A crash interrupts every message the process was sending. They are retried as after any failure. But one of them may
 * have caused the crash and would crash the next process too. A message interrupted twice in a row is therefore retried
 * in isolation: one such message at a time. If it is interrupted again, it becomes uncertain and is not retried.
 */
const ISOLATE_AFTER = 2;
const MAX_INTERRUPTIONS = 3;

/** How long an isolated message waits while another one is being sent. */
const POSTPONE_MS = 1_000;

export const PROCESS_ENDED = {
  outcome: 'transient',
  maybeSent: true,
  code: INTERRUPTED,
  detail: 'the process ended before the channel answered',
} as const;

const ISOLATED = 'interrupted' satisfies FaultName;

/** Whether the message is sent in isolation: only while no other isolated message is being sent. */
export function isIsolated({ reason }: Pick<ClaimedMessage, 'reason'>): boolean {
  return reason === ISOLATED;
}

/** Decides what follows when a message was interrupted `times` times in a row. */
export function interrupted(times: number, situation: Situation): Decision {
  const decision = decide(PROCESS_ENDED, situation);
  const { outcome, change } = decision;
  if (change.state !== 'queued' || times < ISOLATE_AFTER) return decision;
  if (times < MAX_INTERRUPTIONS) return { outcome, change: { ...change, reason: ISOLATED } };
  return { outcome, change: ended('uncertain', 'crashed', PROCESS_ENDED.detail, situation) };
}

/** Requeues an isolated message that was started while another one is being sent. */
export function postponed(situation: Pick<Situation, 'message' | 'now'>): Decision['change'] {
  const dueAt = situation.now + POSTPONE_MS;
  return {
    ...released(situation),
    reason: ISOLATED,
    detail: PROCESS_ENDED.detail,
    dueAt,
    waits: 'retry',
  };
}
