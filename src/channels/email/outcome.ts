import type { Blame, BlockedCodes, Failure } from '../channel.ts';
import { inOneLine } from './message.ts';
import type { SmtpFault } from './smtp-pool.ts';
import { type SmtpStep, readReply } from './smtp-reply.ts';

/** The login determines the sender, and the credentials name the server that refuses the connection. */
const BLAMES: Readonly<Record<SmtpStep, Blame>> = {
  connect: 'credentials',
  secure: 'credentials',
  login: 'credentials',
  sender: 'credentials',
  recipient: 'recipient',
  content: 'content',
};

/** The mailbox, its domain or its mail server does not exist: https://www.rfc-editor.org/rfc/rfc3463#section-3.2 */
export const HARD_BOUNCES: BlockedCodes = {
  send: /^55\d 5\.1\.(?:1|2|6|10)$/,
  report: /^5\.1\.(?:1|2|6|10)$/,
  as: 'bounce',
};

export function refuse(blame: Blame, detail: string): Failure {
  return { outcome: 'permanent', blame, detail };
}

/** Classifies the server's reply, or its absence. */
export function outcomeOf({ step, reply, message, maybeSent, isPermanent }: SmtpFault): Failure {
  if (reply === undefined) {
    const detail = inOneLine(message);
    if (isPermanent) return refuse(BLAMES[step], detail);
    return { outcome: 'transient', maybeSent, detail };
  }
  const { code, meaning } = readReply(reply, step);
  const detail = inOneLine(step === 'secure' ? `STARTTLS failed: ${reply}` : reply);
  const reason = { detail, code };
  if (meaning === 'later') return { outcome: 'transient', maybeSent: false, ...reason };
  if (meaning === 'slower') return { outcome: 'limited', scope: 'integration', ...reason };
  if (meaning === 'slower-to-recipient')
    return { outcome: 'limited', scope: 'recipient', ...reason };
  return { outcome: 'permanent', blame: BLAMES[meaning], ...reason };
}
