import assert from 'node:assert/strict';

import { SignIn } from '../../../src/http/auth/sign-in.ts';
import { systemClock } from '../../../src/lib/runtime/clock.ts';
import type { User } from '../../../src/model/account.ts';
import type { Client, Reply } from './client.ts';
import type { TestService } from './service.ts';

/* Calls the console's routes like a browser: with a cookie, from a page of the service. */

/** A page of the service, not signed in. */
export function page(sb: TestService): Client {
  return sb.as(undefined).with({ origin: sb.url, 'content-type': 'application/json' });
}

/** The cookie that a response sets, as a browser sends it back; undefined if the response deletes it. */
export function cookieOf({ headers }: Reply): string | undefined {
  const [pair = ''] = (headers.get('set-cookie') ?? '').split(';');
  return pair.endsWith('=') || pair === '' ? undefined : pair;
}

/** Signs a user in with a link; returns the cookie as a header. */
export async function cookieFor(sb: TestService, user = sb.owner): Promise<{ cookie: string }> {
  const code = await new SignIn(sb.store, systemClock).createLink(user.id);
  const reply = await page(sb).post('/console/session', { code });
  assert.equal(reply.status, 201, reply.text);
  return { cookie: cookieOf(reply) ?? '' };
}

/** A page on which a user is signed in. */
export async function signedIn(sb: TestService, user?: User): Promise<Client> {
  return page(sb).with(await cookieFor(sb, user));
}

/** The token with which the console calls the API. */
export async function tokenOf(console: Client): Promise<string> {
  const { status, body } = await console.post('/console/token');
  assert.equal(status, 201);
  return String(body.token);
}
