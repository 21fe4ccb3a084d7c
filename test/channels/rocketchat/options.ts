import { BEFORE, ROOM } from '../../emulators/rocketchat.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type RocketchatCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `${ROOM}:message1` } as const;

export const OPTION_CASES: readonly RocketchatCase[] = [
  ...[true, false].map((isShown): RocketchatCase => ({
    it: `sends with link previews: ${isShown}`,
    message: { options: { link_preview: isShown } },
    sees: [{ json: { parseUrls: isShown } }],
    outcome: SENT,
  })),
  {
    it: 'edits without the options of a new message',
    calls: 'edit',
    earlier: { id: `${ROOM}:${BEFORE}`, recipient: '#general' },
    message: { options: { link_preview: false } },
    sees: [{ json: { text: 'Good morning!' } }],
    outcome: { outcome: 'sent', id: `${ROOM}:${BEFORE}` },
  },
];
