import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { integerMember, textMember } from '../../lib/json/json-member.ts';
import type { Blame, Context, Failure } from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';

/** Groups and channels have ids with a minus or an @. */
export const isShared = (recipient: string) => /^[-@]/.test(recipient);

export function descriptionOf(answer: FetchAnswer | undefined): string {
  return textMember(answer?.json(), 'description') ?? '';
}

/** Classifies a failed response. */
export function classifyFailure(
  answer: FetchAnswer | undefined,
  context: Pick<Context, 'clock'>,
  recipient = '',
): Failure {
  return failureClassifier({
    vendor: 'Telegram',
    malformed: 'invalid bot token',
    errorsIn2xx: true,
    read: (response) => ({
      code: integerMember(response.json(), 'error_code'),
      message: descriptionOf(response),
    }),
    rateLimit({ code }) {
      if (code !== '429') return undefined;
      // Telegram does not say which limit was exceeded. Groups have the lowest, so in a group it is most likely the
      // group's; elsewhere the whole bot should wait.
      return isShared(recipient) ? 'recipient' : 'integration';
    },
    retrySeconds(response) {
      const seconds = integerMember(response.json(), 'parameters', 'retry_after');
      return seconds === undefined ? undefined : Number(seconds);
    },
    blame: ({ code, message }) => blameFor(code, message),
  })(answer, context);
}

/** A failure that we detect before Telegram would, in its words. */
export function refused(detail: string, code: string): Failure {
  return { outcome: 'permanent', blame: blameFor(code, detail), detail, code };
}

/** Descriptions of Telegram's own server that concern the recipient; others concern the content. */
const RECIPIENT_ERROR =
  /chat not found|chat_id|upgraded to a supergroup|PEER_ID_INVALID|rights|CHAT_\w+|USER_\w+|TOPIC_\w+|thread not found|bots can't send messages to bots/i;
const UNSUPPORTED_ERROR =
  /message can't be|a place can't be|message to edit not found|no text in the message|MESSAGE_ID_INVALID/i;

function blameFor(code: string, description: string): Blame {
  // 404 is the response to a malformed token in the URL, 421 to a token of another server.
  if (['401', '404', '421'].includes(code)) return 'credentials';
  if (code === '403') return 'recipient';
  if (code !== '400') return 'content';
  if (UNSUPPORTED_ERROR.test(description)) return 'unsupported';
  return RECIPIENT_ERROR.test(description) ? 'recipient' : 'content';
}
