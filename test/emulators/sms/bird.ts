import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { list, literal, object, text } from '../server/shape.ts';

/*
 * The parts of Bird's Channels API that we use, at least as strict as documented: fields that Bird would silently
 * ignore are refused. https://docs.bird.com/api/channels-api/api-reference/messaging
 */
export const KEY = 'fake-access-key-of-bird';
export const WORKSPACE = 'a1405560-c8d3-4b1a-877d-3f449ad95352';
export const CHANNEL = '614208aa-b153-4d5d-9989-2fddfc0ce4c3';

export const birdError = (
  status: number,
  code: string,
  message: string,
  details?: object,
): Reply => ({ status, body: { code, message, ...(details && { details }) } });

const MESSAGE = object({
  receiver: object({
    contacts: list(
      object({
        identifierKey: literal('phonenumber'),
        identifierValue: text(16, /^\+[1-9]\d{4,14}$/),
      }),
      1,
    ),
  }),
  body: object({ type: literal('text'), text: object({ text: text(1377, /\S/) }) }),
  reference: text(100),
});

export async function openBird(): Promise<HttpPeer> {
  let last = 0;
  return openHttp((request) => {
    const { method, path, headers } = request;
    // Required of every request: https://bird.com/en-us/migrate/from-messagebird-classic
    if (!headers['user-agent']) return birdError(403, 'Forbidden', 'User-Agent is required');
    if (headers['authorization'] !== `AccessKey ${KEY}`) {
      return birdError(401, 'Unauthorized', 'The access key is not valid');
    }
    const base = `/workspaces/${WORKSPACE}/channels/${CHANNEL}`;
    if (method === 'GET' && path === base) {
      const channel = { id: CHANNEL, platformId: 'sms-messagebird', name: 'Acme SMS' };
      return { status: 200, body: { ...channel, status: 'active' } };
    }
    if (method !== 'POST' || path !== `${base}/messages`) {
      return birdError(404, 'NotFound', 'The channel was not found');
    }
    return badMessage(request) ?? accepted(++last, request);
  });
}

function badMessage({ json, headers }: Request): Reply | undefined {
  if (headers['content-type'] !== 'application/json') {
    return birdError(415, 'UnsupportedMediaType', 'EMULATOR: content type');
  }
  const fault = MESSAGE(json, 'request');
  return fault === undefined
    ? undefined
    : birdError(422, 'InvalidPayload', 'The request did not pass validation', { [fault]: ['no'] });
}

function accepted(count: number, { json }: Request): Reply {
  const id = `96a0b5fa-a986-453d-be5c-${String(count).padStart(12, '0')}`;
  const message = { id, channelId: CHANNEL, direction: 'outgoing', status: 'accepted' };
  return { status: 202, body: { ...(json as object), ...message } };
}
