import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { textMember } from '../../lib/json/json-member.ts';
import type { Blame, Context, Failure } from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';

/** The error code, in the usual or the alternative place. */
export function errorIn(answer: FetchAnswer): string | undefined {
  const json = answer.json();
  return textMember(json, 'error', 'code') ?? textMember(json, 'errorCode');
}

function messageIn(answer: FetchAnswer): string | undefined {
  const json = answer.json();
  return textMember(json, 'error', 'message') ?? textMember(json, 'message');
}

/** The resource that a 404 refers to. */
type Missing = 'conversation' | 'activity';

/** Classifies a failed response. */
export function classifyFailure(
  answer: FetchAnswer | Failure,
  context: Context,
  missing: Missing,
): Failure {
  return failureClassifier({
    vendor: 'Microsoft Teams',
    read: (response) => ({ code: errorIn(response), message: messageIn(response) }),
    // The limit of the conversation is much lower than the limit of the bot.
    rateLimit: ({ status }) => (status === 429 ? 'recipient' : undefined),
    exception({ status }) {
      if (status === 401) return 'permanent';
      // Microsoft documents 412 as retryable.
      return status === 412 ? 'unsent' : undefined;
    },
    blame: ({ status, code }) => blameFor(status, code, missing),
  })(answer, context);
}

const OF_APP = /^(?:BotDisabledByAdmin|BotNotRegistered|InvalidBotApiHost|Unauthorized)$/;
const OF_CONVERSATION = /Conversation|Roster|MessageWritesBlocked|Tenant/;

function blameFor(status: number, code: string, missing: Missing): Blame {
  if (status === 401 || OF_APP.test(code)) return 'credentials';
  if (status === 405 || code === 'ActivityNotFoundInConversation') return 'unsupported';
  if (status === 403 || status === 404) return missing === 'activity' ? 'unsupported' : 'recipient';
  return OF_CONVERSATION.test(code) ? 'recipient' : 'content';
}
