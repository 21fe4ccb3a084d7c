import { createHmac } from 'node:crypto';

import { textMember } from '../../../lib/json/json-member.ts';
import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type { Phone } from '../../phone.ts';
import type { PhoneEntry } from '../../shown.ts';
import type { Actor, ReportContext, Simulator, WebhookRequest } from '../../simulator.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { fileReply } from '../files.ts';
import {
  badContent,
  contentOf,
  fieldsOf,
  invalid,
  unknownField,
  webexError,
} from './webex-content.ts';
import {
  BOT,
  EMAIL,
  PERSON,
  ROOM,
  isRoom,
  nameIn,
  personOf,
  pressId,
  pressIn,
  roomOf,
  userIdOf,
  webexId,
  writerIn,
  writtenId,
} from './webex-ids.ts';

/*
 * Webex, as strict as its documentation; unknown fields are refused. https://developer.webex.com/docs/api/v1/messages
 * A webhook request has ids only; the content is fetched: https://developer.webex.com/docs/api/guides/webhooks
 */
export const TOKEN = 'fake-token-of-a-webex-bot';

const ADDRESSES = ['roomId', 'toPersonId', 'toPersonEmail'];

const missing = () => webexError(404, 'The requested resource could not be found.');
const unauthorized = () =>
  webexError(401, 'The request requires a valid access token set in the header.');
const ok = (body: object): Reply => ({ status: 200, body });

export const webex: Simulator = {
  channel: 'webex',
  limits: { none: 'Webex documents no rate; its 429 says how long to wait' },
  credentials: { token: TOKEN, secret: 'fake-webhook-secret' },
  people: [
    { address: PERSON, name: 'Ada Example' },
    {
      address: webexId('PEOPLE', 'a17e90f3-1c55-4a35-9c6e-0b8e3ab1c0de'),
      name: 'Grace Example',
    },
    { address: ROOM, name: 'Engines', isRoom: true },
  ],
  isRoom,
  magicAddress: (number) => `fault-${number}@sandbox.test`,

  recipientOf(request) {
    if (request.method !== 'POST' || request.path !== '/messages') return undefined;
    const fields = fieldsOf(request);
    const [address] = ADDRESSES.flatMap((name) => textMember(fields, name) ?? []);
    return address === undefined ? undefined : personOf(address);
  },

  async respond(request, phone) {
    const { method, path, headers, text } = request;
    if (headers['authorization'] !== `Bearer ${TOKEN}`) return unauthorized();
    const isForm = request.parts !== undefined;
    if (text !== '' && !isForm && headers['content-type'] !== 'application/json') {
      return webexError(415, 'SIMULATOR: content type');
    }
    const [, kind = '', id = ''] = /^\/([a-z/]{1,40})\/([\w-]{1,500})$/.exec(path) ?? [];
    const call = `${method} ${id === '' || path === '/people/me' ? path : `/${kind}/*`}`;
    switch (call) {
      case 'GET /people/me':
        return ok({ id: BOT, displayName: 'Example Bot', type: 'bot' });
      case 'POST /messages':
        return create(request, phone);
      case 'GET /messages/*':
        return read(id, headers['host'] ?? '', phone);
      case 'PUT /messages/*':
        return change(id, request, phone);
      case 'DELETE /messages/*':
        return remove(id, phone);
      case 'GET /contents/*':
        return fileReply(await phone.file(id)) ?? missing();
      case 'GET /rooms/*':
        return isRoom(id) ? ok(describeRoom(id)) : missing();
      case 'GET /attachment/actions/*':
        return action(id, phone);
      case 'GET /webhooks?max=100':
        return ok({ items: [] });
      case 'POST /webhooks':
        return subscribe(request);
      default:
        return missing();
    }
  },

  refusals: {
    blocked: () => webexError(403, 'The request is understood, but it has been refused.'),
    unknown: () => missing(),
    limited: (seconds) => webexError(429, 'Too many requests', { 'retry-after': String(seconds) }),
    credentials: () => unauthorized(),
  },

  reports: {
    message(written, context) {
      const id = writtenId(context.number, userIdOf(written.person.address));
      return { ...hook('messages', 'created', { id }, written, context), id, isFetched: true };
    },

    press({ message, button, ...actor }, context) {
      const { buttons = [] } = message.entry;
      const user = userIdOf(actor.person.address);
      const id = pressId(context.number, buttons.indexOf(button), user);
      const data = { id, messageId: message.vendorId, type: 'submit' };
      const request = hook('attachmentActions', 'created', data, actor, context);
      return { ...request, id, isFetched: true };
    },

    join: (actor, context) =>
      hook('memberships', 'created', membership(actor, context), actor, context),
    leave: (actor, context) =>
      hook('memberships', 'deleted', membership(actor, context), actor, context),
  },
};

async function create(request: Request, phone: Phone): Promise<Reply> {
  const fault = badContent(request);
  if (fault) return fault;
  const fields = fieldsOf(request);
  const given = ADDRESSES.flatMap((name) => textMember(fields, name) ?? []);
  const parentId = textMember(fields, 'parentId');
  if (given.length !== 1) return invalid('one of roomId, toPersonId and toPersonEmail');
  if (parentId !== undefined && !(await phone.find(parentId))) return invalid('parentId');
  const person = personOf(given[0] ?? '');
  const content = {
    ...(await contentOf(request, phone)),
    ...(parentId !== undefined && { thread: parentId }),
  };
  const { vendorId, createdAt } = await phone.show(person, content, (number) =>
    webexId('MESSAGE', `sent-${number}`),
  );
  return ok({
    id: vendorId,
    roomId: roomOf(person),
    roomType: isRoom(person) ? 'group' : 'direct',
    personId: BOT,
    created: new Date(createdAt).toISOString(),
  });
}

async function change(id: string, request: Request, phone: Phone): Promise<Reply> {
  const fault = badContent(request, ['roomId', 'text', 'markdown']);
  if (fault) return fault;
  const before = await phone.find(id);
  if (!before || before.author === 'person') return missing();
  const { media, buttons, thread } = before.entry;
  if (media || buttons) return invalid('editing messages with attachments is not supported');
  const { roomId } = fieldsOf(request);
  if (roomId !== roomOf(before.person)) return invalid('roomId');
  const content = await contentOf(request, phone);
  await phone.edit(before, { ...content, ...(thread !== undefined && { thread }) });
  return ok({ id, ...fieldsOf(request) });
}

async function remove(id: string, phone: Phone): Promise<Reply> {
  const before = await phone.find(id);
  if (!before) return missing();
  await phone.remove(before);
  return { status: 204 };
}

const describeRoom = (id: string) =>
  nameIn('ROOM', id)?.startsWith('direct-')
    ? { id, title: 'Ada Example', type: 'direct' }
    : { id, title: 'Engines', type: 'group' };

/** A message that a person wrote. */
async function read(id: string, host: string, phone: Phone): Promise<Reply> {
  const [entry, personId] = [await phone.find(id), writerIn(id)];
  if (!entry || personId === undefined) return missing();
  const base = SANDBOX_URL.endsWith(`//${host}`) ? `${SANDBOX_URL}/v1` : `http://${host}`;
  const { text, media = [], reply_to: parentId } = entry.entry;
  const files = media.map(({ file }) => `${base}/contents/${file}`);
  return ok({
    id,
    ...whereOf(entry),
    ...(text !== undefined && { text }),
    ...(files.length > 0 && { files }),
    personId,
    ...(personId === PERSON && { personEmail: EMAIL }),
    created: new Date(entry.createdAt).toISOString(),
    ...(parentId !== undefined && { parentId }),
  });
}

const whereOf = ({ person }: Pick<PhoneEntry, 'person'>) => ({
  roomId: roomOf(person),
  roomType: isRoom(person) ? 'group' : 'direct',
});

/** https://developer.webex.com/docs/api/v1/attachment-actions */
async function action(id: string, phone: Phone): Promise<Reply> {
  const [entry, pressed] = [await phone.find(id), pressIn(id)];
  const message = await phone.find(entry?.entry.reply_to ?? '');
  const { label, value } = message?.entry.buttons?.[pressed?.button ?? -1] ?? {};
  if (!entry || !pressed || !message || label === undefined) return missing();
  return ok({
    id,
    type: 'submit',
    personId: pressed.user,
    inputs: { name: label, value },
    messageId: message.vendorId,
    roomId: roomOf(entry.person),
    created: new Date(entry.createdAt).toISOString(),
  });
}

function subscribe(request: Request): Reply {
  const fields = fieldsOf(request);
  const names = ['name', 'targetUrl', 'resource', 'event', 'secret'];
  const fault = unknownField(fields, names);
  if (fault || names.some((name) => fields[name] === undefined)) return fault ?? invalid('field');
  const id = webexId('WEBHOOK', `${String(fields['resource'])}-${String(fields['event'])}`);
  return ok({ id, ...fields });
}

/** In a conversation with one person, it is the bot that joins. A person may join again, with another id. */
const membership = ({ person, room }: Actor, { number }: ReportContext) => ({
  id: webexId('MEMBERSHIP', String(number)),
  personId: room ? userIdOf(person.address) : BOT,
  personDisplayName: room ? person.name : 'Example Bot',
});

function hook(
  resource: string,
  event: string,
  data: { id: string; personId?: string },
  { person, room }: Actor,
  { credentials, url, now }: ReportContext,
): WebhookRequest {
  const user = userIdOf(person.address);
  const body = JSON.stringify({
    id: webexId('WEBHOOK', `${resource}-${event}`),
    name: `${resource} ${event}`,
    targetUrl: url,
    resource,
    event,
    orgId: webexId('ORGANIZATION', 'example'),
    createdBy: BOT,
    ownedBy: 'creator',
    status: 'active',
    created: new Date(now).toISOString(),
    actorId: user,
    data: {
      ...whereOf({ person: (room ?? person).address }),
      personId: user,
      created: new Date(now).toISOString(),
      ...data,
    },
  });
  const signature = createHmac('sha1', credentials.secret ?? '')
    .update(body)
    .digest('hex');
  const headers = { 'content-type': 'application/json', 'x-spark-signature': signature };
  return { headers, body };
}
