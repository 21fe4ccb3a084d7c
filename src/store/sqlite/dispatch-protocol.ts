import type {
  AttemptResult,
  ClaimedMessage,
  DispatchRound,
  DispatchResult,
} from '../delivery/dispatch-round.ts';

/* A dispatch round as passed between threads. Results and messages are flat, for the reason given in protocol.ts. */
export type Value = string | number | null;

export type FlatRound = Omit<DispatchRound, 'results'> & { results: Value[] };
export type FlatResult = Omit<DispatchResult, 'claimed'> & { claimed: Value[] };

const RESULT_FIELDS = 18;
const ATTEMPT_FIELDS = 10;
const CLAIMED_FIELDS = 13;

export function flattenRound({ results, ...round }: DispatchRound): FlatRound {
  const flat: Value[] = [];
  for (const one of results) {
    const { attempt } = one;
    flat.push(
      one.integrationId,
      one.fence,
      one.messageId,
      one.start,
      one.recipient,
      one.state,
      one.failed ? 1 : 0,
      one.partsSent,
      one.channelIds,
      one.reason,
      one.detail,
      one.dueAt,
      one.waits,
      one.applicationId,
      one.event,
      one.reportedAs,
      one.trace,
      one.health,
      attempt && attempt.startedAt,
      attempt && attempt.duration,
      attempt && attempt.outcome,
      attempt && attempt.part,
      attempt && attempt.status,
      attempt && attempt.code,
      attempt && attempt.detail,
      attempt && attempt.request,
      attempt && attempt.withActivity,
      attempt && attempt.answer,
    );
  }
  return { ...round, results: flat };
}

/** Decodes the results. Reads by index, because destructuring arrays costs several times as much. */
export function* resultsIn(flat: readonly Value[]): Generator<AttemptResult> {
  for (let at = 0; at < flat.length; at += RESULT_FIELDS + ATTEMPT_FIELDS) {
    yield {
      integrationId: flat[at],
      fence: flat[at + 1],
      messageId: flat[at + 2],
      start: flat[at + 3],
      recipient: flat[at + 4],
      state: flat[at + 5],
      failed: flat[at + 6] === 1,
      partsSent: flat[at + 7],
      channelIds: flat[at + 8],
      reason: flat[at + 9],
      detail: flat[at + 10],
      dueAt: flat[at + 11],
      waits: flat[at + 12],
      applicationId: flat[at + 13],
      event: flat[at + 14],
      reportedAs: flat[at + 15],
      trace: flat[at + 16],
      health: flat[at + 17],
      // Used by PostgreSQL only.
      wasUnhealthy: false,
      attempt: attemptAt(flat, at + RESULT_FIELDS),
    } as AttemptResult;
  }
}

function attemptAt(flat: readonly Value[], at: number): AttemptResult['attempt'] {
  if (flat[at + 2] === null) return null;
  return {
    startedAt: flat[at],
    duration: flat[at + 1],
    outcome: flat[at + 2],
    part: flat[at + 3],
    status: flat[at + 4],
    code: flat[at + 5],
    detail: flat[at + 6],
    request: flat[at + 7],
    withActivity: flat[at + 8],
    answer: flat[at + 9],
  } as AttemptResult['attempt'];
}

/** Decodes the started messages. */
export function unflattenResult({ claimed: flat, ...result }: FlatResult): DispatchResult {
  const claimed: ClaimedMessage[] = [];
  for (let at = 0; at < flat.length; at += CLAIMED_FIELDS) {
    claimed.push({
      id: flat[at],
      applicationId: flat[at + 1],
      integrationId: flat[at + 2],
      recipient: flat[at + 3],
      activity: flat[at + 4],
      attempts: flat[at + 5],
      starts: flat[at + 6],
      partsSent: flat[at + 7],
      channelIds: flat[at + 8],
      objectId: flat[at + 9],
      reason: flat[at + 10],
      createdAt: flat[at + 11],
      trace: flat[at + 12],
    } as ClaimedMessage);
  }
  return { ...result, claimed };
}
