import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { integerMember, textMember } from '../../lib/json/json-member.ts';
import { foreignAnswer } from '../answers.ts';
import type { Failure } from '../channel.ts';

/** Groups and channels have ids with a minus or an @. */
export const isShared = (recipient: string) => /^[-@]/.test(recipient);

export function descriptionOf(answer: FetchAnswer | undefined): string {
  return textMember(answer?.json(), 'description') ?? '';
}

/** Classifies a failed response. The patterns match descriptions of Telegram's own server. */
export function classifyFailure(answer: FetchAnswer | undefined, recipient = ''): Failure {
  if (!answer) {
    return { outcome: 'permanent', blame: 'credentials', detail: 'this is not the token of a bot' };
  }
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const json = answer.json();
  const code = integerMember(json, 'error_code');
  const detail = descriptionOf(answer) || `Telegram answered ${status} without a reason`;
  if (status >= 500 || code === undefined) {
    // 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent;
    // a 3xx or 4xx without Telegram's error means that it was not.
    const maybeSent = status === 503 ? false : status >= 500 || status < 300;
    return { outcome: 'transient', maybeSent, detail, code: code ?? String(status) };
  }
  if (code === '429') {
    // Telegram does not say which limit was exceeded. Groups have the lowest, so in a group it is most likely the
    // group's; elsewhere the whole bot should wait.
    const seconds = Number(integerMember(json, 'parameters', 'retry_after') ?? Number.NaN);
    return {
      outcome: 'limited',
      whom: isShared(recipient) ? 'recipient' : 'integration',
      ...(Number.isFinite(seconds) && { seconds }),
      detail,
      code,
    };
  }
  return refused(detail, code);
}

/** Descriptions that concern the recipient; others concern the content. */
const OF_RECIPIENT =
  /chat not found|chat_id|upgraded to a supergroup|PEER_ID_INVALID|rights|CHAT_\w+|USER_\w+|TOPIC_\w+|thread not found|bots can't send messages to bots/i;
const CANNOT =
  /message can't be|a place can't be|message to edit not found|no text in the message|MESSAGE_ID_INVALID/i;

export function refused(detail: string, code: string): Failure {
  const permanent = { outcome: 'permanent', detail, code } as const;
  // 404 is the response to a malformed token in the URL, 421 to a token of another server.
  if (['401', '404', '421'].includes(code)) return { ...permanent, blame: 'credentials' };
  if (code === '403') return { ...permanent, blame: 'recipient' };
  if (code === '400' && CANNOT.test(detail)) return { ...permanent, blame: 'unsupported' };
  const ofRecipient = code === '400' && OF_RECIPIENT.test(detail);
  return { ...permanent, blame: ofRecipient ? 'recipient' : 'content' };
}
