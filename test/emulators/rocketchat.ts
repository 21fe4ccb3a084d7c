import { textMember } from '../../src/lib/json/json-member.ts';
import {
  TOKEN,
  USER,
  limited,
  rocketchat,
  rocketchatError,
} from '../../src/sandbox/vendors/team/rocketchat.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Rocket.Chat, with the rooms that tests need, and smaller files. */
export { TOKEN, USER, limited, rocketchatError };

export const ROOM = 'GENERAL';
export const BEFORE = 'before7messageId17';
export const MAX_BYTES = 100_000;

const KNOWN = ['#general', '#日本語', '@ada'];
const NAMES = ['general', '日本語', 'ada'];

export async function openRocketchat(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  phone.put('#general', `${ROOM}:${BEFORE}`, { text: 'before' });
  return openHttp(async (request) => {
    const isAllowed = request.headers['x-auth-token'] === TOKEN;
    return (isAllowed ? refusalOf(request) : undefined) ?? rocketchat.respond(request, phone);
  });
}

function refusalOf(request: Request): Reply | undefined {
  const { path, json, bytes } = request;
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  if (pathname === '/api/v1/rooms.info') {
    return NAMES.includes(searchParams.get('roomName') ?? '')
      ? undefined
      : rocketchatError('not-allowed');
  }
  if (pathname === '/api/v1/im.create') {
    const isKnown = NAMES.includes(textMember(json, 'username') ?? '');
    return isKnown ? undefined : rocketchatError('[error-invalid-user]', 'error-invalid-user');
  }
  const [, room] = /^\/api\/v1\/rooms\.media\/([^/]+)$/.exec(path) ?? [];
  if (room !== undefined) {
    if (!/^(GENERAL|room\.|direct\.)/.test(room)) {
      return rocketchatError('unauthorized', undefined, 403);
    }
    const error = 'File size exceeds the allowed limit [error-file-too-large]';
    return bytes.length > MAX_BYTES ? rocketchatError(error, 'error-file-too-large') : undefined;
  }
  const person = rocketchat.recipientOf(request) ?? '#general';
  return KNOWN.includes(person)
    ? undefined
    : rocketchatError('[invalid-channel]', 'invalid-channel');
}
