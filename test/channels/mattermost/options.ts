import { BEFORE, CHANNEL, FIRST } from '../../emulators/mattermost.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type MattermostCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST } as const;

export const OPTION_CASES: readonly MattermostCase[] = [
  ...['important', 'urgent'].map((priority): MattermostCase => ({
    it: `sends with priority ${priority}`,
    message: { options: { priority } },
    sees: [{ json: { metadata: { priority: { priority } } } }],
    outcome: SENT,
  })),
  {
    it: 'sends a reply without a priority',
    message: { object: { inReplyTo: BEFORE }, options: { priority: 'urgent' } },
    sees: [{ json: { root_id: BEFORE } }],
    outcome: SENT,
  },
  {
    it: 'edits without a priority',
    calls: 'edit',
    earlier: { id: BEFORE, recipient: CHANNEL },
    message: { options: { priority: 'urgent' } },
    sees: [{ json: { message: 'Good morning!' } }],
    outcome: { outcome: 'sent', id: BEFORE },
  },
];
