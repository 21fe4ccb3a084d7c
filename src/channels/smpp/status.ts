import type { Blame, Failure } from '../channel.ts';
import type { SmppFault } from './session.ts';

/* Command statuses. SMPP 3.4, section 5.1.3 */

/** ESME_RMSGQFUL and ESME_RTHROTTLED */
const LIMITS: ReadonlySet<number> = new Set([0x14, 0x58]);
/** ESME_RALYBND, ESME_RSYSERR, ESME_RSUBMITFAIL, ESME_RX_T_APPN: a later attempt may succeed. */
const LATER: ReadonlySet<number> = new Set([0x05, 0x08, 0x45, 0x64]);
/** ESME_RBINDFAIL, ESME_RINVPASWD, ESME_RINVSYSID; ESME_RINVBNDSTS: the account may not send. */
const CREDENTIALS: ReadonlySet<number> = new Set([0x0d, 0x0e, 0x0f, 0x04]);
/** ESME_RINVDSTADR, ESME_RINVDSTTON, ESME_RINVDSTNPI */
const RECIPIENT: ReadonlySet<number> = new Set([0x0b, 0x50, 0x51]);

/** Classifies a status other than 0. */
export function failureOf(status: number): Failure {
  const code = `0x${status.toString(16).padStart(8, '0')}`;
  const reason = { detail: `the server answered ${code}`, code };
  if (LIMITS.has(status)) return { outcome: 'limited', scope: 'integration', ...reason };
  if (LATER.has(status)) return { outcome: 'transient', maybeSent: false, ...reason };
  return { outcome: 'permanent', blame: blameOf(status), ...reason };
}

function blameOf(status: number): Blame {
  if (CREDENTIALS.has(status)) return 'credentials';
  return RECIPIENT.has(status) ? 'recipient' : 'content';
}

/** Classifies a refused or closed connection. An unknown status of a bind says nothing about messages. */
export function outcomeOf({ message, status, maybeSent }: SmppFault): Failure {
  if (status === undefined) return { outcome: 'transient', maybeSent, detail: message };
  const failure = failureOf(status);
  if (failure.outcome !== 'permanent' || failure.blame === 'credentials') return failure;
  const { detail, code } = failure;
  return { outcome: 'transient', maybeSent: false, detail, ...(code !== undefined && { code }) };
}
