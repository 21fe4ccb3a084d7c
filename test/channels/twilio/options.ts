import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { SERVICE } from '../../emulators/sms/twilio.ts';
import type { Case } from '../suite.ts';

type TwilioCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `SM${'1'.padStart(32, '0')}` } as const;

export const OPTION_CASES: readonly TwilioCase[] = [
  {
    it: 'sends the shortest validity if the message is about to expire',
    message: { endTime: '2020-01-01T00:00:00Z' },
    sees: [{ form: { ValidityPeriod: '1' } }],
    outcome: SENT,
  },
  {
    it: 'sends the longest validity if the message expires later',
    message: { endTime: '2999-01-01T00:00:00Z' },
    sees: [{ form: { ValidityPeriod: '36000' } }],
    outcome: SENT,
  },
  {
    it: 'sends the shorter of the time to live and the time until the message expires',
    message: { options: { ttl: 600 }, endTime: '2999-01-01T00:00:00Z' },
    sees: [{ form: { ValidityPeriod: '600' } }],
    outcome: SENT,
  },
  {
    it: 'sends a time to live',
    message: { options: { ttl: 600 } },
    sees: [{ form: { ValidityPeriod: '600' } }],
    outcome: SENT,
  },
  {
    it: 'sends smart encoding and short links',
    credentials: { username: SERVICE },
    message: { options: { smart_encoded: true, shorten_urls: true } },
    sees: [{ form: { SmartEncoded: 'true', ShortenUrls: 'true' } }],
    outcome: SENT,
  },
];
