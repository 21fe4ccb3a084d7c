/*
 * Classifies negative SMTP replies. https://www.rfc-editor.org/rfc/rfc5321#section-4.2, with the enhanced codes of
 * https://www.rfc-editor.org/rfc/rfc3463, and as large servers use them, such as
 * https://support.google.com/a/answer/3726730
 */

/** The steps of sending an email. */
export type SmtpStep = 'connect' | 'secure' | 'login' | 'sender' | 'recipient' | 'content';

/** Retry, now or more slowly; or the step that was refused permanently. */
export type ReplyMeaning = 'later' | 'slower' | 'slower-to-recipient' | SmtpStep;

export interface Reply {
  /** `550 5.1.1`, or `550` without an enhanced code. */
  code: string;
  meaning: ReplyMeaning;
}

const SLOWER = /\brate\b|too (?:many|fast|quickly)|throttl|limit exceeded/i;
const GREYLISTED = /gr[ea]y-?list/i;

export function readReply(reply: string, step: SmtpStep): Reply {
  const parsed = /^(\d{3})[ -]?(?:([245]\.\d{1,3}\.\d{1,3})\b)?/.exec(reply);
  const [, status = '', detail = ''] = parsed ?? [];
  const code = `${status} ${detail}`.trim();
  // Gmail uses a permanent code when the daily quota is used up.
  if (detail === '5.4.5') return { code, meaning: 'slower' };
  // 503 is a protocol error, not a refusal of the email.
  if (status.startsWith('5') && status !== '503') {
    return { code, meaning: refusedBy(status, detail, step) };
  }
  return { code, meaning: laterOrSlower(status, detail, reply, step) };
}

/** Whether the email was refused for its size. */
export function isAboutSize(reply: string): boolean {
  return /^(?:5\d\d[ -]5\.(?:3\.4|2\.3)\b|552(?![ -]5\.))/.test(reply);
}

function laterOrSlower(
  status: string,
  detail: string,
  reply: string,
  step: SmtpStep,
): ReplyMeaning {
  // Greylisting delays each new sender once, regardless of the rate.
  if (GREYLISTED.test(reply)) return 'later';
  // 4.2 concerns the mailbox, as do replies about a recipient, unless a relay limits our rate.
  const isAboutRecipient = step === 'recipient' || detail.startsWith('4.2.');
  if (SLOWER.test(reply)) {
    return isAboutRecipient && !/relay/i.test(reply) ? 'slower-to-recipient' : 'slower';
  }
  return isAboutPace(status, detail, step) ? 'slower' : 'later';
}

/** 4.7 is policy. A reply about one email must not delay the others: it may be greylisting. */
function isAboutPace(status: string, detail: string, step: SmtpStep): boolean {
  // 454 4.7.0: the login cannot be checked at the moment.
  if (!detail.startsWith('4.7.') || status === '454' || step === 'recipient') return false;
  // 421 ends the session; 4.7.5xx is Exchange Online's throttling of senders.
  return step !== 'content' || status === '421' || /^4\.7\.5\d\d$/.test(detail);
}

function refusedBy(status: string, detail: string, step: SmtpStep): SmtpStep {
  if (/^53[0458]$/.test(status) || /^5\.7\.(?:8|9|14)$/.test(detail)) return 'login';
  if (/^5\.1\.[78]$/.test(detail)) return 'sender';
  if (/^5\.(?:2\.3|3\.4|6\.\d{1,3})$/.test(detail)) return 'content';
  if (/^5\.[124]\./.test(detail)) return 'recipient';
  if (status === '552') return 'content';
  return step;
}
