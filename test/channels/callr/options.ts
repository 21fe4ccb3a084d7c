import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type CallrCase = Case<Request, Reply | ConnectionFault>;

export const OPTION_CASES: readonly CallrCase[] = ['alerting', 'marketing'].map(
  (nature): CallrCase => ({
    it: `sends with the nature ${nature}`,
    message: { options: { nature } },
    sees: [
      {
        json: {
          params: ['Acme', '+33123456789', 'Good morning!', { nature: nature.toUpperCase() }],
        },
      },
    ],
    outcome: { outcome: 'sent', id: 'SMS00001' },
  }),
);
