import type { FaultName } from '../model/fault.ts';
import { INTERRUPTED } from '../store/deliveries.ts';
import type { Taken } from '../store/turn.ts';
import { type Decision, type Situation, decide, ended, released } from './settling.ts';

/*
 * A process that ends interrupts everything that it was sending. All of that is tried again as after any other
 * failure. But one of those messages may be why the process ended, and would end the next one too. What is
 * interrupted twice in a row is therefore tried apart from others like it, one after the other; and what is
 * interrupted even so is set aside.
 */
const APART_AFTER = 2;
const MOST = 3;

/** How long a message waits while another one is tried apart, in milliseconds. */
const PATIENCE = 1_000;

export const ENDED = {
  outcome: 'transient',
  perhapsSent: true,
  code: INTERRUPTED,
  detail: 'the process that was sending it ended before there was an answer',
} as const;

const APART = 'interrupted' satisfies FaultName;

/** Whether it may only be sent while no other message is that may not either. */
export function isApart({ reason }: Pick<Taken, 'reason'>): boolean {
  return reason === APART;
}

/** What follows when a message was interrupted so many times in a row. */
export function interrupted(times: number, situation: Situation): Decision {
  const decision = decide(ENDED, situation);
  const { outcome, change } = decision;
  if (change.state !== 'queued' || times < APART_AFTER) return decision;
  if (times < MOST) return { outcome, change: { ...change, reason: APART } };
  return { outcome, change: ended('uncertain', 'crashed', ENDED.detail, situation) };
}

/** It was started while another one is tried apart: it has to wait. */
export function postponed(situation: Pick<Situation, 'message' | 'now'>): Decision['change'] {
  const dueAt = situation.now + PATIENCE;
  return { ...released(situation), reason: APART, detail: ENDED.detail, dueAt, waits: 'retry' };
}
