import { baseString, signature } from '../../../src/lib/crypto/oauth1.ts';
import { member, textMember } from '../../../src/lib/json/json-member.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { TwitterMedia } from './media.ts';
import { problem } from './problem.ts';

/*
 * The parts of X's direct message API that we use, at least as strict as documented.
 * https://docs.x.com/x-api/direct-messages/manage/integrate
 */
export const KEYS = {
  consumer_key: 'example-consumer-key',
  consumer_secret: 'fake-consumer-secret&%',
  token: '370773112-example-token',
  secret: 'fake-token-secret',
};
/** An OAuth 2.0 app with an expired access token. */
export const EXPIRED = 'fake-access-token-0';
export const REFRESH = 'fake-refresh-token-0';
export const CLIENT = { consumer_key: 'example-client', consumer_secret: 'fake-client-secret' };
export const PUBLIC_CLIENT = 'example-public-client';

/** The app-only token, which has no user. */
export const APP_TOKEN = 'fake-app-token';

export const PEOPLE = { friend: '2244994945', closed: '666', gone: '404' } as const;
/** An existing message to remove. */
export const EARLIER = '1582103724607971332';
export const FIRST = '1794700800000000001';

/** The result of the n-th refresh. */
export const renewed = (count: number) => ({
  token: `fake-access-token-${count}`,
  refresh: `fake-refresh-token-${count}`,
});

const unauthorized = () => problem(401, 'about:blank', 'Unauthorized');

export async function openTwitter(): Promise<HttpPeer & { media: TwitterMedia }> {
  const nonces = new Set<string>();
  const events = new Set([EARLIER]);
  const media = new TwitterMedia();
  let renewals = 0;
  let last = 1_794_700_800_000_000_000n;
  let origin = '';

  const token = (request: Request): Reply => {
    const { form = {}, headers } = request;
    const { grant_type, refresh_token, client_id, ...others } = form;
    const basic = `${CLIENT.consumer_key}:${CLIENT.consumer_secret}`;
    const isClient =
      headers['authorization'] === undefined
        ? client_id === PUBLIC_CLIENT
        : headers['authorization'] === `Basic ${Buffer.from(basic).toString('base64')}` &&
          client_id === undefined;
    if (!isClient) return { status: 401, body: { error: 'unauthorized_client' } };
    if (grant_type !== 'refresh_token' || Object.keys(others).length > 0) {
      return { status: 400, body: { error: 'unsupported_grant_type' } };
    }
    if (refresh_token !== `fake-refresh-token-${renewals}`) {
      const error_description = 'Value passed for the token was invalid.';
      return { status: 400, body: { error: 'invalid_request', error_description } };
    }
    const { token: access_token, refresh } = renewed(++renewals);
    return {
      status: 200,
      body: { token_type: 'bearer', expires_in: 7200, access_token, refresh_token: refresh },
    };
  };

  const isKnown = (request: Request): boolean => {
    const [scheme, ...rest] = (request.headers['authorization'] ?? '').split(' ');
    if (scheme === 'Bearer') return renewals > 0 && rest[0] === renewed(renewals).token;
    return scheme === 'OAuth' && isSigned(request, rest.join(' '), origin, nonces);
  };

  const send = ({ json, headers }: Request, person: string): Reply => {
    const fault = badMessage(json, headers['content-type'], media);
    if (fault) return fault;
    if (person === PEOPLE.closed) {
      return problem(403, 'about:blank', 'You cannot send messages to this user.');
    }
    if (person === PEOPLE.gone) return problem(404, 'resource-not-found', 'Could not find user');
    const dm_event_id = String(++last);
    events.add(dm_event_id);
    return { status: 201, body: { data: { dm_conversation_id: `1-${person}`, dm_event_id } } };
  };

  const hooks: { id: string; url: string; valid: true; created_at: string }[] = [];
  const appCall = (request: Request): Reply | undefined => {
    const { method, path, headers, text, json } = request;
    if (method === 'POST' && path === '/oauth2/token') {
      const pair = [KEYS.consumer_key, KEYS.consumer_secret].map(encodeURIComponent).join(':');
      const basic = `Basic ${Buffer.from(pair).toString('base64')}`;
      const isApp = headers['authorization'] === basic && text === 'grant_type=client_credentials';
      if (!isApp) return problem(403, 'client-forbidden', 'Unable to verify your credentials');
      return { status: 200, body: { token_type: 'bearer', access_token: APP_TOKEN } };
    }
    if (path !== '/2/webhooks') return undefined;
    if (headers['authorization'] !== `Bearer ${APP_TOKEN}`) return unauthorized();
    if (method === 'GET') return { status: 200, body: { data: hooks, meta: {} } };
    const url = textMember(json, 'url') ?? '';
    if (Object.keys(Object(json)).join() !== 'url' || !/^https:\/\/[^/:]+\//.test(url)) {
      return problem(400, 'invalid-request', 'CrcValidationFailed: not an address');
    }
    if (hooks.some((each) => each.url === url)) {
      return problem(400, 'invalid-request', 'DuplicateUrlFailed: Webhook URL already exists');
    }
    const hook = { id: '1146654567674912769', url, valid: true, created_at: '2025-02-03' } as const;
    hooks.push(hook);
    return { status: 200, body: { data: hook } };
  };

  const subscribe = (id: string): Reply => {
    if (!hooks.some((each) => each.id === id)) return problem(404, 'resource-not-found', 'No hook');
    if (subscribed.has(id)) return problem(409, 'invalid-request', 'Subscription already exists');
    subscribed.add(id);
    return { status: 200, body: { data: { subscribed: true } } };
  };
  const subscribed = new Set<string>();

  const peer = await openHttp((request) => {
    const { method, path } = request;
    if (method === 'POST' && path === '/2/oauth2/token') return token(request);
    const ofApp = appCall(request);
    if (ofApp) return ofApp;
    if (!isKnown(request)) return unauthorized();
    const ofMedia = media.answer(request);
    if (ofMedia) return ofMedia;
    const [, hook] =
      /^\/2\/account_activity\/webhooks\/(\d+)\/subscriptions\/all$/.exec(path) ?? [];
    if (method === 'POST' && hook !== undefined) return subscribe(hook);
    const [, person] = /^\/2\/dm_conversations\/with\/(\d{1,19})\/messages$/.exec(path) ?? [];
    if (method === 'POST' && person !== undefined) return send(request, person);
    const [, event = ''] = /^\/2\/dm_events\/(\d{1,19})$/.exec(path) ?? [];
    if (method === 'DELETE' && event !== '') {
      if (!events.delete(event)) return problem(404, 'resource-not-found', 'Could not find event');
      return { status: 200, body: { data: { deleted: true } } };
    }
    if (method === 'GET' && path === '/2/users/me') {
      return { status: 200, body: { data: { id: '1', name: 'Ada', username: 'ada' } } };
    }
    return problem(404, 'about:blank', `EMULATOR: ${method} ${path}`);
  });
  origin = peer.url;
  return Object.assign(peer, { media });
}

const FIELD = /^(\w+)="([^"]*)"$/;
const OAUTH = [
  'oauth_consumer_key',
  'oauth_nonce',
  'oauth_signature',
  'oauth_signature_method',
  'oauth_timestamp',
  'oauth_token',
  'oauth_version',
];

function isSigned(
  { method, path }: Request,
  header: string,
  origin: string,
  nonces: Set<string>,
): boolean {
  const fields = new Map(
    header.split(', ').map((field) => {
      const [, name = '', value = ''] = FIELD.exec(field) ?? [];
      return [name, decodeURIComponent(value)] as const;
    }),
  );
  if ([...fields.keys()].toSorted().join() !== OAUTH.join()) return false;
  const nonce = fields.get('oauth_nonce') ?? '';
  const isNew = /^[0-9A-Za-z]{8,}$/.test(nonce) && !nonces.has(nonce);
  nonces.add(nonce);
  const age = Math.abs(Date.now() / 1000 - Number(fields.get('oauth_timestamp')));
  const isOwn =
    fields.get('oauth_consumer_key') === KEYS.consumer_key &&
    fields.get('oauth_token') === KEYS.token;
  const rest = [...fields].filter(([name]) => name !== 'oauth_signature');
  const base = baseString(method, `${origin}${path}`, rest);
  const expected = signature(base, KEYS.consumer_secret, KEYS.secret);
  return isNew && age < 300 && isOwn && fields.get('oauth_signature') === expected;
}

function badMessage(
  json: unknown,
  type: string | undefined,
  media: TwitterMedia,
): Reply | undefined {
  if (type !== 'application/json') return problem(400, 'invalid-request', 'EMULATOR: no JSON');
  if (typeof json !== 'object' || json === null) {
    return problem(400, 'invalid-request', 'EMULATOR: no object');
  }
  const unknown = Object.keys(json).find((field) => field !== 'text' && field !== 'attachments');
  if (unknown !== undefined) return problem(400, 'invalid-request', `EMULATOR: ${unknown}`);
  const attachments = member(json, 'attachments');
  if (attachments !== undefined) {
    const [one, ...others] = Array.isArray(attachments) ? (attachments as unknown[]) : [];
    const isKnown = media.isReady(textMember(one, 'media_id') ?? '') && others.length === 0;
    if (!isKnown) return problem(400, 'invalid-request', 'EMULATOR: no such media');
    if (member(json, 'text') === undefined) return undefined;
  }
  const text = textMember(json, 'text') ?? '';
  if (typeof member(json, 'text') !== 'string' || text.trim() === '') {
    return problem(400, 'invalid-request', 'text must not be empty');
  }
  return text.length > 10_000 ? problem(400, 'invalid-request', 'text is too long') : undefined;
}
