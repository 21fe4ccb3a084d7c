import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { NUMBERS } from '../../emulators/sms/vonage.ts';
import type { Case } from '../suite.ts';

type VonageCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: 'aaaaaaaa-bbbb-cccc-dddd-000000000001' } as const;
const SENT_BY_SMS_API = { outcome: 'sent', id: '0A0000000123001' } as const;
/** Without an application, the older API is used. */
const OLDER = { consumer_key: undefined, consumer_secret: undefined };

export const OPTION_CASES: readonly VonageCase[] = [
  {
    it: 'sends the shortest validity if the message is about to expire',
    message: { endTime: '2020-01-01T00:00:00Z' },
    sees: [{ json: { ttl: 30 } }],
    outcome: SENT,
  },
  {
    it: 'sends the longest validity if the message expires later',
    message: { endTime: '2999-01-01T00:00:00Z' },
    sees: [{ json: { ttl: 259200 } }],
    outcome: SENT,
  },
  {
    it: 'sends the shorter of the time to live and the time until the message expires',
    message: { options: { ttl: 600 }, endTime: '2999-01-01T00:00:00Z' },
    sees: [{ json: { ttl: 600 } }],
    outcome: SENT,
  },
  {
    it: 'sends a time to live',
    message: { options: { ttl: 600 } },
    sees: [{ json: { ttl: 600 } }],
    outcome: SENT,
  },
  {
    it: 'SMS API: sends the shortest validity if the message is about to expire',
    credentials: OLDER,
    message: { endTime: '2020-01-01T00:00:00Z' },
    sees: [{ form: { ttl: '30000' } }],
    outcome: SENT_BY_SMS_API,
  },
  {
    it: 'SMS API: sends the longest validity if the message expires later',
    credentials: OLDER,
    message: { endTime: '2999-01-01T00:00:00Z' },
    sees: [{ form: { ttl: '259200000' } }],
    outcome: SENT_BY_SMS_API,
  },
  {
    it: 'SMS API: sends the shorter of the time to live and the time until the message expires',
    credentials: OLDER,
    message: { options: { ttl: 600 }, endTime: '2999-01-01T00:00:00Z' },
    sees: [{ form: { ttl: '600000' } }],
    outcome: SENT_BY_SMS_API,
  },
  {
    it: 'SMS API: sends a time to live',
    credentials: OLDER,
    message: { options: { ttl: 600 } },
    sees: [{ form: { ttl: '600000' } }],
    outcome: SENT_BY_SMS_API,
  },
  {
    it: 'sends a time to live to Viber',
    message: { recipient: `viber:${NUMBERS.person}`, options: { ttl: 600 } },
    sees: [{ json: { viber_service: { ttl: 600 } } }],
    outcome: SENT,
  },
];
