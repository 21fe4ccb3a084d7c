import { PUBLIC_KEY } from '../../../src/sandbox/vendors/discord/events.ts';
import { discordError } from '../../../src/sandbox/vendors/discord/messages.ts';
import { TOKEN, discord, rateLimited } from '../../../src/sandbox/vendors/discord/simulator.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';

/* The simulator of Discord, with the channels and messages that tests need. */
export { PUBLIC_KEY, TOKEN, discordError, rateLimited };

export const CHANNELS = {
  text: '175928847299117063',
  thread: '175928847299117064',
  foreign: '175928847299117065',
  readOnly: '175928847299117066',
  forum: '175928847299117067',
} as const;

/** An existing message to edit, delete and reply to. */
export const EARLIER = '1100000000000000007';
const FOREIGN_MESSAGE = '1100000000000000008';

export async function openDiscord(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  for (const channel of Object.values(CHANNELS)) {
    phone.put(channel, `${channel}:${EARLIER}`, { text: 'before' });
  }
  return openHttp(async (request) => {
    const isAllowed = request.headers['authorization'] === `Bot ${TOKEN}`;
    return (isAllowed ? special(request) : undefined) ?? discord.respond(request, phone);
  });
}

function special({ path, method }: Request): Reply | undefined {
  if (path === `/channels/${CHANNELS.text}/messages/${FILED}` && method === 'GET') return filed;
  const [, channel, message] = /^\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(path) ?? [];
  if (channel === undefined) return undefined;
  if (message === FOREIGN_MESSAGE) {
    return discordError(403, 50005, 'Cannot edit a message authored by another user');
  }
  return refusalOf(channel);
}

/** A message with files. */
export const FILED = '1100000000000000009';
const CDN = 'https://cdn.discordapp.com/attachments';
const filed: Reply = {
  status: 200,
  body: {
    id: FILED,
    channel_id: CHANNELS.text,
    attachments: [
      { id: '1', filename: 'mill.png', url: `${CDN}/1/mill.png?ex=6&is=6&hm=fake` },
      { id: '2', filename: 'evil.png', url: 'https://cdn.discordapp.com.evil.example/2' },
    ],
    message_snapshots: [{ message: { attachments: [{ id: '3', url: `${CDN}/3/mill.png` }] } }],
  },
};

function refusalOf(channel: string): Reply | undefined {
  if (channel === CHANNELS.foreign) return discordError(403, 50001, 'Missing Access');
  if (channel === CHANNELS.readOnly) return discordError(403, 50013, 'Missing Permissions');
  if (channel === CHANNELS.forum) {
    return discordError(400, 40058, 'Cannot send a message in a forum channel');
  }
  const isKnownChannel = channel === CHANNELS.text || channel === CHANNELS.thread;
  return isKnownChannel ? undefined : discordError(404, 10003, 'Unknown Channel');
}
