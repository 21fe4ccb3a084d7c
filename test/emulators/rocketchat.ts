import { member, textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * The parts of a Rocket.Chat server that we use, at least as strict as documented.
 * https://developer.rocket.chat/apidocs
 */
export const TOKEN = 'fake-personal-access-token';
export const USER = 'example7UserIdOf17';
export const ROOM = 'GENERAL';
export const BEFORE = 'before7messageId17';

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

const invalid = (what: string) => rocketchatError(`EMULATOR: ${what}`, 'invalid-params');
const ok = (body: object): Reply => ({ status: 200, body: { ...body, success: true } });

const ROOMS: Readonly<Record<string, string>> = {
  '#general': ROOM,
  '#日本語': 'nihongo',
  '@ada': 'botada',
  [ROOM]: ROOM,
};

export async function openRocketchat(): Promise<HttpPeer> {
  let last = 0;
  const messages = new Map<string, string>([[BEFORE, ROOM]]);
  const files = new Map<string, string>();

  const post = ({ json }: Request): Reply => {
    const address = member(json, 'channel') === undefined ? 'roomId' : 'channel';
    // Requests addressed by `channel` take no `tmid`.
    const fields = ['text', 'attachments', 'parseUrls', ...(address === 'roomId' ? ['tmid'] : [])];
    const fault = badFields(json, [address, ...fields]) ?? badText(json);
    if (fault) return fault;
    if (typeof (member(json, 'parseUrls') ?? true) !== 'boolean') return invalid('parseUrls');
    const room = ROOMS[textMember(json, address) ?? ''];
    if (room === undefined) return rocketchatError('[invalid-channel]', 'invalid-channel');
    const thread = textMember(json, 'tmid');
    if (thread !== undefined && !messages.has(thread)) return rocketchatError('error-thread');
    const attachments = member(json, 'attachments') ?? [];
    for (const each of Array.isArray(attachments) ? attachments : [undefined]) {
      const bad = badFields(each, ['title', 'image_url', 'title_link', 'title_link_download']);
      if (bad) return bad;
    }
    const id = `message${++last}`;
    messages.set(id, room);
    return ok({ ts: 1, channel: room, message: { _id: id, rid: room, msg: 'x' } });
  };

  const change = ({ json }: Request, fields: readonly string[]): Reply | undefined => {
    const fault = badFields(json, ['roomId', 'msgId', ...fields]);
    if (fault) return fault;
    const id = textMember(json, 'msgId') ?? '';
    const room = messages.get(id);
    if (room === undefined) return rocketchatError(`No message found with the id of "${id}".`);
    return room === textMember(json, 'roomId')
      ? undefined
      : rocketchatError('The room id provided does not match where the message is from.');
  };

  const upload = ({ parts = [] }: Request, room: string): Reply => {
    if (!Object.values(ROOMS).includes(room))
      return rocketchatError('unauthorized', undefined, 403);
    const [file, ...others] = parts;
    if (file?.name !== 'file' || file.filename === undefined || others.length > 0) {
      return rocketchatError('invalid-field', 'invalid-field');
    }
    if (file.bytes.length > MAX_BYTES) {
      const error = 'File size exceeds the allowed limit [error-file-too-large]';
      return rocketchatError(error, 'error-file-too-large');
    }
    const id = `file${files.size + 1}`;
    files.set(id, room);
    return ok({ file: { _id: id, url: `/file-upload/${id}/${file.filename}` } });
  };

  const confirm = ({ json }: Request, room: string, file: string): Reply => {
    const fault = badFields(json, ['msg', 'tmid']);
    if (fault) return fault;
    if (files.get(file) !== room) return rocketchatError('[invalid-file]', 'invalid-file');
    const thread = textMember(json, 'tmid');
    if (thread !== undefined && !messages.has(thread)) return rocketchatError('error-thread');
    const id = `message${++last}`;
    messages.set(id, room);
    return ok({ message: { _id: id, rid: room, msg: textMember(json, 'msg') ?? '' } });
  };

  const info = ({ path }: Request): Reply => {
    const name = new URL(path, 'http://localhost').searchParams.get('roomName') ?? '';
    const id = ROOMS[`#${name}`];
    return id === undefined ? rocketchatError('not-allowed') : ok({ room: { _id: id } });
  };

  const methods: Readonly<Record<string, (request: Request) => Reply>> = {
    'GET me': () => ok({ _id: USER, username: 'example.bot', name: 'Example' }),
    'POST chat.postMessage': post,
    'GET rooms.info': info,
    'POST im.create': ({ json }) => {
      const rid = ROOMS[`@${textMember(json, 'username')}`];
      if (rid === undefined) return rocketchatError('[error-invalid-user]', 'error-invalid-user');
      return ok({ room: { _id: rid, rid, t: 'd' } });
    },
    'POST chat.update': (request) =>
      change(request, ['text']) ?? badText(request.json) ?? ok({ message: {} }),
    'POST chat.delete': (request) => change(request, []) ?? ok({ _id: BEFORE, ts: '1' }),
  };

  return openHttp((request) => {
    const { headers, text } = request;
    const path = request.path.replace('/api/v1/', '').replace(/\?.*$/, '');
    const [, media = '', room = '', file = ''] = FILES.exec(path) ?? [];
    const method = methods[`${request.method} ${path}`];
    if (!method && media === '') return rocketchatError('Resource not found', undefined, 404);
    if (headers['x-auth-token'] !== TOKEN || headers['x-user-id'] !== USER) {
      const message = 'You must be logged in to do this.';
      return { status: 401, body: { status: 'error', message } };
    }
    if (media === '' || file !== '') {
      if (text !== '' && headers['content-type'] !== 'application/json') return invalid('no JSON');
    }
    if (method) return method(request);
    return file === '' ? upload(request, room) : confirm(request, room, file);
  });
}

const FILES = /^rooms\.(media(?:Confirm)?)\/([^/]+)(?:\/([^/]+))?$/;

export const MAX_BYTES = 100_000;

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
