import { parseJson } from '../../src/lib/json/parse-json.ts';
import { EMAIL, KEY, limited, zulip, zulipError } from '../../src/sandbox/vendors/team/zulip.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Zulip, with the channels, people and files that tests need. */
export { EMAIL, KEY, limited, zulipError };

/** An existing message, and the first new one: ids larger than a double can represent. */
export const BEFORE = '42';
export const FIRST = '9007199254740993';

const STREAMS = ['general', 'core team', '日本', '9'];
const USERS = [9, 10, 11];
export const MAX_BYTES = 100_000;

/** An uploaded file and its temporary address. */
export const UPLOADED = '2/4e/fake/report.pdf';
export const TEMPORARY = '/user_uploads/temporary/fake-not-a-secret/report.pdf';

export async function openZulip(): Promise<HttpPeer> {
  const phone = new MemoryPhone();
  phone.put('general/greetings', BEFORE, { text: 'before' });
  return openHttp(async (request) => {
    const basic = Buffer.from(`${EMAIL}:${KEY}`).toString('base64');
    const isAllowed = request.headers['authorization'] === `Basic ${basic}`;
    return (isAllowed ? special(request) : undefined) ?? zulip.respond(request, phone);
  });
}

function special(request: Request): Reply | undefined {
  const { method, path, form = {}, bytes } = request;
  if (method === 'GET' && path === `/api/v1/user_uploads/${UPLOADED}`) {
    return { status: 200, body: { result: 'success', msg: '', url: TEMPORARY } };
  }
  if (path === '/api/v1/user_uploads' && bytes.length > MAX_BYTES) {
    return zulipError('Uploaded file is larger than the allowed limit of 0.1 MiB');
  }
  if (zulip.recipientOf(request) === undefined) return undefined;
  const scope = parseJson(form['to'] ?? '');
  if (typeof scope === 'string' && !STREAMS.includes(scope)) {
    const code = 'STREAM_DOES_NOT_EXIST';
    return zulipError(`Channel '${scope}' does not exist`, { code }, { stream: scope });
  }
  const unknown = Array.isArray(scope) && scope.find((user) => !USERS.includes(Number(user)));
  return unknown ? zulipError(`Invalid user ID ${String(unknown)}`) : undefined;
}
