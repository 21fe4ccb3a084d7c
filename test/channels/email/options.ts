import type { SmtpAnswer, SmtpEmail } from '../../emulators/mail/smtp.ts';
import type { Case } from '../suite.ts';

type EmailCase = Case<SmtpEmail, SmtpAnswer>;

const SENT = { outcome: 'sent', id: '<message-1-part-1@example.org>' } as const;

export const OPTION_CASES: readonly EmailCase[] = [
  ...Object.entries({ high: 'High', low: 'Low' }).map(([priority, importance]): EmailCase => ({
    it: `sends with priority ${priority}`,
    message: { options: { priority } },
    sees: [{ headers: { importance } }],
    outcome: SENT,
  })),
  {
    it: 'sends an address for replies',
    message: { options: { reply_to: 'support@example.org' } },
    sees: [{ headers: { from: 'ada@example.org', 'reply-to': 'support@example.org' } }],
    outcome: SENT,
  },
];
