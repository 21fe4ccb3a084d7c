import { CHANNELS } from '../../emulators/discord/api.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

type DiscordCase = Case<Request, Reply | ConnectionFault>;

const CHANNEL = CHANNELS.text;
const SENT = { outcome: 'sent', id: `${CHANNEL}:1200000000000000001` } as const;
const EARLIER = { id: `${CHANNEL}:1100000000000000007`, recipient: CHANNEL };
const IMAGE = { type: 'Image', url: 'https://example.com/a.png', mediaType: 'image/png' };
const VIDEO = { type: 'Video', url: 'https://example.com/a.mp4', mediaType: 'video/mp4' };

export const OPTION_CASES: readonly DiscordCase[] = [
  {
    it: 'sends silently',
    message: { options: { silent: true } },
    sees: [{ json: { flags: 4096 } }],
    outcome: SENT,
  },
  {
    it: 'sends without link previews',
    message: { options: { link_preview: false, silent: true } },
    sees: [{ json: { flags: 4096 + 4 } }],
    outcome: SENT,
  },
  {
    it: 'keeps an image visible without link previews',
    message: { object: IMAGE, options: { link_preview: false } },
    sees: [{ json: { embeds: [{ image: { url: IMAGE.url } }] } }],
    outcome: SENT,
  },
  {
    it: 'sends a video silently',
    message: { object: VIDEO, options: { silent: true } },
    sees: [{ json: { flags: 4096 + 32_768 } }],
    outcome: SENT,
  },
  {
    it: 'sends text-to-speech',
    message: { options: { tts: true } },
    sees: [{ json: { tts: true } }],
    outcome: SENT,
  },
  {
    it: 'edits without the options of a new message',
    calls: 'edit',
    earlier: EARLIER,
    message: { options: { silent: true, tts: true, link_preview: false } },
    sees: [{ method: 'PATCH', json: { flags: 4 } }],
    outcome: { outcome: 'sent', id: EARLIER.id },
  },
];
