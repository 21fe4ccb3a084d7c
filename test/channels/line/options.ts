import { QUOTE } from '../../emulators/line.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type LineCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `461230966842064897:${QUOTE}` } as const;

export const OPTION_CASES: readonly LineCase[] = [
  {
    it: 'sends silently',
    message: { options: { silent: true } },
    sees: [{ json: { notificationDisabled: true } }],
    outcome: SENT,
  },
];
