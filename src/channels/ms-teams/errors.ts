import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { textMember } from '../../lib/json/json-member.ts';
import { foreignAnswer } from '../answers.ts';
import type { Blame, Context, Failure } from '../channel.ts';

export const isFailure = (value: object): value is Failure => 'outcome' in value;

/** The error code, in the usual or the alternative place. */
export function errorIn(answer: FetchAnswer): string | undefined {
  const json = answer.json();
  return textMember(json, 'error', 'code') ?? textMember(json, 'errorCode');
}

function wordsIn(answer: FetchAnswer): string | undefined {
  const json = answer.json();
  return textMember(json, 'error', 'message') ?? textMember(json, 'message');
}

/** Classifies a failed response; `missing` is the resource that a 404 refers to. */
export function classifyFailure(
  answer: FetchAnswer | Failure,
  { clock }: Context,
  missing: 'conversation' | 'activity',
): Failure {
  if (isFailure(answer)) return answer;
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const error = errorIn(answer);
  const code = error ?? String(status);
  const detail = wordsIn(answer) ?? `Microsoft Teams answered ${code}`;
  if (status === 429) {
    // The limit of the conversation is much lower.
    const seconds = retryAfter(answer.header('retry-after'), clock.now());
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'recipient', ...wait, detail, code };
  }
  // Microsoft documents 412 as retryable.
  if (status >= 500 || status < 400 || status === 412 || (error === undefined && status !== 401)) {
    // 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent;
    // after a refusal it was not.
    const maybeSent = status !== 503 && (status >= 500 || status < 300);
    return { outcome: 'transient', maybeSent, detail, code };
  }
  return { outcome: 'permanent', blame: blameFor(status, code, missing), detail, code };
}

const OF_APP = /^(?:BotDisabledByAdmin|BotNotRegistered|InvalidBotApiHost|Unauthorized)$/;
const OF_CONVERSATION = /Conversation|Roster|MessageWritesBlocked|Tenant/;

function blameFor(status: number, code: string, missing: 'conversation' | 'activity'): Blame {
  if (status === 401 || OF_APP.test(code)) return 'credentials';
  if (status === 405 || code === 'ActivityNotFoundInConversation') return 'unsupported';
  if (status === 403 || status === 404) return missing === 'activity' ? 'unsupported' : 'recipient';
  return OF_CONVERSATION.test(code) ? 'recipient' : 'content';
}
