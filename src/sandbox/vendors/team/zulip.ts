import { parseJson } from '../../../lib/json/parse-json.ts';
import { readMarkdown } from '../../../lib/rich-text/readers.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import { type ShownContent, shownText } from '../../shown.ts';
import type { Actor, Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fileReply, kindOfFile } from '../files.ts';

/*
 * A Zulip server, at least as strict as documented: content that Zulip would silently ignore or cut off is refused.
 * https://zulip.com/api/rest
 * An outgoing webhook reports direct messages to the bot, and messages that mention it.
 */
export const EMAIL = 'bot@example.org';
export const KEY = 'fake-key-of-a-bot';
const BOT = 'Example Bot';

type Fields = Readonly<Record<string, string>>;

export const zulipError = (
  msg: string,
  { status = 400, code = 'BAD_REQUEST' }: { status?: number; code?: string } = {},
  more: object = {},
): Reply => ({ status, body: { result: 'error', msg, code, ...more } });

export const limited = (header: string, more: object = {}): Reply => ({
  ...zulipError('API usage exceeded rate limit', { status: 429, code: 'RATE_LIMIT_HIT' }, more),
  headers: { 'retry-after': header },
});

const badKey = () => zulipError('Invalid API key', { status: 401, code: 'INVALID_API_KEY' });

/** Ids are written by hand: they are larger than a double can represent. */
const success = (body = ''): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: `{"result":"success","msg":""${body}}`,
});

const messageId = (number: number) => String(9_007_199_254_740_992n + BigInt(number));

export const zulip: Simulator = {
  channel: 'zulip',
  credentials: {
    address: SANDBOX_URL,
    username: EMAIL,
    token: KEY,
    secret: 'fake-outgoing-webhook-token',
  },
  people: [
    { address: '9', name: 'Ada Example' },
    { address: '10', name: 'Grace Example' },
    { address: 'general/greetings', name: '#general > greetings', isRoom: true },
  ],
  isRoom: (address) => /[/,]/.test(address),
  magicAddress: (number) => `900000${number}`,

  recipientOf: ({ method, path, form }) =>
    method === 'POST' && path === '/api/v1/messages' ? addressOf(form ?? {}) : undefined,

  async respond(request, phone) {
    const { method, path, headers, form } = request;
    // Temporary URLs need no authentication.
    const [, shared] = /^\/user_uploads\/temporary\/(\w{1,40})\/[^/]+$/.exec(path) ?? [];
    if (method === 'GET' && shared !== undefined) {
      return fileReply(await phone.file(shared)) ?? { status: 404, body: 'Not found' };
    }
    const basic = Buffer.from(`${EMAIL}:${KEY}`).toString('base64');
    if (headers['authorization'] !== `Basic ${basic}`) return badKey();
    const [, id] = /^\/api\/v1\/messages\/(\d{1,20})$/.exec(path) ?? [];
    if (id !== undefined) return change(request, id, phone);
    if (method === 'GET' && path === '/api/v1/users/me') {
      return success(`,"full_name":"${BOT}","email":"${EMAIL}","user_id":5`);
    }
    if (method === 'POST' && path === '/api/v1/user_uploads') return upload(request, phone);
    const [, file, name] = /^\/api\/v1\/user_uploads\/2\/(\w{1,40})\/([^/]+)$/.exec(path) ?? [];
    if (method === 'GET' && file !== undefined) {
      if (!(await phone.file(file)))
        return zulipError('This file does not exist.', { status: 404 });
      return success(`,"url":"/user_uploads/temporary/${file}/${name}"`);
    }
    if (method === 'POST' && path === '/api/v1/messages' && form) return send(form, phone);
    return zulipError('SIMULATOR: no such address', { status: 404 });
  },

  refusals: {
    blocked: () =>
      zulipError('You do not have permission to send direct messages to this recipient.'),
    unknown: () => zulipError('Invalid user ID'),
    limited: (seconds) => limited(String(seconds), { 'retry-after': seconds }),
    credentials: () => badKey(),
  },

  /** https://zulip.com/api/rest-error-handling#rate-limit-exceeded */
  limits: [{ count: 200, seconds: 60, per: 'account' }],
  reports: {
    /** https://zulip.com/api/outgoing-webhooks */
    message({ text, media, ...actor }, { credentials, now, number }) {
      const { file } = media ?? {};
      const link = file && `[${file.name}](/user_uploads/2/${file.id}/${safeName(file.name)})`;
      const content = [text, link].filter((each) => each !== undefined).join('\n');
      const data = actor.room ? `@**${BOT}** ${content}` : content;
      const { person } = actor;
      const message = {
        id: number,
        sender_id: Number(person.address),
        sender_full_name: person.name,
        sender_email: `user${person.address}@example.org`,
        content: data,
        timestamp: Math.floor(now / 1000),
        ...placeOf(actor),
      };
      const hook = {
        token: credentials.secret,
        bot_email: EMAIL,
        bot_full_name: BOT,
        trigger: actor.room ? 'mention' : 'direct_message',
        data,
        message,
      };
      const headers = { 'content-type': 'application/json' };
      return { headers, body: JSON.stringify(hook), id: String(number) };
    },
  },
};

/** A topic of a stream, or the people of a direct conversation. */
function placeOf({ person, room }: Actor): object {
  const address = room?.address ?? person.address;
  const slash = address.indexOf('/');
  if (slash > 0) {
    const [stream, topic] = [address.slice(0, slash), address.slice(slash + 1)];
    return { type: 'stream', display_recipient: stream, subject: topic, stream_id: 1 };
  }
  const people = [...address.split(','), '5'].map((id) => ({ id: Number(id) }));
  return { type: 'private', display_recipient: people, subject: '' };
}

function addressOf({ type, to = '', topic = '' }: Fields): string | undefined {
  const scope = jsonOf(to);
  if (type === 'stream') return typeof scope === 'string' ? `${scope}/${topic}` : undefined;
  return Array.isArray(scope) && scope.length > 0 ? scope.map(String).join() : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

async function send(form: Fields, phone: Phone): Promise<Reply> {
  const fields =
    form['type'] === 'stream' ? ['type', 'to', 'topic', 'content'] : ['type', 'to', 'content'];
  const fault = badFields(form, fields) ?? badRecipient(form) ?? (await badContent(form, phone));
  if (fault) return fault;
  const content = await contentOf(form, phone);
  const { vendorId } = await phone.show(addressOf(form) ?? '', content, messageId);
  return success(`,"id":${vendorId}`);
}

async function change({ method, form }: Request, id: string, phone: Phone): Promise<Reply> {
  const before = await phone.find(id);
  if (!before) return zulipError('Invalid message(s)');
  if (method === 'DELETE' && form === undefined) {
    await phone.remove(before);
    return success();
  }
  if (method !== 'PATCH' || !form) return zulipError('SIMULATOR: method', { status: 405 });
  const fault = badFields(form, ['content']) ?? (await badContent(form, phone));
  if (fault) return fault;
  if (before.author === 'person') {
    return zulipError("You don't have permission to edit this message");
  }
  await phone.edit(before, await contentOf(form, phone));
  return success();
}

const MAX_BYTES = 25 * 1024 * 1024;

const safeName = (name: string) =>
  name
    .replaceAll(/[^\w\s.-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');

/** https://zulip.com/api/upload-file */
async function upload({ parts = [] }: Request, phone: Phone): Promise<Reply> {
  const [file, ...others] = parts;
  if (file?.filename === undefined || file.name !== 'filename' || others.length > 0) {
    return zulipError('You must specify a file to upload');
  }
  if (file.bytes.length > MAX_BYTES) {
    return zulipError('Uploaded file is larger than the allowed limit of 25 MiB');
  }
  const { filename: name, mediaType = 'application/octet-stream', bytes } = file;
  const id = phone.newId();
  await phone.putFile({ id, name, mediaType, bytes });
  const url = JSON.stringify(`/user_uploads/2/${id}/${safeName(name)}`);
  return success(`,"uri":${url},"url":${url}`);
}

/** The link to an uploaded file, which ends a message. */
const LINK = /\n?\[([^[\]\n]{0,500})\]\(\/user_uploads\/2\/(\w{1,40})\/[^()]{0,500}\)$/;

/** Zulip shows files below the text. */
async function contentOf({ content = '' }: Fields, phone: Phone): Promise<ShownContent> {
  const [whole = '', , id = ''] = LINK.exec(content) ?? [];
  const file = id === '' ? undefined : await phone.file(id);
  const text = file ? content.slice(0, content.length - whole.length) : content;
  const { name = '', mediaType = '' } = file ?? {};
  return {
    ...shownText(readMarkdown(text)),
    ...(file && { media: [{ type: kindOfFile(name), file: id, name, media_type: mediaType }] }),
  };
}

function badFields(form: object, fields: readonly string[]): Reply | undefined {
  const unknown = Object.keys(form).find((field) => !fields.includes(field));
  if (unknown !== undefined) return zulipError(`SIMULATOR: unsupported parameter ${unknown}`);
  const missing = fields.find((field) => !Object.hasOwn(form, field));
  const code = 'REQUEST_VARIABLE_MISSING';
  return missing === undefined ? undefined : zulipError(`Missing '${missing}' argument`, { code });
}

function badRecipient({ type, to = '', topic = '' }: Fields): Reply | undefined {
  const scope = jsonOf(to);
  if (type === 'stream') {
    if (typeof scope !== 'string') return zulipError('SIMULATOR: to is not a string');
    return topic.length > 60 ? zulipError('SIMULATOR: the topic would be cut off') : undefined;
  }
  if (type !== 'direct') return zulipError('Invalid type', { code: 'REQUEST_VARIABLE_INVALID' });
  const users: unknown[] = Array.isArray(scope) ? scope : [];
  if (users.length === 0) return zulipError('Message must have recipients');
  const invalid = users.find((user) => !Number.isSafeInteger(user));
  return invalid === undefined ? undefined : zulipError('Invalid user ID');
}

/** A linked file must exist. */
async function badContent({ content = '' }: Fields, phone: Phone): Promise<Reply | undefined> {
  if (/\]\(\/user_uploads\/[^)]*\)$/.test(content)) {
    const [, , id = ''] = LINK.exec(content) ?? [];
    if (!(await phone.file(id))) return zulipError('SIMULATOR: no such file');
  }
  if (content.trim() === '') return zulipError('Message must not be empty');
  if (content.includes('\0')) return zulipError('Message must not contain null bytes');
  return Array.from(content).length > 10_000
    ? zulipError('SIMULATOR: the message would be cut off')
    : undefined;
}
