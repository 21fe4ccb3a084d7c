import { member, textMember } from '../../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';

/*
 * The parts of Discord's HTTP API v10 that we use, at least as strict as documented: fields that Discord would
 * silently ignore are refused. https://docs.discord.com/developers/resources/message
 */
export const TOKEN = 'MTk4NjIyNDgzNDcxOTI1MjQ4.fake.token-of-a-bot';

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

export const discordError = (status: number, code: number, message: string, more = {}): Reply => ({
  status,
  body: { message, code, ...more },
});

const badForm = (field: string, code: string, message: string): Reply =>
  discordError(400, 50035, 'Invalid Form Body', {
    errors: { [field]: { _errors: [{ code, message }] } },
  });

export const rateLimited = (seconds: number, isGlobal = false): Reply => ({
  status: 429,
  headers: {
    'retry-after': String(Math.ceil(seconds)),
    'x-ratelimit-scope': isGlobal ? 'global' : 'user',
  },
  body: { message: 'You are being rate limited.', retry_after: seconds, global: isGlobal },
});

const CREATE = [
  'content',
  'nonce',
  'enforce_nonce',
  'embeds',
  'allowed_mentions',
  'message_reference',
  'components',
  'flags',
  'attachments',
  'tts',
];
const EDIT = ['content', 'embeds', 'allowed_mentions', 'components', 'flags', 'attachments'];

const ROUTE = /^\/channels\/(?<channel>\d+)\/messages(?:\/(?<message>\d+))?$/;

export async function openDiscord(): Promise<HttpPeer> {
  let last = 1_200_000_000_000_000_000n;
  const messages = new Set([EARLIER, FOREIGN_MESSAGE]);
  const nonces = new Map<string, Reply>();

  const create = (channel: string, request: Request): Reply => {
    const fault = badMessage(request, CREATE) ?? badFlags(request, SENT_FLAGS);
    if (fault) return fault;
    const nonce = textMember(request.json, 'nonce') ?? '';
    if (nonce === '' || nonce.length > 25 || member(request.json, 'enforce_nonce') !== true) {
      return badForm('nonce', 'EMULATOR_NONCE', 'There is no nonce, or it is not enforced.');
    }
    const before = nonces.get(nonce);
    if (before) return before;
    const id = String(++last);
    messages.add(id);
    const reply = ok({ id, channel_id: channel, content: textMember(request.json, 'content') });
    nonces.set(nonce, reply);
    return reply;
  };

  const change = (channel: string, id: string, request: Request): Reply => {
    if (!messages.has(id)) return discordError(404, 10008, 'Unknown Message');
    if (id === FOREIGN_MESSAGE) {
      return discordError(403, 50005, 'Cannot edit a message authored by another user');
    }
    if (request.method === 'PATCH') {
      const fault = badMessage(request, EDIT) ?? badFlags(request, EDITED_FLAGS);
      return fault ?? ok({ id, channel_id: channel });
    }
    if (request.method !== 'DELETE') return discordError(405, 0, '405: Method Not Allowed');
    messages.delete(id);
    return { status: 204, body: '' };
  };

  return openHttp((request) => {
    const { path, method, headers } = request;
    if (!/^DiscordBot \(https?:\/\/[^ ,]+, [^ )]+\)/.test(headers['user-agent'] ?? '')) {
      return discordError(403, 40333, 'internal network error');
    }
    if (headers['authorization'] !== `Bot ${TOKEN}`) {
      return discordError(401, 0, '401: Unauthorized');
    }
    if (path === '/users/@me' && method === 'GET') {
      return ok({ id: '80351110224678912', username: 'Example', discriminator: '1337', bot: true });
    }
    if (path === '/applications/@me') return application(request);
    if (path === `/channels/${CHANNELS.text}/messages/${FILED}` && method === 'GET') return filed;
    const { channel = '', message } = ROUTE.exec(path)?.groups ?? {};
    if (channel === '') return discordError(404, 0, '404: Not Found');
    const refusal = refusalOf(channel);
    if (refusal) return refusal;
    if (message !== undefined) return change(channel, message, request);
    return method === 'POST' ? create(channel, request) : discordError(405, 0, '405');
  });
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

/** Discord signs each application's webhook requests with another key. */
export const PUBLIC_KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

/** https://docs.discord.com/developers/resources/application */
function application({ method, json }: Request): Reply {
  const known = { id: '80351110224678912', name: 'Example', verify_key: PUBLIC_KEY };
  if (method === 'GET') return ok(known);
  if (method !== 'PATCH') return discordError(405, 0, '405: Method Not Allowed');
  const { interactions_endpoint_url: url, ...rest } = json as Record<string, unknown>;
  const isUrl = typeof url === 'string' && url.startsWith('https://');
  if (isUrl && Object.keys(rest).length === 0) return ok({ ...known, ...rest });
  return badForm(
    'interactions_endpoint_url',
    'APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID',
    'No.',
  );
}

const ok = (body: object): Reply => ({ status: 200, body });

function refusalOf(channel: string): Reply | undefined {
  if (channel === CHANNELS.foreign) return discordError(403, 50001, 'Missing Access');
  if (channel === CHANNELS.readOnly) return discordError(403, 50013, 'Missing Permissions');
  if (channel === CHANNELS.forum) {
    return discordError(400, 40058, 'Cannot send a message in a forum channel');
  }
  const isKnownChannel = channel === CHANNELS.text || channel === CHANNELS.thread;
  return isKnownChannel ? undefined : discordError(404, 10003, 'Unknown Channel');
}

function badMessage(request: Request, fields: readonly string[]): Reply | undefined {
  const { json, headers, parts } = request;
  if (headers['content-type'] !== 'application/json' && !parts) {
    return badForm('_', 'CONTENT_TYPE_INVALID', 'Expected "Content-Type" header to be one of …');
  }
  if (typeof json !== 'object' || json === null) return discordError(400, 50109, 'invalid JSON');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  if (unknown !== undefined) return badForm(unknown, 'EMULATOR_FIELD', 'This field is unknown.');
  const parse = member(json, 'allowed_mentions', 'parse');
  if (!Array.isArray(parse) || parse.length > 0) {
    return badForm('allowed_mentions', 'EMULATOR_MENTIONS', 'Somebody could be called.');
  }
  return (
    badFiles(json, parts) ??
    badContent(json, parts !== undefined) ??
    badReference(json) ??
    badComponents(json)
  );
}

/** https://docs.discord.com/developers/resources/message#message-object-message-flags */
const EDITED_FLAGS = (1 << 2) | (1 << 15);
const SENT_FLAGS = EDITED_FLAGS | (1 << 12);

function badFlags({ json }: Request, allowed: number): Reply | undefined {
  const flags = Number(member(json, 'flags') ?? 0);
  if ((flags & ~allowed) !== 0) return badForm('flags', 'EMULATOR_FLAGS', 'Invalid flags.');
  const isSpoken = member(json, 'tts') ?? false;
  if (typeof isSpoken !== 'boolean') return badForm('tts', 'BOOLEAN_TYPE_CONVERT', 'No.');
  // The flag would hide them.
  const hidesImage = (flags & (1 << 2)) !== 0 && JSON.stringify(json).includes('"embeds":[{');
  return hidesImage ? badForm('embeds', 'EMULATOR_HIDDEN', 'Nobody would see it.') : undefined;
}

const isComponentsOnly = (json: object) => (Number(member(json, 'flags') ?? 0) & (1 << 15)) !== 0;

const MAX_BYTES = 10 * 1024 * 1024;

/** https://docs.discord.com/developers/reference#uploading-files */
function badFiles(json: object, parts: Request['parts']): Reply | undefined {
  const attachments = JSON.stringify(member(json, 'attachments') ?? []);
  if (!parts) {
    return attachments === '[]' ? undefined : badForm('attachments', 'EMULATOR', 'No such file.');
  }
  const [first, second, ...others] = parts;
  const isPayload = first?.name === 'payload_json' && first.mediaType === 'application/json';
  const isFile = second?.name === 'files[0]' && second.filename !== undefined;
  const named = JSON.stringify([{ id: 0, filename: second?.filename }]);
  if (!isPayload || !isFile || others.length > 0 || attachments !== named) {
    return badForm('attachments', 'EMULATOR_FILES', 'Files and attachments do not match.');
  }
  return second.bytes.length > MAX_BYTES
    ? discordError(413, 40005, 'Request entity too large')
    : undefined;
}

function badContent(json: object, hasFiles: boolean): Reply | undefined {
  const content = member(json, 'content') ?? '';
  const embeds = member(json, 'embeds') ?? [];
  const components = member(json, 'components') ?? [];
  if (typeof content !== 'string') return badForm('content', 'BASE_TYPE_STRING', 'Not a string.');
  if (content.length > 2000) {
    return badForm('content', 'BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.');
  }
  if (!Array.isArray(embeds) || !Array.isArray(components)) {
    return badForm('embeds', 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
  }
  for (const embed of embeds) {
    const url = textMember(embed, 'image', 'url');
    if (url === undefined || !/^https?:\/\//.test(url)) {
      return badForm('embeds', 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
    }
  }
  const isV2 = isComponentsOnly(json);
  if (isV2 && (content !== '' || embeds.length > 0)) {
    return badForm('content', 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', 'Not both.');
  }
  const hasContent =
    content.trim() !== '' || embeds.length > 0 || components.length > 0 || hasFiles;
  return hasContent ? undefined : discordError(400, 50006, 'Cannot send an empty message');
}

function badReference(json: object): Reply | undefined {
  const reference = member(json, 'message_reference');
  if (reference === undefined) return undefined;
  const isId = /^\d{1,20}$/.test(textMember(reference, 'message_id') ?? '');
  const mayFail = member(reference, 'fail_if_not_exists') !== false;
  return isId && !mayFail ? undefined : badForm('message_reference', 'NUMBER_TYPE_COERCE', 'No.');
}

function badComponents(json: object): Reply | undefined {
  const components = (member(json, 'components') ?? []) as object[];
  const isV2 = isComponentsOnly(json);
  const rows = components.filter((each) => member(each, 'type') === 1);
  const known = components.every((each) => [1, ...(isV2 ? [10, 12] : [])].includes(typeOf(each)));
  const ids = new Set<unknown>();
  const goodRows = rows.every((row) => {
    const keys = (member(row, 'components') ?? []) as object[];
    return keys.length >= 1 && keys.length <= 5 && keys.every((key) => isButton(key, ids));
  });
  const good = known && goodRows && rows.length <= 5 && components.length <= 40;
  return good ? undefined : badForm('components', 'COMPONENT_INVALID', 'A component is wrong.');
}

const typeOf = (component: object) => Number(member(component, 'type'));

/** Link buttons have no custom_id; the others need a unique one. */
function isButton(key: object, ids: Set<unknown>): boolean {
  const { type, style, label, url, custom_id: id, ...rest } = key as Record<string, unknown>;
  if (type !== 2 || Object.keys(rest).length > 0) return false;
  if (typeof label !== 'string' || label.length > 80) return false;
  if (style === 5) return typeof url === 'string' && url.length <= 512 && id === undefined;
  const isNew = !ids.has(id);
  ids.add(id);
  return style === 2 && isNew && typeof id === 'string' && id.length <= 100 && url === undefined;
}
