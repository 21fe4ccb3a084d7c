import { textMember } from '../../../lib/json/json-member.ts';
import { actorAt } from '../../actors.ts';
import type { Phone } from '../../phone.ts';
import type { Simulator } from '../../simulator.ts';
import { fieldsIn } from '../../wire/fields.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fileReply, showOnce } from '../files.ts';
import {
  BOT,
  CDN,
  GATEWAY,
  PUBLIC_KEY,
  attachmentsOf,
  discordReports,
  writtenId,
} from './events.ts';
import { badEdit, badForm, badNewMessage, contentOf, discordError } from './messages.ts';
import { discordSession, writerOf } from './session.ts';

/* Discord's HTTP API v10. https://docs.discord.com/developers/reference. People write over the gateway. */

export const TOKEN = 'MTk4NjIyNDgzNDcxOTI1MjQ4.fake.token-of-a-bot';

export const rateLimited = (seconds: number, isGlobal = false): Reply => ({
  status: 429,
  headers: {
    'retry-after': String(Math.ceil(seconds)),
    'x-ratelimit-scope': isGlobal ? 'global' : 'user',
  },
  body: { message: 'You are being rate limited.', retry_after: seconds, global: isGlobal },
});

const ok = (body: object): Reply => ({ status: 200, body });
const unauthorized = () => discordError(401, 0, '401: Unauthorized');
const notAllowed = () => discordError(405, 0, '405: Method Not Allowed');

export const discord: Simulator = {
  channel: 'discord',
  credentials: { token: TOKEN, secret: PUBLIC_KEY },
  hosts: [CDN],
  people: [
    { address: '175928847299117101', name: 'Ada Example', userId: '80351110224678001' },
    { address: '175928847299117102', name: 'Grace Example', userId: '80351110224678002' },
    { address: '175928847299117063', name: 'general', isRoom: true },
  ],
  isRoom: (address) => !address.startsWith('9000000'),
  magicAddress: (number) => `900000000000000${number}`,

  recipientOf(request) {
    const { channel, message } = routeOf(request);
    return request.method === 'POST' && message === undefined ? channel : undefined;
  },

  async respond(request, phone) {
    const { path, method, headers } = request;
    const [, file] =
      /^https:\/\/cdn\.discordapp\.com\/attachments\/\d{1,20}\/(\w{1,40})\//.exec(path) ?? [];
    if (file !== undefined) return fileReply(await phone.file(file)) ?? { status: 404, body: '' };
    if (!/^DiscordBot \(https?:\/\/[^ ,]+, [^ )]+\)/.test(headers['user-agent'] ?? '')) {
      return discordError(403, 40333, 'internal network error');
    }
    if (headers['authorization'] !== `Bot ${TOKEN}`) return unauthorized();
    if (path === '/users/@me' && method === 'GET') {
      return ok({ id: BOT, username: 'Example', discriminator: '1337', bot: true });
    }
    if (path === '/applications/@me') return application(request);
    if (path === '/gateway/bot' && method === 'GET') {
      const limit = { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 };
      return ok({ url: GATEWAY, shards: 1, session_start_limit: limit });
    }
    const { channel, message } = routeOf(request);
    if (channel === undefined) return discordError(404, 0, '404: Not Found');
    if (message !== undefined) return change(request, channel, message, phone);
    return method === 'POST' ? create(request, channel, phone) : notAllowed();
  },

  refusals: {
    blocked: () => discordError(403, 50007, 'Cannot send messages to this user'),
    unknown: () => discordError(404, 10003, 'Unknown Channel'),
    limited: (seconds) => rateLimited(seconds),
    credentials: () => unauthorized(),
  },

  /** https://docs.discord.com/developers/topics/rate-limits#global-rate-limit */
  limits: [
    { count: 50, seconds: 1, per: 'account', refuse: (seconds) => rateLimited(seconds, true) },
  ],
  reports: discordReports,
  idOf: writtenId,
  session: discordSession(TOKEN, (entry) => {
    const place = actorAt(discord, entry.person);
    return writerOf(entry, place, discord.people);
  }),
};

const ROUTE = /^\/channels\/(\d{1,20})\/messages(?:\/(\d{1,20}))?$/;

function routeOf({ path }: Request): { channel?: string; message?: string } {
  const [, channel, message] = ROUTE.exec(path) ?? [];
  return { ...(channel !== undefined && { channel }), ...(message !== undefined && { message }) };
}

const idOf = (number: number) => String(1_200_000_000_000_000_000n + BigInt(number));

async function create(request: Request, channel: string, phone: Phone): Promise<Reply> {
  const fault = badNewMessage(request);
  if (fault) return fault;
  const nonce = textMember(request.json, 'nonce') ?? '';
  const { entry } = await showOnce(phone, nonce, async () =>
    phone.show(
      channel,
      await contentOf(request, channel, phone),
      (number) => `${channel}:${idOf(number)}`,
    ),
  );
  const [, id] = entry.vendorId.split(':');
  return ok({ id, channel_id: channel, content: textMember(request.json, 'content') ?? '' });
}

async function change(request: Request, channel: string, id: string, phone: Phone): Promise<Reply> {
  const before = await phone.find(`${channel}:${id}`);
  if (!before) return discordError(404, 10008, 'Unknown Message');
  const { media = [], reply_to: replyTo } = before.entry;
  if (request.method === 'GET') {
    return ok({ id, channel_id: channel, attachments: attachmentsOf(media, channel) });
  }
  if (before.author === 'person') {
    return discordError(403, 50005, 'Cannot edit a message authored by another user');
  }
  if (request.method === 'DELETE') {
    await phone.remove(before);
    return { status: 204 };
  }
  if (request.method !== 'PATCH') return notAllowed();
  const fault = badEdit(request);
  if (fault) return fault;
  const content = await contentOf(request, channel, phone);
  // The attachments stay, unless the request has the field.
  const isKept = !/"attachments"/.test(request.text);
  const files = isKept ? media.filter(({ file }) => file !== undefined) : [];
  const all = [...files, ...(content.media ?? [])];
  await phone.edit(before, {
    ...content,
    ...(all.length > 0 && { media: all }),
    ...(replyTo !== undefined && { reply_to: replyTo }),
  });
  return ok({ id, channel_id: channel });
}

/** https://docs.discord.com/developers/resources/application */
function application({ method, json }: Request): Reply {
  const current = { id: BOT, name: 'Example', verify_key: PUBLIC_KEY };
  if (method === 'GET') return ok(current);
  if (method !== 'PATCH') return notAllowed();
  const { interactions_endpoint_url: url, ...rest } = fieldsIn(json);
  const isUrl = typeof url === 'string' && url.startsWith('https://');
  if (isUrl && Object.keys(rest).length === 0) return ok(current);
  return badForm(
    'interactions_endpoint_url',
    'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID',
    'No.',
  );
}
