import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { listMember, textMember } from '../../lib/json/json-member.ts';
import { failureClassifier } from '../http-failure.ts';

/**
 * Classifies a failed response. The patterns match messages of LINE's servers. Status 429 is a rate limit or the used-up
 * monthly quota of the plan; the message says which.
 */
export const classifyFailure = failureClassifier({
  vendor: 'LINE',
  read(answer) {
    const message = messageIn(answer);
    return { message, isVendorFormat: message !== undefined };
  },
  blame({ status, message }) {
    if (status === 401 || status === 403) return 'credentials';
    const isOfRecipient = /'to'|failed to send messages|not found/i.test(message);
    return status === 404 || isOfRecipient ? 'recipient' : 'content';
  },
});

/** https://developers.line.biz/en/reference/messaging-api/#error-responses */
function messageIn(answer: FetchAnswer): string | undefined {
  const json = answer.json();
  const message = textMember(json, 'message');
  const details = listMember(json, 'details').map(
    (one) => `${textMember(one, 'property') ?? 'something'}: ${textMember(one, 'message') ?? ''}`,
  );
  return message === undefined ? undefined : [message, ...details].join('; ');
}
