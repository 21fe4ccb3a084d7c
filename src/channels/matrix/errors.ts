import { integerMember, textMember } from '../../lib/json/json-member.ts';
import { failureClassifier } from '../http-failure.ts';

/** Classifies a failed response. https://spec.matrix.org/latest/client-server-api/#standard-error-response */
export const classifyFailure = failureClassifier({
  vendor: 'the homeserver',
  isPrefixed: true,
  isOwnServer: true,
  errorsIn2xx: true,
  read: (answer) => ({
    code: textMember(answer.json(), 'errcode'),
    message: textMember(answer.json(), 'error'),
  }),
  rateLimit: ({ status, code }) =>
    status === 429 || code === 'M_LIMIT_EXCEEDED' ? 'integration' : undefined,
  retrySeconds(answer) {
    const milliseconds = integerMember(answer.json(), 'retry_after_ms');
    return milliseconds === undefined ? undefined : Math.ceil(Number(milliseconds) / 1000);
  },
  exception: ({ code }) => (code === 'M_RESOURCE_LIMIT_EXCEEDED' ? 'unsent' : undefined),
  codes: {
    credentials:
      /^M_(UNKNOWN_TOKEN|MISSING_TOKEN|UNAUTHORIZED|USER_\w+|CONSENT_NOT_GIVEN|EXCLUSIVE|UNKNOWN_DEVICE|UNRECOGNIZED)$/,
    recipient:
      /^M_(FORBIDDEN|NOT_FOUND|INVITE_BLOCKED|GUEST_ACCESS_FORBIDDEN|\w+_ROOM_VERSION|BAD_STATE)$/,
  },
});
