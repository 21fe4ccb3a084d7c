import type { RateLimit } from '../../rate-limits.ts';
import { graphError } from './graph.ts';

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput */
export const WHATSAPP_LIMITS: readonly RateLimit[] = [
  { count: 80, seconds: 1, per: 'account', refuse: () => graphError(130_429, 'Rate limit hit') },
  {
    count: 1,
    seconds: 6,
    burst: 45,
    per: 'recipient',
    refuse: () => graphError(131_056, '(Business Account, Consumer Account) pair rate limit hit'),
  },
];

/** https://developers.facebook.com/documentation/business-messaging/messenger-platform/overview/rate-limiting */
export const SEND_API_LIMITS: readonly RateLimit[] = [
  {
    count: 300,
    seconds: 1,
    per: 'account',
    refuse: () => graphError(613, 'Calls to this API have exceeded the rate limit.'),
  },
];
