import { listMember, member, textMember } from '../../src/lib/json/json-member.ts';
import { parseJson } from '../../src/lib/json/parse-json.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * Emulates the parts of Webex that we use, as strict as its documentation, and refuses unknown fields.
 * https://developer.webex.com/docs/api/v1/messages
 */

export const TOKEN = 'fake-token-of-a-webex-bot';

export const webexId = (kind: string, name: string) =>
  Buffer.from(`ciscospark://us/${kind}/${name}`).toString('base64url');

export const ROOM = webexId('ROOM', 'bbceb1ad-43f1-3b58-9147-f14bb0c4d154');
export const DIRECT_ROOM = webexId('ROOM', '841f6920-47ed-46a4-b6bb-e5c3c5a77c82');
export const PERSON = webexId('PEOPLE', 'f06d71a5-0833-4fa5-a72a-cc89b25eeee2');
export const BOT = webexId('PEOPLE', '249f74d9-db8a-43ca-896b-879ed24055ac');
export const EMAIL = 'julie@example.com';
/** Messages that were sent before. */
export const BEFORE = webexId('MESSAGE', 'before');
export const WITH_CARD = webexId('MESSAGE', 'with-card');
export const FIRST = webexId('MESSAGE', 'sent-1');

/** A pressed button, as the id of the action that the emulator returns for it. */
export const actionId = (inputs: object, press: number) =>
  webexId('ATTACHMENT_ACTION', `${press}-${Buffer.from(JSON.stringify(inputs)).toString('hex')}`);

export const webexError = (status: number, message: string, headers = {}): Reply => ({
  status,
  headers,
  body: { message, errors: [{ description: message }], trackingId: 'ROUTER_6001' },
});

const invalid = (what: string) => webexError(400, `EMULATOR: ${what}`);
const missing = () => webexError(404, 'The requested resource could not be found.');
const found = (body: object): Reply => ({ status: 200, body });

export const MAX_FILE_BYTES = 100_000;

/** `received` has further objects by their paths, such as messages from people. */
export async function openWebex(
  received: Readonly<Record<string, object>> = {},
): Promise<HttpPeer> {
  const messages = new Map([
    [BEFORE, ROOM],
    [WITH_CARD, ROOM],
  ]);
  const webhooks = new Map<string, object>();
  let created = 0;

  const create = ({ json, form, parts }: Request): Reply => {
    const fields: Record<string, unknown> = parts ? { ...form } : { ...Object(json) };
    const fault =
      unknownField(fields, CREATE) ?? badText(fields) ?? badFile(fields, parts) ?? badCard(fields);
    if (fault) return fault;
    const { roomId, toPersonId, toPersonEmail, parentId } = fields;
    const given = [roomId, toPersonId, toPersonEmail].filter((each) => each !== undefined);
    if (given.length !== 1) return invalid('one of roomId, toPersonId and toPersonEmail');
    if (![ROOM, PERSON, EMAIL].includes(String(given[0]))) return missing();
    if (parentId !== undefined && !messages.has(String(parentId))) return invalid('parentId');
    const id = webexId('MESSAGE', `sent-${++created}`);
    const room = roomId === undefined ? DIRECT_ROOM : ROOM;
    messages.set(id, room);
    return found({ id, roomId: room, roomType: roomId ? 'group' : 'direct', personId: BOT });
  };

  const change = (id: string, json: unknown): Reply => {
    const fields: Record<string, unknown> = { ...Object(json) };
    const fault = unknownField(fields, ['roomId', 'text', 'markdown']) ?? badText(fields);
    if (fault) return fault;
    if (!messages.has(id)) return missing();
    if (id === WITH_CARD) return invalid('editing messages with attachments is not supported');
    if (fields['roomId'] !== messages.get(id)) return invalid('roomId');
    return found({ id, ...fields });
  };

  const subscribe = (json: unknown): Reply => {
    const fields: Record<string, unknown> = { ...Object(json) };
    const names = ['name', 'targetUrl', 'resource', 'event', 'secret'];
    const fault = unknownField(fields, names);
    if (fault || names.some((name) => fields[name] === undefined)) return fault ?? invalid('field');
    const id = webexId('WEBHOOK', String(++created));
    webhooks.set(id, { id, ...fields });
    return found({ id, ...fields });
  };

  return openHttp((request) => {
    const { method, path, headers, json, text } = request;
    if (headers['authorization'] !== `Bearer ${TOKEN}`) {
      return webexError(401, 'The request requires a valid access token set in the header.');
    }
    const isForm = request.parts !== undefined;
    if (text !== '' && !isForm && headers['content-type'] !== 'application/json') {
      return webexError(415, 'EMULATOR: content type');
    }
    const [, kind = '', id = ''] = /^\/([a-z/]+)\/([\w-]+)$/.exec(path) ?? [];
    const call = `${method} ${id === '' || path === '/people/me' ? path : `/${kind}/*`}`;
    if (method === 'GET' && received[path]) return found(received[path]);
    switch (call) {
      case 'GET /people/me':
        return found({ id: BOT, displayName: 'Example Bot', type: 'bot' });
      case 'POST /messages':
        return create(request);
      case 'PUT /messages/*':
        return change(id, json);
      case 'DELETE /messages/*':
        return messages.delete(id) ? { status: 204, body: '' } : missing();
      case 'GET /rooms/*':
        return id === ROOM ? found({ id, title: 'Engines', type: 'group' }) : missing();
      case 'GET /attachment/actions/*':
        return submitted(id);
      case 'GET /webhooks?max=100':
        return found({ items: [...webhooks.values()] });
      case 'POST /webhooks':
        return subscribe(json);
      case 'DELETE /webhooks/*':
        return webhooks.delete(id) ? { status: 204, body: '' } : missing();
      default:
        return missing();
    }
  });
}

function submitted(id: string): Reply {
  const uri = Buffer.from(id, 'base64url').toString();
  const [, hex] = /^ciscospark:\/\/us\/ATTACHMENT_ACTION\/\d+-([0-9a-f]+)$/.exec(uri) ?? [];
  if (hex === undefined) return missing();
  const inputs = parseJson(Buffer.from(hex, 'hex').toString());
  const at = { created: '2026-11-17T12:00:00.000Z', messageId: BEFORE, roomId: ROOM };
  return found({ id, type: 'submit', personId: PERSON, inputs, ...at });
}

const CREATE = [
  'roomId',
  'toPersonId',
  'toPersonEmail',
  'parentId',
  'text',
  'markdown',
  'files',
  'attachments',
];

function unknownField(json: object, fields: readonly string[]): Reply | undefined {
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  return unknown === undefined ? undefined : invalid(`unknown field ${unknown}`);
}

function badText({ text, markdown }: Record<string, unknown>): Reply | undefined {
  for (const each of [text, markdown]) {
    if (each === undefined) continue;
    if (typeof each !== 'string' || each === '') return invalid('text');
    if (Buffer.byteLength(each) > 7439) return invalid('message length limit exceeded');
  }
  return undefined;
}

function badFile(
  { files, text, markdown, attachments }: Record<string, unknown>,
  parts: Request['parts'],
): Reply | undefined {
  const uploads = parts?.filter(({ filename }) => filename !== undefined) ?? [];
  const count = uploads.length + (Array.isArray(files) ? files.length : 0);
  if (files !== undefined && !Array.isArray(files)) return invalid('files');
  if (count > 1) return invalid('only one file');
  if (uploads.some(({ name }) => name !== 'files')) return invalid('the file is in `files`');
  if (uploads.some(({ bytes }) => bytes.length > MAX_FILE_BYTES)) return webexError(413, 'size');
  if (Array.isArray(files) && files.some((url) => !/^https?:\/\//.test(String(url)))) {
    return invalid('files');
  }
  const isEmpty = text === undefined && markdown === undefined && attachments === undefined;
  return isEmpty && count === 0 ? invalid('the message is empty') : undefined;
}

/** The parts of Adaptive Cards 1.3 that we use. https://adaptivecards.io/explorer/ */
function badCard(fields: Record<string, unknown>): Reply | undefined {
  const { attachments } = fields;
  if (attachments === undefined) return undefined;
  const [attachment, ...others] = listMember(fields, 'attachments');
  const card = member(attachment, 'content');
  const isCard =
    textMember(attachment, 'contentType') === 'application/vnd.microsoft.card.adaptive' &&
    textMember(card, 'type') === 'AdaptiveCard' &&
    textMember(card, 'version') === '1.3';
  if (!isCard || others.length > 0) return invalid('attachments');
  const [block] = listMember(card, 'body');
  const runs = listMember(block, 'inlines');
  if (textMember(block, 'type') !== 'RichTextBlock' || runs.length === 0) return invalid('body');
  if (runs.some((run) => !textMember(run, 'text'))) return invalid('a text run');
  const actions = listMember(card, 'actions');
  const isValid = actions.every((each) => textMember(each, 'title') && isAction(each));
  return isValid && actions.length > 0 && actions.length <= 5 ? undefined : invalid('actions');
}

function isAction(action: unknown): boolean {
  return textMember(action, 'type') === 'Action.OpenUrl'
    ? /^[a-z]+:/.test(textMember(action, 'url') ?? '')
    : textMember(action, 'type') === 'Action.Submit' && typeof member(action, 'data') === 'object';
}
