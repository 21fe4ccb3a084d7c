import { ATTEMPT_FIELDS, HEALTH_FIELDS, RESULT_FIELDS } from '../delivery/dispatch-round.ts';
import { recordParameters, rowsOf } from './parameters.ts';

/* The parameters of the statement in settle.ts. $1 is the node and $2 the time; health is the last of them. */
export const RESULTS = recordParameters(RESULT_FIELDS, 3);
export const ATTEMPTS = recordParameters(ATTEMPT_FIELDS, RESULTS.next);
export const HEALTHS = recordParameters(HEALTH_FIELDS, ATTEMPTS.next);

export const RESULT = RESULTS.in;
export const ATTEMPT = ATTEMPTS.in;
export const REPORT = HEALTHS.in;

/** The short values as rows. Long ones stay in the parameters and are read by position where they are stored. */
export const RESULT_ROWS = rowsOf('s', {
  applicationId: RESULT.applicationId,
  integrationId: RESULT.integrationId,
  fence: RESULT.fence,
  messageId: RESULT.messageId,
  start: RESULT.start,
  recipient: RESULT.recipient,
  state: RESULT.state,
  dueAt: RESULT.dueAt,
  waits: RESULT.waits,
});
