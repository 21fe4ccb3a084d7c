import { member, textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * The parts of GroupMe's API that we use, at least as strict as documented: fields that GroupMe would silently
 * ignore are refused. https://dev.groupme.com/docs/v3
 */
export const BOT = 'fake0bot0id0that0posts';
export const TOKEN = 'fakeAccessTokenOfAPerson';
export const GROUPS = { ours: '1234567890', foreign: '666' } as const;
/** An existing message to remove. */
export const EARLIER = '174769395496126372';

export const groupMeError = (code: number, ...errors: string[]): Reply => ({
  status: code,
  body: { response: null, meta: { code, errors } },
});

export async function openGroupMe(): Promise<HttpPeer> {
  const messages = new Set([EARLIER]);
  const guids = new Set<string>();

  const postMessage = ({ json }: Request, group: string): Reply => {
    if (group !== GROUPS.ours) return groupMeError(404, 'Group not found');
    const message = member(json, 'message');
    const guid = textMember(message, 'source_guid') ?? '';
    const fault =
      unknownField(json, ['message']) ??
      unknownField(message, ['source_guid', 'text', 'attachments']) ??
      badContent(message);
    if (fault) return fault;
    if (guid === '') return groupMeError(400, 'source_guid is missing');
    if (guids.has(guid)) return groupMeError(409);
    guids.add(guid);
    const id = `17476939549612${7000 + messages.size}`;
    messages.add(id);
    return {
      status: 201,
      body: { response: { message: { id, source_guid: guid } }, meta: { code: 201 } },
    };
  };

  const postAsBot = ({ json }: Request): Reply => {
    const fault = unknownField(json, ['bot_id', 'text', 'attachments']);
    if (fault) return fault;
    if (textMember(json, 'bot_id') !== BOT) return groupMeError(404, 'Invalid bot_id');
    return badContent(json) ?? { status: 202, body: '' };
  };

  return openHttp((request) => {
    const { method, path, headers } = request;
    const isJson = headers['content-type'] === 'application/json';
    if (method === 'POST' && path === '/pictures') return uploadImage(request);
    if (method === 'POST' && !isJson) return groupMeError(415, 'EMULATOR: no JSON');
    if (method === 'POST' && path === '/bots/post') return postAsBot(request);
    if (headers['x-access-token'] !== TOKEN) return groupMeError(401, 'unauthorized');
    const [, group] = /^\/groups\/(\d+)\/messages$/.exec(path) ?? [];
    if (method === 'POST' && group !== undefined) return postMessage(request, group);
    const [, id] = /^\/conversations\/1234567890\/messages\/(\d+)$/.exec(path) ?? [];
    if (method === 'DELETE' && id !== undefined) {
      return messages.delete(id) ? { status: 204 } : groupMeError(404, 'not found');
    }
    if (method === 'GET' && path === '/users/me') {
      return { status: 200, body: { response: { id: '1', name: 'Ada' }, meta: { code: 200 } } };
    }
    return { status: 404, body: `EMULATOR: ${method} ${path}` };
  });
}

export const MAX_BYTES = 100_000;

/** https://dev.groupme.com/docs/image_service */
function uploadImage({ headers, bytes }: Request): Reply {
  if (headers['x-access-token'] !== TOKEN) return groupMeError(401, 'unauthorized');
  if (!/^image\/(png|jpeg|gif)$/.test(headers['content-type'] ?? '')) {
    return { status: 415, body: { errors: ['EMULATOR: no image'] } };
  }
  if (bytes.length === 0) return { status: 400, body: { errors: ['EMULATOR: no bytes'] } };
  if (bytes.length > MAX_BYTES) return { status: 413, body: '' };
  const url = `https://i.groupme.com/1x1.png.fake${bytes.length}`;
  return { status: 200, body: { payload: { url, picture_url: url } } };
}

function unknownField(json: unknown, fields: readonly string[]): Reply | undefined {
  if (typeof json !== 'object' || json === null) return groupMeError(400, 'EMULATOR: no object');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  return unknown === undefined ? undefined : groupMeError(400, `EMULATOR: unknown ${unknown}`);
}

const ATTACHMENTS: Readonly<Record<string, readonly string[]>> = {
  image: ['type', 'url'],
  video: ['type', 'url', 'preview_url'],
  location: ['type', 'name', 'lat', 'lng'],
  reply: ['type', 'reply_id', 'base_reply_id'],
};

function badContent(message: unknown): Reply | undefined {
  const text = textMember(message, 'text') ?? '';
  if (text.length > 1000) return groupMeError(400, 'Text is too long (maximum is 1000 characters)');
  const attachments = member(message, 'attachments') ?? [];
  if (!Array.isArray(attachments)) return groupMeError(400, 'Attachments are invalid');
  if (text.trim() === '' && attachments.length === 0)
    return groupMeError(400, "Text can't be blank");
  return attachments.map(badAttachment).find((fault) => fault !== undefined);
}

function badAttachment(attachment: unknown): Reply | undefined {
  const fields = ATTACHMENTS[textMember(attachment, 'type') ?? ''];
  if (!fields) return groupMeError(400, 'EMULATOR: unknown attachment');
  const missing = fields.find((field) => (textMember(attachment, field) ?? '') === '');
  if (missing !== undefined) return groupMeError(400, `Attachment lacks ${missing}`);
  const url = textMember(attachment, 'url');
  const isOwn = url === undefined || /^https:\/\/[iv]\.groupme\.com\//.test(url);
  if (!isOwn) return groupMeError(400, 'Attachment url is not ours');
  return unknownField(attachment, fields);
}
