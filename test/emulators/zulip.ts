import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * The parts of a Zulip server that we use, at least as strict as documented: content that Zulip would silently
 * ignore or cut off is refused. https://zulip.com/api/rest
 */
export const EMAIL = 'bot@example.org';
export const KEY = 'fake-key-of-a-bot';
/** An existing message, and the first new one: ids larger than a double can represent. */
export const BEFORE = '42';
export const FIRST = '9007199254740993';

export const zulipError = (
  msg: string,
  { status = 400, code = 'BAD_REQUEST' }: { status?: number; code?: string } = {},
  more: object = {},
): Reply => ({ status, body: { result: 'error', msg, code, ...more } });

export const limited = (header: string, more: object = {}): Reply => ({
  ...zulipError('API usage exceeded rate limit', { status: 429, code: 'RATE_LIMIT_HIT' }, more),
  headers: { 'retry-after': header },
});

const success = (body = ''): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: `{"result":"success","msg":""${body}}`,
});

const STREAMS = ['general', 'core team', '日本', '9'];
const USERS = [9, 10, 11];

/** An uploaded file and its temporary address. */
export const UPLOADED = '2/4e/fake/report.pdf';
export const TEMPORARY = '/user_uploads/temporary/fake-not-a-secret/report.pdf';

export async function openZulip(): Promise<HttpPeer> {
  let last = BigInt(FIRST) - 1n;
  const messages = new Set([BEFORE]);
  const files = new Set<string>();

  const send = (form: Readonly<Record<string, string>>): Reply => {
    const fields =
      form['type'] === 'stream' ? ['type', 'to', 'topic', 'content'] : ['type', 'to', 'content'];
    const fault = badFields(form, fields) ?? badRecipient(form) ?? badContent(form, files);
    if (fault) return fault;
    messages.add(String(++last));
    return success(`,"id":${last}`);
  };

  const upload = ({ parts = [] }: Request): Reply => {
    const [file, ...others] = parts;
    if (file?.filename === undefined || file.name !== 'filename' || others.length > 0) {
      return zulipError('You must specify a file to upload');
    }
    if (file.bytes.length > MAX_BYTES) {
      return zulipError('Uploaded file is larger than the allowed limit of 0.1 MiB');
    }
    const safe = file.filename
      .replaceAll(/[^\w\s.-]/g, '')
      .trim()
      .replaceAll(/\s+/g, '-');
    const url = `/user_uploads/2/fa/ke/${safe}`;
    files.add(url);
    return success(`,"uri":${JSON.stringify(url)},"url":${JSON.stringify(url)}`);
  };

  const change = ({ method, form }: Request, id: string): Reply => {
    if (!messages.has(id)) return zulipError('Invalid message(s)');
    if (method === 'DELETE' && form === undefined) {
      messages.delete(id);
      return success();
    }
    if (method !== 'PATCH' || !form) return zulipError('EMULATOR: method', { status: 405 });
    return badFields(form, ['content']) ?? badContent(form, files) ?? success();
  };

  return openHttp((request) => {
    const { method, path, headers, form } = request;
    const basic = Buffer.from(`${EMAIL}:${KEY}`).toString('base64');
    if (headers['authorization'] !== `Basic ${basic}`) {
      return zulipError('Invalid API key', { status: 401, code: 'INVALID_API_KEY' });
    }
    const [, id] = /^\/api\/v1\/messages\/(\d+)$/.exec(path) ?? [];
    if (id !== undefined) return change(request, id);
    if (method === 'GET' && path === '/api/v1/users/me') {
      return success(',"full_name":"Example Bot","email":"bot@example.org","user_id":5');
    }
    if (method === 'POST' && path === '/api/v1/user_uploads') return upload(request);
    if (method === 'GET' && path === `/api/v1/user_uploads/${UPLOADED}`) {
      return success(`,"url":"${TEMPORARY}"`);
    }
    if (method === 'POST' && path === '/api/v1/messages' && form) return send(form);
    return zulipError('EMULATOR: no such address', { status: 404 });
  });
}

function badFields(form: object, fields: readonly string[]): Reply | undefined {
  const unknown = Object.keys(form).find((field) => !fields.includes(field));
  if (unknown !== undefined) return zulipError(`EMULATOR: unsupported parameter ${unknown}`);
  const missing = fields.find((field) => !Object.hasOwn(form, field));
  const code = 'REQUEST_VARIABLE_MISSING';
  return missing === undefined ? undefined : zulipError(`Missing '${missing}' argument`, { code });
}

function badRecipient({ type, to = '', topic = '' }: Readonly<Record<string, string>>) {
  const scope: unknown = JSON.parse(to);
  if (type === 'stream') {
    if (typeof scope !== 'string') return zulipError('EMULATOR: to is no name');
    if (!STREAMS.includes(scope)) {
      const code = 'STREAM_DOES_NOT_EXIST';
      return zulipError(`Channel '${scope}' does not exist`, { code }, { stream: scope });
    }
    return topic.length > 60 ? zulipError('EMULATOR: the topic would be cut off') : undefined;
  }
  if (type !== 'direct') return zulipError('Invalid type', { code: 'REQUEST_VARIABLE_INVALID' });
  const users = Array.isArray(scope) ? scope : [];
  const unknown = users.find((user) => !USERS.includes(Number(user)));
  if (users.length === 0) return zulipError('Message must have recipients');
  return unknown === undefined ? undefined : zulipError(`Invalid user ID ${String(unknown)}`);
}

export const MAX_BYTES = 100_000;

/** A linked file must exist. */
function badContent(
  { content = '' }: Readonly<Record<string, string>>,
  files: ReadonlySet<string>,
): Reply | undefined {
  const [, url] = /\]\((\/user_uploads\/[^)]*)\)$/.exec(content) ?? [];
  if (url !== undefined && !files.has(url)) return zulipError('EMULATOR: no such file');
  if (content.trim() === '') return zulipError('Message must not be empty');
  if (content.includes('\0')) return zulipError('Message must not contain null bytes');
  return Array.from(content).length > 10_000
    ? zulipError('EMULATOR: the message would be cut off')
    : undefined;
}
