import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import type { ShownContent, ShownMedia } from '../../shown.ts';
import type { Actor, Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fileReply, kindOfFile } from '../files.ts';
import { readRocketChat } from './rocketchat-text.ts';

/*
 * A Rocket.Chat server, at least as strict as documented. https://developer.rocket.chat/apidocs
 * An outgoing webhook reports what people write: https://docs.rocket.chat/docs/integrations
 */
export const TOKEN = 'fake-personal-access-token';
export const USER = 'example7UserIdOf17';

export const rocketchatError = (error: string, errorType?: string, status = 400): Reply => ({
  status,
  body: { success: false, error, ...(errorType !== undefined && { errorType }) },
});

export const limited = (headers = {}, details = {}): Reply => ({
  status: 429,
  headers,
  body: {
    success: false,
    error: 'Error, too many requests. Please slow down. [error-too-many-requests]',
    details,
  },
});

const invalid = (what: string) => rocketchatError(`SIMULATOR: ${what}`, 'invalid-params');
const unauthorized = (): Reply => ({
  status: 401,
  body: { status: 'error', message: 'You must be logged in to do this.' },
});
const ok = (body: object): Reply => ({ status: 200, body: { ...body, success: true } });

export const rocketchat: Simulator = {
  channel: 'rocketchat',
  limits: { none: 'the role bot, which the setup asks for, is exempt (api-bypass-rate-limit)' },
  credentials: {
    address: SANDBOX_URL,
    username: USER,
    token: TOKEN,
    secret: 'fake-outgoing-webhook-token',
  },
  people: [
    { address: '@ada', name: 'ada' },
    { address: '@grace', name: 'grace' },
    { address: '#general', name: 'general', isRoom: true },
  ],
  isRoom: (address) => !address.startsWith('@'),
  magicAddress: (number) => `@fault-${number}`,

  recipientOf({ method, path, json }) {
    if (method !== 'POST') return undefined;
    const [, kind, room] = filesIn(path);
    if (kind === 'mediaConfirm' && room !== undefined) return personOf(room);
    if (path !== '/api/v1/chat.postMessage') return undefined;
    const address = textMember(json, 'roomId') ?? textMember(json, 'channel');
    return address === undefined ? undefined : personOf(roomOf(address));
  },

  async respond(request, phone) {
    const { method, path, headers, text } = request;
    const isAllowed = headers['x-auth-token'] === TOKEN && headers['x-user-id'] === USER;
    const [, shared] = /^\/file-upload\/(\w{1,40})\/[^/]+$/.exec(path) ?? [];
    if (method === 'GET' && shared !== undefined) {
      const missing = { status: isAllowed ? 404 : 403, body: 'not found' };
      return (isAllowed && fileReply(await phone.file(shared))) || missing;
    }
    const [name = ''] = path.replace('/api/v1/', '').split('?');
    const [, kind, room = '', file] = filesIn(path);
    const isMethod = Object.hasOwn(METHODS, `${method} ${name}`);
    const call = isMethod ? METHODS[`${method} ${name}`] : undefined;
    if (!call && kind === undefined) return rocketchatError('Resource not found', undefined, 404);
    if (!isAllowed) return unauthorized();
    const isUpload = kind === 'media';
    if (text !== '' && !isUpload && headers['content-type'] !== 'application/json') {
      return invalid('no JSON');
    }
    if (call) return call(request, phone);
    return file === undefined ? upload(request, room, phone) : confirm(request, room, file, phone);
  },

  refusals: {
    blocked: () => rocketchatError('room_is_blocked', 'error-action-not-allowed'),
    unknown: () => rocketchatError('[invalid-channel]', 'invalid-channel'),
    limited: (seconds) => limited({}, { seconds }),
    credentials: () => unauthorized(),
  },

  reports: {
    message({ text = '', media, replyTo, ...actor }, { credentials, now, number }) {
      const room = roomIdOf(actor);
      const id = messageId(number);
      const file = media && {
        _id: media.file.id,
        name: media.file.name,
        type: media.file.mediaType,
      };
      const thread = replyTo?.entry.thread ?? replyTo?.vendorId;
      const hook = {
        token: credentials.secret,
        bot: false,
        channel_id: room,
        channel_name: actor.room?.name.replace('#', '') ?? null,
        message_id: id,
        timestamp: new Date(now).toISOString(),
        user_id: `${actor.person.name}7UserId`,
        user_name: actor.person.address.replace('@', ''),
        text,
        siteUrl: SANDBOX_URL,
        ...(thread !== undefined && { tmid: thread.slice(thread.lastIndexOf(':') + 1) }),
        ...(file && {
          message: {
            _id: id,
            rid: room,
            file,
            files: [file],
            attachments: [{ description: text }],
          },
        }),
      };
      const headers = { 'content-type': 'application/json' };
      return { headers, body: JSON.stringify(hook), id: `${room}:${id}` };
    },
  },
};

const FILES = /^\/api\/v1\/rooms\.(media|mediaConfirm)\/([^/]+)(?:\/([^/]+))?$/;
const filesIn = (path: string) =>
  (FILES.exec(path) ?? []).map((part, i) => (i > 1 && part ? decodeURIComponent(part) : part));

const messageId = (number: number) => `message${number}`;

const GENERAL = 'GENERAL';

/** The id of a room, by its name or that of a person. */
export function roomOf(address: string): string {
  if (address === '#general') return GENERAL;
  if (address.startsWith('#')) return `room.${address.slice(1)}`;
  return address.startsWith('@') ? `direct.${address.slice(1)}` : address;
}

/** The person or room on the phone. */
function personOf(room: string): string {
  if (room === GENERAL) return '#general';
  if (room.startsWith('room.')) return `#${room.slice(5)}`;
  return room.startsWith('direct.') ? `@${room.slice(7)}` : room;
}

const roomIdOf = ({ person, room }: Actor) => roomOf((room ?? person).address);

type Call = (request: Request, phone: Phone) => Reply | Promise<Reply>;

const METHODS: Readonly<Record<string, Call>> = {
  'GET me': () => ok({ _id: USER, username: 'example.bot', name: 'Example' }),

  async 'POST chat.postMessage'({ json }, phone) {
    const address = member(json, 'channel') === undefined ? 'roomId' : 'channel';
    // Requests addressed by `channel` take no `tmid`.
    const fields = ['text', 'attachments', 'parseUrls', ...(address === 'roomId' ? ['tmid'] : [])];
    const fault = badFields(json, [address, ...fields]) ?? badText(json);
    if (fault) return fault;
    if (typeof (member(json, 'parseUrls') ?? true) !== 'boolean') return invalid('parseUrls');
    const given = textMember(json, address) ?? '';
    if (given === '') return rocketchatError('[invalid-channel]', 'invalid-channel');
    const attachments = member(json, 'attachments') ?? [];
    for (const each of Array.isArray(attachments) ? attachments : [undefined]) {
      const bad = badFields(each, ['title', 'image_url', 'title_link', 'title_link_download']);
      if (bad) return bad;
    }
    return post(roomOf(given), contentOf(json), json, phone);
  },

  'GET rooms.info': ({ path }) => {
    const name = new URL(path, 'http://localhost').searchParams.get('roomName');
    return name === null
      ? rocketchatError('not-allowed')
      : ok({ room: { _id: roomOf(`#${name}`) } });
  },

  'POST im.create': ({ json }) => {
    const name = textMember(json, 'username');
    if (name === undefined) return rocketchatError('[error-invalid-user]', 'error-invalid-user');
    const rid = roomOf(`@${name}`);
    return ok({ room: { _id: rid, rid, t: 'd' } });
  },

  async 'POST chat.update'({ json }, phone) {
    const before =
      badFields(json, ['roomId', 'msgId', 'text']) ?? (await messageToChange(json, phone));
    if ('status' in before) return before;
    const fault = badText(json);
    if (fault) return fault;
    const { media, thread } = before.entry;
    await phone.edit(before, {
      ...contentOf(json),
      ...(media && { media }),
      ...(thread !== undefined && { thread }),
    });
    return ok({ message: { _id: textMember(json, 'msgId') } });
  },

  async 'POST chat.delete'({ json }, phone) {
    const before = badFields(json, ['roomId', 'msgId']) ?? (await messageToChange(json, phone));
    if ('status' in before) return before;
    await phone.remove(before);
    return ok({ _id: textMember(json, 'msgId'), ts: String(phone.now()) });
  },
};

/** The message that a request changes. */
async function messageToChange(json: unknown, phone: Phone) {
  const [room = '', id = ''] = [textMember(json, 'roomId'), textMember(json, 'msgId')];
  const before = await phone.find(`${room}:${id}`);
  return before ?? rocketchatError(`No message found with the id of "${id}".`);
}

async function post(
  room: string,
  content: ShownContent,
  json: unknown,
  phone: Phone,
): Promise<Reply> {
  const tmid = textMember(json, 'tmid');
  const thread = tmid === undefined ? undefined : `${room}:${tmid}`;
  if (thread !== undefined && !(await phone.find(thread))) return rocketchatError('error-thread');
  const { number } = await phone.show(
    personOf(room),
    { ...content, ...(thread !== undefined && { thread }) },
    (each) => `${room}:${messageId(each)}`,
  );
  const msg = textMember(json, 'text') ?? textMember(json, 'msg') ?? '';
  const message = { _id: messageId(number), rid: room, msg };
  return ok({ ts: phone.now(), channel: room, message });
}

const MAX_BYTES = 100 * 1024 * 1024;
/** The id of an empty file whose name is the room of an upload. */
const roomMark = (id: string) => `${id}.room`;

/** https://developer.rocket.chat/apidocs/upload-file */
async function upload({ parts = [] }: Request, room: string, phone: Phone): Promise<Reply> {
  const [file, ...others] = parts;
  if (file?.name !== 'file' || file.filename === undefined || others.length > 0) {
    return rocketchatError('invalid-field', 'invalid-field');
  }
  if (file.bytes.length > MAX_BYTES) {
    const error = 'File size exceeds the allowed limit [error-file-too-large]';
    return rocketchatError(error, 'error-file-too-large');
  }
  const id = phone.newId();
  const { filename: name, mediaType = 'application/octet-stream', bytes } = file;
  await phone.putFile({ id, name, mediaType, bytes });
  await phone.putFile({ id: roomMark(id), name: room, mediaType: '', bytes: Buffer.alloc(0) });
  return ok({ file: { _id: id, url: `/file-upload/${id}/${encodeURIComponent(name)}` } });
}

async function confirm({ json }: Request, room: string, id: string, phone: Phone): Promise<Reply> {
  const fault = badFields(json, ['msg', 'tmid']);
  if (fault) return fault;
  const [file, mark] = [await phone.file(id), await phone.file(roomMark(id))];
  if (!file || mark?.name !== room) return rocketchatError('[invalid-file]', 'invalid-file');
  const { name, mediaType } = file;
  const media = [{ type: kindOfFile(name), file: id, name, media_type: mediaType }];
  const text = readRocketChat(textMember(json, 'msg') ?? '');
  return post(room, { ...text, media }, json, phone);
}

function contentOf(json: unknown): ShownContent {
  const media = listMember(json, 'attachments').map((each): ShownMedia => {
    const [image, link, title] = ['image_url', 'title_link', 'title'].map((key) =>
      textMember(each, key),
    );
    const url = image ?? link ?? '';
    return { type: image === undefined ? kindOfFile(url) : 'Image', url, name: title ?? url };
  });
  return {
    ...readRocketChat(textMember(json, 'text') ?? ''),
    ...(media.length > 0 && { media }),
  };
}

function badFields(json: unknown, fields: readonly string[]): Reply | undefined {
  if (typeof json !== 'object' || json === null) return invalid('no object');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  return unknown === undefined
    ? undefined
    : invalid(`must NOT have additional property ${unknown}`);
}

function badText(json: unknown): Reply | undefined {
  const text = member(json, 'text') ?? '';
  if (typeof text !== 'string') return invalid('text must be string');
  if (text.length > 5000) return rocketchatError('error-message-size-exceeded');
  const isEmpty = text.trim() === '' && member(json, 'attachments') === undefined;
  return isEmpty ? invalid('empty message') : undefined;
}
