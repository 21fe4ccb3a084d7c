import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { integerMember, listMember, member, textMember } from '../../lib/json/json-member.ts';
import { failureClassifier } from '../http-failure.ts';

/*
 * Errors of signal-cli: JSON-RPC errors with status 200. A message that reached nobody is an error too, with a result
 * for each recipient. https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc
 */

const resultsIn = (json: unknown) => [
  ...listMember(json, 'result', 'results'),
  ...listMember(json, 'error', 'data', 'response', 'results'),
];

/** The types of the failed results, such as `UNREGISTERED_FAILURE`. */
export function failuresIn(answer: FetchAnswer): string[] {
  const types = resultsIn(answer.json()).flatMap((one) => textMember(one, 'type') ?? []);
  return types.filter((type) => type !== 'SUCCESS');
}

/** Whether at least one recipient has the message. */
export function hasSuccess(answer: FetchAnswer): boolean {
  const results = resultsIn(answer.json());
  return results.length === 0 || results.some((one) => textMember(one, 'type') === 'SUCCESS');
}

const RECIPIENT = /not registered|invalid (?:phone number|group id)|group|username|member/i;

export const classifyFailure = failureClassifier({
  vendor: 'signal-cli',
  malformed: 'invalid address of the daemon, or no account',
  isPrefixed: true,
  isOwnServer: true,
  errorsIn2xx: true,
  read(answer) {
    const json = answer.json();
    const code = failuresIn(answer)[0] ?? integerMember(json, 'error', 'code');
    return {
      code,
      message: textMember(json, 'error', 'message') ?? HINTS[answer.status] ?? '',
      isVendorFormat: member(json, 'error') !== undefined,
    };
  },
  rateLimit: ({ status, code }) =>
    status === 429 || code === '-5' || code === 'RATE_LIMIT_FAILURE' ? 'integration' : undefined,
  retrySeconds(answer) {
    const seconds = resultsIn(answer.json()).map((one) =>
      Number(integerMember(one, 'retryAfterSeconds') ?? 0),
    );
    return Math.max(0, ...seconds) || undefined;
  },
  exception({ status, code, message }) {
    if (status in HINTS || message.includes('AttachmentInvalidException')) return 'permanent';
    if (code === 'INVALID_PRE_KEY_FAILURE') return 'unsent';
    return /^(?:NETWORK_FAILURE|-3|-32603)$/.test(code) ? 'maybe sent' : undefined;
  },
  codes: {
    // Invalid parameters: the account is not on this daemon.
    credentials: ['-32602'],
    recipient: ['UNREGISTERED_FAILURE', 'IDENTITY_FAILURE', '-4'],
    unsupported: ['-32601'],
  },
  blame({ status, code, message }) {
    if (status in HINTS) return 'credentials';
    return code === '-1' && RECIPIENT.test(message) ? 'recipient' : 'content';
  },
});

const HINTS: Readonly<Record<number, string>> = {
  401: 'the login of the reverse proxy is wrong',
  421: 'the daemon does not accept this host name: start it with --http 0.0.0.0:8080',
};
