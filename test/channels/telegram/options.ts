import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { CHATS, TOKEN } from '../../emulators/telegram.ts';
import type { Case } from '../suite.ts';

type TelegramCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `${CHATS.person}:101` } as const;

export const OPTION_CASES: readonly TelegramCase[] = [
  {
    it: 'sends silently, protected and without a link preview',
    message: { options: { silent: true, protect_content: true, link_preview: false } },
    sees: [
      {
        json: {
          disable_notification: true,
          protect_content: true,
          link_preview_options: { is_disabled: true },
        },
      },
    ],
    outcome: SENT,
  },
  {
    it: 'edits with the options that an edit accepts',
    calls: 'edit',
    earlier: { id: `${CHATS.person}:7`, recipient: CHATS.person },
    message: { options: { silent: true, protect_content: true, link_preview: false } },
    sees: [
      {
        path: `/bot${TOKEN}/editMessageText`,
        json: { link_preview_options: { is_disabled: true } },
      },
    ],
    outcome: { outcome: 'sent', id: `${CHATS.person}:7` },
  },
];
