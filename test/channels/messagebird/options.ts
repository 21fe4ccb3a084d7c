import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type BirdCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: 'e8077d803532c0b5937c639b60210001' } as const;

export const OPTION_CASES: readonly BirdCase[] = [
  {
    it: 'sends the shortest validity if the message is about to expire',
    message: { endTime: '2020-01-01T00:00:00Z' },
    sees: [{ json: { validity: 1 } }],
    outcome: SENT,
  },
  {
    it: 'sends the longest validity if the message expires later',
    message: { endTime: '2999-01-01T00:00:00Z' },
    sees: [{ json: { validity: 604800 } }],
    outcome: SENT,
  },
  {
    it: 'sends the shorter of the time to live and the time until the message expires',
    message: { options: { ttl: 600 }, endTime: '2999-01-01T00:00:00Z' },
    sees: [{ json: { validity: 600 } }],
    outcome: SENT,
  },
  {
    it: 'sends a time to live',
    message: { options: { ttl: 600 } },
    sees: [{ json: { validity: 600 } }],
    outcome: SENT,
  },
  {
    it: 'sends a flash SMS',
    message: { options: { flash: true } },
    sees: [{ json: { type: 'flash' } }],
    outcome: SENT,
  },
];
