import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import type { Phone } from '../../phone.ts';
import type { Person } from '../../simulator.ts';
import { fieldsIn } from '../../wire/fields.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fileReply } from '../files.ts';
import { contentFault, contentOf, matrixError } from './content.ts';
import { addressOf, roomOf, timelineOf } from './sync.ts';
import { type Timeline, messages, sync } from './timeline.ts';

/* The HTTP API of a Matrix homeserver. https://spec.matrix.org/latest/client-server-api/ */

export interface Homeserver {
  /** The name of the server. */
  name: string;
  /** The user of the bot. */
  self: string;
  isToken(token: string): boolean;
  people: readonly Person[];
  maxFileBytes: number;
  /** The events in its rooms; by default, the actions of people on the phone. */
  timeline?: Timeline;
}

const ok = (body: object): Reply => ({ status: 200, body });
const bad = (error: string) => matrixError(400, 'M_BAD_JSON', error);
const unrecognized = (status = 404) =>
  matrixError(status, 'M_UNRECOGNIZED', 'Unrecognized request');

const API = '/_matrix/client/v3/';
const UPLOAD = '/_matrix/media/v3/upload';

export async function respondAs(home: Homeserver, request: Request, phone: Phone): Promise<Reply> {
  const { method, headers } = request;
  const { pathname, searchParams: query } = new URL(request.path, 'http://localhost');
  const isJson = headers['content-type'] === 'application/json';
  if (method !== 'GET' && pathname !== UPLOAD && !isJson) {
    return matrixError(400, 'M_NOT_JSON', 'Content not JSON.');
  }
  const [, token] = /^Bearer (.+)$/.exec(headers['authorization'] ?? '') ?? [];
  if (token === undefined) return matrixError(401, 'M_MISSING_TOKEN', 'Missing access token');
  if (!home.isToken(token)) return matrixError(401, 'M_UNKNOWN_TOKEN', 'Invalid access token');
  if (pathname === UPLOAD) return upload(home, request, query, phone);
  const [, server, file] =
    /^\/_matrix\/client\/v1\/media\/download\/([^/]+)\/(\w+)$/.exec(pathname) ?? [];
  if (file !== undefined && server === home.name) {
    return fileReply(await phone.file(file)) ?? matrixError(404, 'M_NOT_FOUND', 'Not found');
  }
  if (!pathname.startsWith(API)) return unrecognized();
  const path = pathname.slice(API.length);
  const sent = sendIn(request);
  if (sent) return send(home, sent, request.json, phone);
  const timeline = home.timeline ?? timelineOf(phone, home.people);
  if (method === 'GET' && path === 'sync') return sync(timeline, home.self, query);
  const [, listedRoom] = /^rooms\/([^/]+)\/messages$/.exec(path) ?? [];
  if (method === 'GET' && listedRoom !== undefined) {
    return messages(timeline, decodeURIComponent(listedRoom), query);
  }
  return change(home, request, path, phone) ?? other(home, request, path, timeline);
}

interface Sent {
  room: string;
  transaction: string;
}

const SEND = /^\/_matrix\/client\/v3\/rooms\/([^/?]+)\/send\/m\.room\.message\/([^/?]+)(?:\?|$)/;

export function sendIn({ method, path }: Request): Sent | undefined {
  const [, room, transaction] = SEND.exec(path) ?? [];
  if (method !== 'PUT' || room === undefined || transaction === undefined) return undefined;
  return { room: decodeURIComponent(room), transaction: decodeURIComponent(transaction) };
}

/** The id of an uploaded file. */
function fileIn({ name }: Homeserver, url: string): string {
  const [, server, file = ''] = /^mxc:\/\/([^/]+)\/(\w+)$/.exec(url) ?? [];
  return server === name ? file : '';
}

async function send(
  home: Homeserver,
  { room, transaction }: Sent,
  json: unknown,
  phone: Phone,
): Promise<Reply> {
  const event = `$${transaction}`;
  const vendorId = `${room}/${event}`;
  // A repeated transaction has the same result.
  if (await phone.find(vendorId)) return ok({ event_id: event });
  const changed = member(json, 'm.new_content');
  const fileOf = (url: string) => fileIn(home, url);
  const file = await phone.file(fileOf(textMember(changed ?? json, 'url') ?? ''));
  const fault = contentFault(json, (_, size) => size === file?.bytes.length);
  if (fault) return fault;
  const idOf = (id: string) => `${room}/${id}`;
  if (changed === undefined) {
    await phone.show(addressOf(room), contentOf(json, fileOf, idOf), () => vendorId);
    return ok({ event_id: event });
  }
  const before = await phone.find(idOf(textMember(json, 'm.relates_to', 'event_id') ?? ''));
  if (!before || before.author === 'person') {
    return matrixError(400, 'M_UNKNOWN', "Can't send relation to unknown event");
  }
  await phone.edit(before, contentOf(changed, fileOf, idOf));
  return ok({ event_id: event });
}

function change(
  { name }: Homeserver,
  request: Request,
  path: string,
  phone: Phone,
): Promise<Reply> | undefined {
  const [, room = '', event = ''] =
    /^rooms\/([^/]+)\/(?:event|redact)\/([^/]+)/.exec(path)?.map(decodeURIComponent) ?? [];
  if (event === '') return undefined;
  const id = `${room}/${event}`;
  return request.method === 'GET' ? describe(id, name, phone) : redact(request, id, phone);
}

async function redact({ text }: Request, id: string, phone: Phone): Promise<Reply> {
  if (text !== '{}') return bad('SIMULATOR: not {}');
  const before = await phone.find(id);
  if (!before) return matrixError(404, 'M_NOT_FOUND', 'Could not find event');
  await phone.remove(before);
  return ok({ event_id: `$redaction-${before.number}` });
}

async function describe(id: string, server: string, phone: Phone): Promise<Reply> {
  const found = await phone.find(id);
  const [media] = found?.entry.media ?? [];
  const file = await phone.file(media?.file ?? '');
  if (!found) return matrixError(404, 'M_NOT_FOUND', 'Event not found.');
  const content = file && {
    url: `mxc://${server}/${file.id}`,
    filename: file.name,
    info: { mimetype: file.mediaType, size: file.bytes.length },
  };
  const body = { msgtype: 'm.text', body: found.entry.text ?? '', ...content };
  const event = id.slice(id.indexOf('/') + 1);
  return ok({ event_id: event, type: 'm.room.message', content: body });
}

const DIRECT_ROOM = '{"is_direct":true,"preset":"trusted_private_chat"}';

function other(
  { self }: Homeserver,
  { method, json }: Request,
  path: string,
  timeline: Timeline,
): Reply {
  const decoded = decodeURIComponent(path);
  if (method === 'GET' && path === 'account/whoami') return ok({ user_id: self });
  if (decoded === `user/${self}/account_data/m.direct`) {
    if (method === 'GET') return ok(timeline.direct([]));
    timeline.setDirect(json);
    return ok({});
  }
  if (method === 'POST' && path.startsWith('join/')) {
    const room = decoded.slice(5);
    return timeline.join(room)
      ? ok({ room_id: room })
      : matrixError(403, 'M_FORBIDDEN', 'You are not invited to this room.');
  }
  if (method === 'POST' && path === 'createRoom') {
    const [user] = listMember(json, 'invite');
    const { invite: _, ...settings } = fieldsIn(json);
    const isDirect = JSON.stringify(settings) === DIRECT_ROOM && typeof user === 'string';
    return isDirect ? ok({ room_id: roomOf(user) }) : bad('SIMULATOR: not a direct room');
  }
  const [, room, user] = /^rooms\/(.+)\/state\/m\.room\.member\/(.+)$/.exec(decoded) ?? [];
  if (user === undefined) return unrecognized();
  return room === roomOf(user)
    ? ok({ membership: 'join' })
    : matrixError(404, 'M_NOT_FOUND', 'Event not found.');
}

/** https://spec.matrix.org/latest/client-server-api/#post_matrixmediav3upload */
async function upload(
  { name: server, maxFileBytes }: Homeserver,
  { method, headers, bytes }: Request,
  query: URLSearchParams,
  phone: Phone,
): Promise<Reply> {
  if (method !== 'POST') return unrecognized(405);
  const name = query.get('filename');
  const mediaType = headers['content-type'] ?? '';
  const others = [...query.keys()].filter((key) => key !== 'filename' && key !== 'user_id');
  if (others.length > 0 || name === null || name === '') return bad('SIMULATOR: filename');
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType)) return bad('SIMULATOR: no type');
  if (bytes.length === 0) return bad('SIMULATOR: no bytes');
  if (bytes.length > maxFileBytes) {
    return matrixError(413, 'M_TOO_LARGE', 'Upload request body is too large');
  }
  const id = phone.newId();
  await phone.putFile({ id, name, mediaType, bytes });
  return ok({ content_uri: `mxc://${server}/${id}` });
}
