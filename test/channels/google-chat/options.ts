import assert from 'node:assert/strict';

import { SPACE } from '../../emulators/google-chat.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type ChatCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `${SPACE}/messages/T1.M1:${SPACE}/threads/T1` } as const;
const SILENT = 'createMessageNotificationOptions.notificationType=NOTIFICATION_TYPE_SILENT';

export const OPTION_CASES: readonly ChatCase[] = [
  {
    it: 'sends silently',
    message: { options: { silent: true } },
    also: ([seen]) => assert.ok(seen?.path.includes(`/messages?${SILENT}&`)),
    outcome: SENT,
  },
  {
    it: 'does not send silently in a thread, which Google Chat refuses',
    message: { options: { silent: true }, context: `${SPACE}/threads/T1` },
    also: ([seen]) => assert.ok(!seen?.path.includes(SILENT)),
    outcome: SENT,
  },
];
