import assert from 'node:assert/strict';

import { SignIn } from '../../src/http/sign-in.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { User } from '../../src/model/account.ts';
import type { Client, Reply } from './client.ts';
import type { TestService } from './service.ts';

/* The console as a browser uses it: with a cookie, from a page of its own. */

/** A page of the service, of which nobody knows yet who looks at it. */
export function page(sb: TestService): Client {
  return sb.as(undefined).with({ origin: sb.url, 'content-type': 'application/json' });
}

/** The cookie that an answer sets, as a browser sends it back; undefined when it is to be forgotten. */
export function cookieOf({ headers }: Reply): string | undefined {
  const [pair = ''] = (headers.get('set-cookie') ?? '').split(';');
  return pair.endsWith('=') || pair === '' ? undefined : pair;
}

/** Signs a user in by a link; answers the cookie as a header. */
export async function cookieFor(sb: TestService, user = sb.owner): Promise<{ cookie: string }> {
  const code = await new SignIn(sb.store, systemClock).createLink(user.id);
  const reply = await page(sb).post('/console/session', { code });
  assert.equal(reply.status, 201, reply.text);
  return { cookie: cookieOf(reply) ?? '' };
}

/** The page once a user has signed in there. */
export async function signedIn(sb: TestService, user?: User): Promise<Client> {
  return page(sb).with(await cookieFor(sb, user));
}

/** What the console calls the interface with. */
export async function tokenOf(console: Client): Promise<string> {
  const { status, body } = await console.post('/console/token');
  assert.equal(status, 201);
  return String(body.token);
}
