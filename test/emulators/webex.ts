import { parseJson } from '../../src/lib/json/parse-json.ts';
import { webexError } from '../../src/sandbox/vendors/team/webex-content.ts';
import {
  BOT,
  EMAIL,
  PERSON,
  ROOM,
  directRoomOf,
  webexId,
} from '../../src/sandbox/vendors/team/webex-ids.ts';
import { TOKEN, webex } from '../../src/sandbox/vendors/team/webex.ts';
import { fieldsIn } from '../../src/sandbox/wire/fields.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Webex, with the people, messages and pressed buttons that tests need, and smaller files. */
export { BOT, EMAIL, PERSON, ROOM, TOKEN, webexError, webexId };

export const DIRECT_ROOM = directRoomOf(PERSON);
/** Messages that were sent before. */
export const BEFORE = webexId('MESSAGE', 'before');
export const WITH_CARD = webexId('MESSAGE', 'with-card');
export const FIRST = webexId('MESSAGE', 'sent-1');

/** A pressed button, as the id of the action that the emulator returns for it. */
export const actionId = (inputs: object, press: number) =>
  webexId('ATTACHMENT_ACTION', `${press}-${Buffer.from(JSON.stringify(inputs)).toString('hex')}`);

const missing = () => webexError(404, 'The requested resource could not be found.');
const found = (body: object): Reply => ({ status: 200, body });

export const MAX_FILE_BYTES = 100_000;

/** `received` has further objects by their paths, such as messages from people. */
export async function openWebex(
  received: Readonly<Record<string, object>> = {},
): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  phone.put(ROOM, BEFORE, { text: 'before' });
  phone.put(ROOM, WITH_CARD, { text: 'before', buttons: [{ label: 'Yes' }] });
  const webhooks = new Map<string, object>();

  const special = async (request: Request): Promise<Reply | undefined> => {
    const { method, path, bytes } = request;
    const [, kind, id = ''] = /^\/([a-z/]+)\/([\w-]+)$/.exec(path) ?? [];
    if (method === 'GET' && received[path]) return found(received[path]);
    if (method === 'GET' && kind === 'attachment/actions') return submitted(id);
    if (method === 'GET' && kind === 'rooms' && id !== ROOM) return missing();
    if (method === 'GET' && path === '/webhooks?max=100') {
      return found({ items: [...webhooks.values()] });
    }
    if (method === 'DELETE' && kind === 'webhooks') {
      return webhooks.delete(id) ? { status: 204, body: '' } : missing();
    }
    if (method === 'POST' && path === '/webhooks') {
      const reply = await webex.respond(request, phone);
      const created = webexId('WEBHOOK', String(webhooks.size));
      if (reply.status !== 200) return reply;
      webhooks.set(created, { ...fieldsIn(reply.body), id: created });
      return found({ ...fieldsIn(reply.body), id: created });
    }
    const person = webex.recipientOf(request);
    if (person === undefined) return undefined;
    if (bytes.length > MAX_FILE_BYTES) return webexError(413, 'size');
    return [ROOM, PERSON].includes(person) ? undefined : missing();
  };

  return openHttp(async (request) => {
    const isAllowed = request.headers['authorization'] === `Bearer ${TOKEN}`;
    const own = isAllowed ? await special(request) : undefined;
    return own ?? webex.respond(request, phone);
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
