import { FIRST, ROOM } from '../../emulators/matrix/api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type MatrixCase = Case<Request, Reply | ConnectionFault>;

const NOTICE = { msgtype: 'm.notice', body: 'Good morning!' };

export const OPTION_CASES: readonly MatrixCase[] = [
  {
    it: 'sends a notice',
    message: { options: { notice: true } },
    sees: [{ json: NOTICE }],
    outcome: { outcome: 'sent', id: `${ROOM}/${FIRST}` },
  },
  {
    it: 'edits a notice',
    calls: 'edit',
    earlier: { id: `${ROOM}/$before`, recipient: ROOM },
    message: { options: { notice: true } },
    sees: [{ json: { msgtype: 'm.notice', 'm.new_content': NOTICE } }],
    outcome: { outcome: 'sent', id: `${ROOM}/$before` },
  },
];
