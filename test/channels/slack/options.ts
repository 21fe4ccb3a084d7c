import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type SlackCase = Case<Request, Reply | ConnectionFault>;

const CHANNEL = 'C0123456789';
const THREAD = '1503435956.000247';
const SENT = { outcome: 'sent', id: `${CHANNEL}:1794700800.000001` } as const;

export const OPTION_CASES: readonly SlackCase[] = [
  ...[true, false].map((isShown): SlackCase => ({
    it: `sends with link previews: ${isShown}`,
    message: { options: { link_preview: isShown } },
    sees: [{ json: { unfurl_links: isShown, unfurl_media: isShown } }],
    outcome: SENT,
  })),
  {
    it: 'also shows a reply in the channel',
    message: { object: { inReplyTo: THREAD }, options: { reply_broadcast: true } },
    sees: [{ json: { thread_ts: THREAD, reply_broadcast: true } }],
    outcome: SENT,
  },
  {
    it: 'sends a message that is no reply without reply_broadcast',
    message: { options: { reply_broadcast: true } },
    sees: [{ json: { text: 'Good morning!' } }],
    outcome: SENT,
  },
  {
    it: 'edits without the options of a new message',
    calls: 'edit',
    earlier: { id: `${CHANNEL}:${THREAD}`, recipient: CHANNEL },
    message: { options: { link_preview: false, reply_broadcast: true } },
    sees: [{ path: '/chat.update' }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:${THREAD}` },
  },
];
