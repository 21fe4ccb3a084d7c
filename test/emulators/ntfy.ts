import { member, textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, openHttp } from './server/http.ts';

/*
 * The parts of an ntfy server that we use, at least as strict as documented: requests that ntfy would silently
 * change or turn into an attachment are refused. https://docs.ntfy.sh/publish/
 */
export const TOKEN = 'tk_fakefakefakefakefakefakefake';
export const TOPIC = 'switchboard-alerts';
/** A topic that requires the token for writing. */
export const RESERVED = 'reserved';
export const FIRST = 'fakeId000001';

export const ntfyError = (code: number, error: string): Reply => {
  const http = Math.floor(code / 100);
  return { status: http, body: { code, http, error, link: 'https://ntfy.sh/docs/publish/' } };
};

const invalid = (what: string) => ntfyError(40_024, `EMULATOR: ${what}`);

const TYPES: Readonly<Record<string, string>> = {
  topic: 'string',
  title: 'string',
  message: 'string',
  markdown: 'boolean',
  attach: 'string',
  filename: 'string',
  actions: 'object',
  sequence_id: 'string',
  priority: 'number',
  tags: 'object',
  click: 'string',
  icon: 'string',
};

export async function openNtfy(): Promise<HttpPeer> {
  let last = 0;
  return openHttp(({ method, path, headers, json, text }) => {
    const { authorization } = headers;
    if (authorization !== undefined && authorization !== `Bearer ${TOKEN}`) {
      return ntfyError(40_101, 'unauthorized');
    }
    if (method === 'GET' && path === '/v1/account') {
      const username = authorization === undefined ? '*' : 'ada';
      return { status: 200, body: { username, role: 'user' } };
    }
    if (method === 'DELETE' && /^\/[\w-]{1,64}\/[\w-]{1,64}$/.test(path) && text === '') {
      return { status: 200, body: { id: `fakeId${++last}`, event: 'message_delete' } };
    }
    if (method !== 'POST' || path !== '/') return ntfyError(40_401, 'page not found');
    if (Buffer.byteLength(text) > 2 * 4096) return ntfyError(41_303, 'JSON body too large');
    const fault = badMessage(json);
    if (fault) return fault;
    const topic = textMember(json, 'topic') ?? '';
    if (topic === RESERVED && authorization === undefined) return ntfyError(40_301, 'forbidden');
    const sequence = textMember(json, 'sequence_id');
    return {
      status: 200,
      body: {
        id: `fakeId${String(++last).padStart(6, '0')}`,
        ...(sequence !== undefined && { sequence_id: sequence }),
        time: 1_794_700_800,
        event: 'message',
        topic,
        message: textMember(json, 'message') ?? 'triggered',
      },
    };
  });
}

function badMessage(json: unknown): Reply | undefined {
  if (typeof json !== 'object' || json === null) return ntfyError(40_017, 'must be message JSON');
  for (const [field, value] of Object.entries(json)) {
    if (TYPES[field] !== typeof value) return invalid(`${field} is ${typeof value}`);
  }
  if (!/^[-_A-Za-z0-9]{1,64}$/.test(textMember(json, 'topic') ?? '')) {
    return ntfyError(40_009, 'invalid request: topic invalid');
  }
  const message = textMember(json, 'message') ?? '';
  if (message === '') return invalid('readers would see "triggered"');
  // Version 2.27 answers like this to exactly 4,096 bytes; longer texts become attachments.
  if (Buffer.byteLength(message) === 4096) return ntfyError(50_001, 'internal server error');
  if (Buffer.byteLength(message) > 4096) return invalid('it would become an attachment');
  const attach = textMember(json, 'attach');
  if (attach !== undefined && !/^https?:\/\//.test(attach)) {
    return ntfyError(40_013, 'invalid request: attachment URL is invalid');
  }
  const [priority, tags] = [member(json, 'priority') ?? 3, member(json, 'tags') ?? []];
  if (![1, 2, 3, 4, 5].some((level) => level === priority)) {
    return ntfyError(40_007, 'invalid request: priority parameter must be between 1 and 5');
  }
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string' || tag === '')) {
    return invalid('tags');
  }
  for (const name of ['click', 'icon']) {
    if (!/^https?:\/\//.test(textMember(json, name) ?? 'https://')) return invalid(name);
  }
  const actions = member(json, 'actions') ?? [];
  const areFine =
    Array.isArray(actions) &&
    actions.length <= 3 &&
    actions.every(
      (each) =>
        Object.keys(Object(each)).toSorted().join() === 'action,label,url' &&
        textMember(each, 'action') === 'view' &&
        textMember(each, 'label') !== '' &&
        /^(?:https?|mailto):/.test(textMember(each, 'url') ?? ''),
    );
  return areFine ? undefined : ntfyError(40_018, 'invalid request: actions invalid');
}
