import { generateKeyPairSync, verify } from 'node:crypto';

import { member, textMember } from '../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';

/*
 * The parts of Google Chat and Google's token endpoint that we use, at least as strict as documented: fields that
 * Google would silently ignore are refused.
 * https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages
 */
export const EMAIL = 'example@project.iam.gserviceaccount.com';
export const TOKEN = 'fake-access-token';
export const WEBHOOK_QUERY = 'key=fake-key&token=fake-token';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** Generated for each run. */
export const PRIVATE_KEY = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
export const KEY_FILE = JSON.stringify({
  type: 'service_account',
  private_key: PRIVATE_KEY,
  client_email: EMAIL,
});

/** Google's key for requests to an app, other than the service account's key. */
const signing = generateKeyPairSync('rsa', { modulusLength: 2048 });
const SIGNING_KEY = {
  ...signing.publicKey.export({ format: 'jwk' }),
  kid: 'fake-key-1',
  use: 'sig',
};
export const SIGNER = {
  key: signing.privateKey,
  kid: SIGNING_KEY.kid,
  email: 'chat@system.gserviceaccount.com',
};

/** Google's key for ID tokens, sent to add-ons and to apps with the URL as audience. */
const issuing = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ISSUING_KEY = {
  ...issuing.publicKey.export({ format: 'jwk' }),
  kid: 'fake-key-2',
  use: 'sig',
};
export const ISSUER = {
  key: issuing.privateKey,
  kid: ISSUING_KEY.kid,
  iss: 'https://accounts.google.com',
};

export const SPACE = 'spaces/AAAAqWB1Abc';
export const EARLIER = `${SPACE}/messages/Before.Before`;

export const googleError = (code: number, status: string, message: string, more = {}): Reply => ({
  status: code,
  body: { error: { code, message, status, ...more } },
});

const invalid = (message: string) => googleError(400, 'INVALID_ARGUMENT', message);

export interface GooglePeer extends HttpPeer {
  /** Revokes all issued tokens. */
  expire(): void;
}

export async function openGoogleChat(): Promise<GooglePeer> {
  let last = 0;
  let issued = 0;
  const tokens = new Set([TOKEN]);
  const messages = new Set([EARLIER]);
  const claimed = new Map<string, Reply>();

  const create = (request: Request, query: URLSearchParams): Reply => {
    const fault = badMessage(request.json, ['text', 'markupSyntax', 'cardsV2', 'thread']);
    if (fault) return fault;
    if (Object.keys(request.json as object).length === 0)
      return invalid('Message cannot be empty.');
    const type = query.get('createMessageNotificationOptions.notificationType');
    if (type !== null && type !== 'NOTIFICATION_TYPE_SILENT') return invalid('notificationType');
    const id = query.get('requestId') ?? '';
    if (id === '') return invalid('EMULATOR: there is no requestId');
    const reply = query.get('messageReplyOption') === 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD';
    if (reply !== (member(request.json, 'thread') !== undefined)) {
      return invalid('EMULATOR: a thread, or an option for one, but not both');
    }
    const before = claimed.get(id);
    if (before) return before;
    const name = `${SPACE}/messages/T${++last}.M${last}`;
    messages.add(name);
    const thread = textMember(request.json, 'thread', 'name') ?? `${SPACE}/threads/T${last}`;
    const answer = ok({ name, thread: { name: thread } });
    claimed.set(id, answer);
    return answer;
  };

  const change = (name: string, request: Request, query: URLSearchParams): Reply => {
    if (!messages.has(name)) return googleError(404, 'NOT_FOUND', `Message ${name} not found.`);
    if (request.method === 'DELETE') {
      messages.delete(name);
      return ok({});
    }
    if (request.method !== 'PATCH') return googleError(405, 'UNIMPLEMENTED', 'no');
    if (query.get('updateMask') !== 'text,cardsV2') return invalid('Invalid update mask');
    return badMessage(request.json, ['text', 'markupSyntax', 'cardsV2']) ?? ok({ name });
  };

  const issue = ({ form }: Request): Reply => {
    if (form?.['grant_type'] !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
      return { status: 400, body: { error: 'unsupported_grant_type' } };
    }
    const fault = faultIn(form['assertion'] ?? '');
    if (fault !== undefined) {
      return { status: 400, body: { error: 'invalid_grant', error_description: fault } };
    }
    const access_token = `fake-token-${++issued}`;
    tokens.add(access_token);
    return ok({ access_token, expires_in: 3599, token_type: 'Bearer' });
  };

  const peer = await openHttp((request) => {
    const { pathname, searchParams: query } = new URL(request.path, 'http://localhost');
    if (pathname === '/token' && request.method === 'POST') return issue(request);
    if (pathname === '/jwk' && request.method === 'GET') return ok({ keys: [SIGNING_KEY] });
    if (pathname === '/certs' && request.method === 'GET') return ok({ keys: [ISSUING_KEY] });
    const isWebhook = pathname.startsWith('/v1/');
    const [, token = ''] = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '') ?? [];
    if (isWebhook ? query.get('key') !== 'fake-key' : !tokens.has(token)) {
      return isWebhook
        ? invalid('API key not valid. Please pass a valid API key.')
        : googleError(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
    }
    const path = pathname.replace(/^\/v1/, '').slice(1);
    if (path === 'spaces' && request.method === 'GET') return ok({});
    const [, space, message] = /^(spaces\/[\w-]+)\/messages(?:\/([\w.-]+))?$/.exec(path) ?? [];
    if (space === undefined) return { status: 404, body: '<html>' };
    if (space === 'spaces/foreign') {
      return googleError(403, 'PERMISSION_DENIED', 'This Chat app is not a member of this space.');
    }
    if (space !== SPACE) return googleError(404, 'NOT_FOUND', 'Space not found.');
    const type = request.headers['content-type'] ?? '';
    if (request.text !== '' && type !== 'application/json; charset=UTF-8') return invalid(type);
    if (message !== undefined && !isWebhook) return change(path, request, query);
    return request.method === 'POST'
      ? create(request, query)
      : googleError(405, 'UNIMPLEMENTED', '');
  });
  return Object.assign(peer, { expire: () => tokens.clear() });
}

const ok = (body: object): Reply => ({ status: 200, body });

/** The fault in an assertion, if any. */
function faultIn(assertion: string): string | undefined {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    keys.publicKey,
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) return 'Invalid JWT Signature.';
  const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
  const [issued, expires] = [Number(member(claims, 'iat')), Number(member(claims, 'exp'))];
  if (expires - issued > 3600 || Math.abs(issued - Date.now() / 1000) > 60) return 'Invalid JWT';
  if (textMember(claims, 'aud') !== 'https://oauth2.googleapis.com/token') return 'Invalid aud';
  if (textMember(claims, 'iss') !== EMAIL) return 'Invalid grant: account not found';
  const scope = textMember(claims, 'scope');
  return scope === 'https://www.googleapis.com/auth/chat.bot' ? undefined : 'Invalid scope';
}

function badMessage(json: unknown, fields: readonly string[]): Reply | undefined {
  if (typeof json !== 'object' || json === null) return invalid('Invalid JSON payload received.');
  const unknown = Object.keys(json).find((field) => !fields.includes(field));
  if (unknown !== undefined) return invalid(`Unknown name "${unknown}": Cannot find field.`);
  if (Buffer.byteLength(JSON.stringify(json)) > 32_000) return invalid('The message is too long.');
  const text = textMember(json, 'text') ?? '';
  if (text !== '' && textMember(json, 'markupSyntax') !== 'MARKUP_SYNTAX_MARKDOWN') {
    return invalid('EMULATOR: markup is not declared');
  }
  const cards = member(json, 'cardsV2') ?? [];
  if (text.trim() === '' && 'text' in json && Array.isArray(cards) && cards.length === 0) {
    return invalid('Message cannot be empty.');
  }
  return Array.isArray(cards) && cards.every(isCard) ? undefined : invalid('Invalid card');
}

function isCard(card: unknown): boolean {
  const widgets = member(card, 'card', 'sections', '0', 'widgets');
  if (!Array.isArray(widgets) || widgets.length === 0) return false;
  return widgets.every((widget) => {
    const url = textMember(widget, 'image', 'imageUrl');
    const buttons = member(widget, 'buttonList', 'buttons');
    if (url !== undefined) return url.startsWith('https://');
    return (
      Array.isArray(buttons) && buttons.every((each) => textMember(each, 'text') !== undefined)
    );
  });
}
