import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import type { Phone } from '../../phone.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { contentFault, contentOf, matrixError } from './content.ts';
import { SELF, addressOf, eventOf, roomOf, syncedSince } from './sync.ts';

/* A Matrix homeserver. https://spec.matrix.org/latest/client-server-api/ */

const TOKEN = 'syt_fake_token_of_a_bot';
const ROOM = '!example:sandbox.test';
const MAX_FILE_BYTES = 10 * 1024 * 1024;

const ok = (body: object): Reply => ({ status: 200, body });
const bad = (error: string) => matrixError(400, 'M_BAD_JSON', error);

export const matrix: Simulator = {
  channel: 'matrix',
  credentials: { address: 'https://sandbox.test', token: TOKEN },
  people: [
    { address: '@ada:sandbox.test', name: 'Ada' },
    { address: '@grace:sandbox.test', name: 'Grace' },
    { address: ROOM, name: 'Example room', isRoom: true },
  ],
  isRoom: (address) => address.startsWith('!'),
  magicAddress: (number) => `@fault-${number}:sandbox.test`,
  // A homeserver lists events in one order.
  lacks: ['reordered_webhooks'],
  polled: ['message', 'join', 'leave'],
  idOf: (number, { person, room }) =>
    `${roomOf(room?.address ?? person.address)}/${eventOf(number)}`,

  recipientOf(request) {
    const sent = sendIn(request);
    const isNew = textMember(request.json, 'm.relates_to', 'rel_type') !== 'm.replace';
    return sent && isNew ? addressOf(sent.room) : undefined;
  },

  async respond(request, phone) {
    const { pathname, searchParams } = new URL(request.path, 'http://sandbox.test');
    if (request.headers['authorization'] !== `Bearer ${TOKEN}`) {
      return matrixError(401, 'M_UNKNOWN_TOKEN', 'Invalid access token');
    }
    if (pathname === '/_matrix/media/v3/upload') return upload(request, searchParams, phone);
    const [, file] =
      /^\/_matrix\/client\/v1\/media\/download\/sandbox\.test\/(\w+)$/.exec(pathname) ?? [];
    if (file !== undefined) return download(file, phone);
    const path = pathname.replace(/^\/_matrix\/client\/v3\//, '');
    if (path === pathname) return matrixError(404, 'M_UNRECOGNIZED', 'Unrecognized request');
    const sent = sendIn(request);
    if (sent) return send(sent, request.json, phone);
    if (request.method === 'GET' && path === 'sync') return sync(searchParams, phone);
    return change(request, path, phone) ?? other(request, path);
  },

  refuse(refusal, seconds) {
    switch (refusal) {
      case 'blocked':
        return matrixError(403, 'M_FORBIDDEN', 'You are banned from this room');
      case 'unknown':
        return matrixError(403, 'M_FORBIDDEN', `User ${SELF} not in room`);
      case 'limited':
        return {
          ...matrixError(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests', {
            retry_after_ms: seconds * 1000,
          }),
          headers: { 'retry-after': String(seconds) },
        };
      case 'credentials':
        return matrixError(401, 'M_UNKNOWN_TOKEN', 'Invalid access token');
    }
  },

  reports: {},
};

interface Sent {
  room: string;
  transaction: string;
}

const SEND = /^\/_matrix\/client\/v3\/rooms\/([^/?]+)\/send\/m\.room\.message\/([^/?]+)$/;

function sendIn({ method, path }: Request): Sent | undefined {
  const [, room, transaction] = SEND.exec(path) ?? [];
  if (method !== 'PUT' || room === undefined || transaction === undefined) return undefined;
  return { room: decodeURIComponent(room), transaction: decodeURIComponent(transaction) };
}

/** The id of an uploaded file. */
const fileIn = (url: string) => /^mxc:\/\/sandbox\.test\/(\w+)$/.exec(url)?.[1] ?? '';

async function send({ room, transaction }: Sent, json: unknown, phone: Phone): Promise<Reply> {
  const event = `$${transaction}`;
  const vendorId = `${room}/${event}`;
  // A repeated transaction has the same result.
  if (await phone.find(vendorId)) return ok({ event_id: event });
  const file = await phone.file(fileIn(textMember(json, 'url') ?? ''));
  const fault = contentFault(json, (_, size) => size === file?.bytes.length);
  if (fault) return fault;
  const idOf = (id: string) => `${room}/${id}`;
  const changed = member(json, 'm.new_content');
  if (changed === undefined) {
    await phone.show(addressOf(room), contentOf(json, fileIn, idOf), () => vendorId);
    return ok({ event_id: event });
  }
  const before = await phone.find(idOf(textMember(json, 'm.relates_to', 'event_id') ?? ''));
  if (!before || before.author === 'person') {
    return matrixError(400, 'M_UNKNOWN', "Can't send relation to unknown event");
  }
  await phone.edit(before, contentOf(changed, fileIn, idOf));
  return ok({ event_id: event });
}

const MAX_WAIT_MS = 30_000;

async function sync(query: URLSearchParams, phone: Phone): Promise<Reply> {
  const [, since] = /^s(\d{1,15})$/.exec(query.get('since') ?? 's0') ?? [];
  if (since === undefined) return matrixError(400, 'M_UNKNOWN', 'Invalid stream token');
  if (query.get('set_presence') !== 'offline') return bad('SIMULATOR: presence');
  // A new account: what people wrote before is still to come.
  if (!query.has('since')) return ok(syncedSince([], matrix.people, 0));
  const wait = Math.min(Number(query.get('timeout') ?? 0), MAX_WAIT_MS);
  await phone.awaitAction(Number(since), wait);
  const actions = await phone.actionsAfter(Number(since));
  return ok(syncedSince(actions.slice(0, MAX_EVENTS), matrix.people, Number(since)));
}

/** The limit of our filter. */
const MAX_EVENTS = 50;

function change(request: Request, path: string, phone: Phone): Promise<Reply> | undefined {
  const [, room = '', event = ''] =
    /^rooms\/([^/]+)\/(?:event|redact)\/([^/]+)/.exec(path)?.map(decodeURIComponent) ?? [];
  if (event === '') return undefined;
  const id = `${room}/${event}`;
  return request.method === 'GET' ? describe(id, event, phone) : redact(id, phone);
}

async function redact(id: string, phone: Phone): Promise<Reply> {
  const before = await phone.find(id);
  if (!before) return matrixError(404, 'M_NOT_FOUND', 'Could not find event');
  await phone.remove(before);
  return ok({ event_id: `$redaction-${before.number}` });
}

async function describe(id: string, event: string, phone: Phone): Promise<Reply> {
  const found = await phone.find(id);
  const [media] = found?.entry.media ?? [];
  const file = await phone.file(media?.file ?? '');
  if (!found) return matrixError(404, 'M_NOT_FOUND', 'Event not found.');
  const content = file && {
    url: `mxc://sandbox.test/${file.id}`,
    filename: file.name,
    info: { mimetype: file.mediaType, size: file.bytes.length },
  };
  const body = { msgtype: 'm.text', body: found.entry.text ?? '', ...content };
  return ok({ event_id: event, type: 'm.room.message', content: body });
}

function other({ method, json }: Request, path: string): Reply {
  const decoded = decodeURIComponent(path);
  const isDirect = decoded === `user/${SELF}/account_data/m.direct`;
  if (method === 'GET' && path === 'account/whoami') return ok({ user_id: SELF });
  // The room of a person follows from their name, so that nothing needs to be stored.
  if (isDirect) return ok({});
  if (method === 'POST' && path.startsWith('join/')) return ok({ room_id: decoded.slice(5) });
  if (method === 'POST' && path === 'createRoom') {
    const [user] = listMember(json, 'invite');
    const isRight = member(json, 'is_direct') === true && typeof user === 'string';
    return isRight ? ok({ room_id: roomOf(user) }) : bad('SIMULATOR: not a direct room');
  }
  const [, room, user] = /^rooms\/(.+)\/state\/m\.room\.member\/(.+)$/.exec(decoded) ?? [];
  if (user !== undefined) {
    return room === roomOf(user)
      ? ok({ membership: 'join' })
      : matrixError(404, 'M_NOT_FOUND', 'Event not found.');
  }
  return matrixError(404, 'M_UNRECOGNIZED', 'Unrecognized request');
}

/** https://spec.matrix.org/latest/client-server-api/#post_matrixmediav3upload */
async function upload(
  { method, headers, bytes }: Request,
  query: URLSearchParams,
  phone: Phone,
): Promise<Reply> {
  if (method !== 'POST') return matrixError(405, 'M_UNRECOGNIZED', 'Unrecognized request');
  const name = query.get('filename');
  const mediaType = headers['content-type'] ?? '';
  if (name === null || name === '') return bad('SIMULATOR: filename');
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaType)) return bad('SIMULATOR: no type');
  if (bytes.length === 0) return bad('SIMULATOR: no bytes');
  if (bytes.length > MAX_FILE_BYTES) {
    return matrixError(413, 'M_TOO_LARGE', 'Upload request body is too large');
  }
  const id = phone.newId();
  await phone.putFile({ id, name, mediaType, bytes });
  return ok({ content_uri: `mxc://sandbox.test/${id}` });
}

async function download(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(id);
  if (!file) return matrixError(404, 'M_NOT_FOUND', 'Not found');
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}
