import {
  ATTEMPT_FIELDS,
  type AttemptResult,
  CLAIMED_FIELDS,
  type ClaimedMessage,
  type DispatchResult,
  type DispatchRound,
  HEALTH_FIELDS,
  RESULT_FIELDS,
} from '../delivery/dispatch-round.ts';
import { type FlatValue, flatFields } from '../fields.ts';

/* A dispatch round as passed between threads. Results and messages are flat, for the reason given in protocol.ts. */
export type FlatRound = Omit<DispatchRound, 'results'> & { results: FlatValue[] };
export type FlatResult = Omit<DispatchResult, 'claimed'> & { claimed: FlatValue[] };

/** A result as the database thread reads it. */
export type ThreadResult = Omit<AttemptResult, 'wasUnhealthy'>;

const RESULT = flatFields<Omit<ThreadResult, 'attempt'>>({ ...RESULT_FIELDS, ...HEALTH_FIELDS });
/** Follows each result; all of it is null if there was no attempt. */
const ATTEMPT = flatFields(ATTEMPT_FIELDS);
const NO_ATTEMPT = Array.from({ length: ATTEMPT.width }, () => null);
export const CLAIMED = flatFields(CLAIMED_FIELDS);

export function flattenRound({ results, ...round }: DispatchRound): FlatRound {
  const flat: FlatValue[] = [];
  for (const result of results) {
    RESULT.append(flat, result);
    if (result.attempt) ATTEMPT.append(flat, result.attempt);
    else flat.push(...NO_ATTEMPT);
  }
  return { ...round, results: flat };
}

export function* resultsIn(flat: readonly FlatValue[]): Generator<ThreadResult> {
  for (let at = 0; at < flat.length; at += RESULT.width + ATTEMPT.width) {
    const result = RESULT.read(flat, at) as ThreadResult;
    const start = at + RESULT.width;
    result.attempt = flat[start + ATTEMPT.at.outcome] === null ? null : ATTEMPT.read(flat, start);
    yield result;
  }
}

export function unflattenResult({ claimed: flat, ...result }: FlatResult): DispatchResult {
  const claimed: ClaimedMessage[] = [];
  for (let at = 0; at < flat.length; at += CLAIMED.width) {
    const message = CLAIMED.read(flat, at);
    // SQLite has no booleans.
    message.suppressed = Boolean(message.suppressed);
    claimed.push(message);
  }
  return { ...result, claimed };
}
