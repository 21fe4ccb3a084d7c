import type { Settlement, Taken, Turn, TurnResult } from '../turn.ts';

/*
 * A turn as it goes between threads: settlements and messages flat, one value after the other, for the same
 * reason as in protocol.ts.
 */
export type Value = string | number | null;

export type FlatTurn = Omit<Turn, 'settlements'> & { settlements: Value[] };
export type FlatTurnResult = Omit<TurnResult, 'taken'> & { taken: Value[] };

const SETTLEMENT = 17;
const ATTEMPT = 9;
const TAKEN = 13;

export function flattenTurn({ settlements, ...turn }: Turn): FlatTurn {
  const flat: Value[] = [];
  for (const one of settlements) {
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
      attempt && attempt.startedAt,
      attempt && attempt.duration,
      attempt && attempt.outcome,
      attempt && attempt.part,
      attempt && attempt.status,
      attempt && attempt.code,
      attempt && attempt.detail,
      attempt && attempt.request,
      attempt && attempt.answer,
    );
  }
  return { ...turn, settlements: flat };
}

/** The settlements again, one by one. */
export function* settlementsOf(flat: readonly Value[]): Generator<Settlement> {
  for (let at = 0; at < flat.length; at += SETTLEMENT + ATTEMPT) {
    const [integrationId, fence, messageId, start, recipient, state, ...rest] = flat.slice(
      at,
      at + SETTLEMENT,
    );
    const [failed, partsSent, channelIds, reason, detail, dueAt, waits, ...told] = rest;
    const [applicationId, event, reportedAs, trace] = told;
    yield {
      applicationId,
      integrationId,
      fence,
      messageId,
      start,
      recipient,
      state,
      failed: failed === 1,
      partsSent,
      channelIds,
      reason,
      detail,
      dueAt,
      waits,
      attempt: attemptOf(flat.slice(at + SETTLEMENT, at + SETTLEMENT + ATTEMPT)),
      event,
      reportedAs,
      trace,
    } as Settlement;
  }
}

function attemptOf(values: readonly Value[]): Settlement['attempt'] {
  const [startedAt, duration, outcome, part, status, code, detail, request, answer] = values;
  if (outcome === null) return null;
  const words = { status, code, detail, request, answer };
  return { startedAt, duration, outcome, part, ...words } as Settlement['attempt'];
}

/** Each message that was taken is so many values in a row. */
export function unflattenResult({ taken: flat, ...result }: FlatTurnResult): TurnResult {
  const taken: Taken[] = [];
  for (let at = 0; at < flat.length; at += TAKEN) {
    const [id, applicationId, integrationId, recipient, activity, ...rest] = flat.slice(
      at,
      at + TAKEN,
    );
    const [attempts, starts, partsSent, channelIds, objectId, reason, createdAt, trace] = rest;
    const place = { id, applicationId, integrationId, recipient };
    const counts = { attempts, starts, partsSent };
    const said = { channelIds, objectId, reason, createdAt, trace };
    taken.push({ ...place, activity, ...counts, ...said } as Taken);
  }
  return { ...result, taken };
}
