import { idOf } from '../../../src/sandbox/vendors/twitter/activities.ts';
import { KEYS, isSigned, nonceOf } from '../../../src/sandbox/vendors/twitter/oauth.ts';
import {
  answerApp,
  answerUser,
  twitter,
  unauthorized,
} from '../../../src/sandbox/vendors/twitter/simulator.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../server/http.ts';
import { MemoryPhone } from '../server/memory-phone.ts';
import { problem } from './problem.ts';

/* The simulator of X, with people that tests need, and with OAuth 2.0, whose tokens are used once. */
export { KEYS };
export { APP_TOKEN } from '../../../src/sandbox/vendors/twitter/simulator.ts';

/** An OAuth 2.0 app with an expired access token. */
export const EXPIRED = 'fake-access-token-0';
export const REFRESH = 'fake-refresh-token-0';
export const CLIENT = { consumer_key: 'example-client', consumer_secret: 'fake-client-secret' };
export const PUBLIC_CLIENT = 'example-public-client';

export const PEOPLE = { friend: '2244994945', closed: '666', gone: '404' } as const;
/** An existing message to remove. */
export const EARLIER = '1582103724607971332';
export const FIRST = idOf(1, new MemoryPhone().now());
export const FIRST_MEDIA = '1048577';

/** The result of the n-th refresh. */
export const renewed = (count: number) => ({
  token: `fake-access-token-${count}`,
  refresh: `fake-refresh-token-${count}`,
});

export async function openTwitter(): Promise<HttpPeer & { forgetMedia(): void }> {
  const phone = new MemoryPhone();
  phone.put(PEOPLE.friend, EARLIER, { text: 'Earlier' });
  const nonces = new Set<string>();
  let renewals = 0;

  const token = ({ form = {}, headers }: Request): Reply => {
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
    const [scheme, given] = (request.headers['authorization'] ?? '').split(' ');
    if (scheme === 'Bearer') return renewals > 0 && given === renewed(renewals).token;
    const nonce = nonceOf(request);
    const isNew = !nonces.has(nonce);
    nonces.add(nonce);
    return isNew && isSigned(request, Date.now());
  };

  const peer = await openHttp(async (request) => {
    if (request.method === 'POST' && request.path === '/2/oauth2/token') return token(request);
    const ofApp = await answerApp(request, phone);
    if (ofApp) return ofApp;
    if (!isKnown(request)) return unauthorized();
    return badRecipient(twitter.recipientOf(request)) ?? answerUser(request, phone);
  });
  return Object.assign(peer, { forgetMedia: () => phone.dropFiles() });
}

function badRecipient(person: string | undefined): Reply | undefined {
  if (person === PEOPLE.closed) {
    return problem(403, 'about:blank', 'You cannot send messages to this user.');
  }
  return person === PEOPLE.gone
    ? problem(404, 'resource-not-found', 'Could not find user')
    : undefined;
}
