import { CONVERSATIONS, EARLIER } from '../../emulators/ms-teams.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type TeamsCase = Case<Request, Reply | ConnectionFault>;

export const OPTION_CASES: readonly TeamsCase[] = [
  {
    it: 'sends with a notification',
    message: { options: { notify: true } },
    sees: [{}, { json: { channelData: { notification: { alert: true } } } }],
    outcome: { outcome: 'sent', id: '1700000000001' },
  },
  {
    it: 'edits without a notification',
    calls: 'edit',
    earlier: { id: EARLIER, recipient: CONVERSATIONS.channel },
    message: { options: { notify: true } },
    sees: [{}, { method: 'PUT' }],
    outcome: { outcome: 'sent', id: EARLIER },
  },
];
