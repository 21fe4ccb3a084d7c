import { generateKeyPairSync } from 'node:crypto';

import { fakeKey } from '../../src/sandbox/vendors/team/fake-key.ts';
import {
  EMAIL,
  KEY_FILE,
  googleChat,
  googleError,
  vendorIdOf,
} from '../../src/sandbox/vendors/team/google-chat.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from './server/http.ts';
import { IssuedTokens } from './server/issued-tokens.ts';
import { MemoryPhone } from './server/memory-phone.ts';

/* The simulator of Google Chat, with one space, other keys for requests to apps, and tokens that can be revoked. */
export { EMAIL, KEY_FILE, googleError };

/** An access token that is valid from the beginning. */
export const TOKEN = 'fake-access-token';
export const WEBHOOK_QUERY = 'key=fake-key&token=fake-token';
export const PRIVATE_KEY = fakeKey.export({ type: 'pkcs8', format: 'pem' }).toString();

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

export interface GooglePeer extends HttpPeer {
  /** Revokes all issued tokens. */
  expire(): void;
}

export async function openGoogleChat(): Promise<GooglePeer> {
  const phone = new MemoryPhone(0, Date.now);
  phone.put(SPACE, vendorIdOf(SPACE, 'Before', 'Before'), { text: 'before' });
  const tokens = new IssuedTokens();
  tokens.add(TOKEN, `fake-token.${Date.now()}.0`);
  const peer = await openHttp(async (request) => {
    const { pathname } = new URL(request.path, 'http://localhost');
    if (pathname === '/certs') return { status: 200, body: { keys: [ISSUING_KEY] } };
    if (pathname === '/jwk') return { status: 200, body: { keys: [SIGNING_KEY] } };
    const reply = tokens.rename(await googleChat.respond(tokens.resolve(request), phone));
    return reply.status === 401 ? reply : (badSpace(request) ?? reply);
  });
  return Object.assign(peer, { expire: () => tokens.expire() });
}

function badSpace(request: Request): Reply | undefined {
  const [, space] = /^(?:\/v1)?\/(spaces\/[\w-]+)\/messages/.exec(request.path) ?? [];
  if (space === undefined || space === SPACE) return undefined;
  return space === 'spaces/foreign'
    ? googleError(403, 'PERMISSION_DENIED', 'This Chat app is not a member of this space.')
    : googleError(404, 'NOT_FOUND', 'Space not found.');
}
