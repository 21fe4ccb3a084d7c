import type { FastifyRequest } from 'fastify';

import type { Limiter } from '../../lib/runtime/limiter.ts';
import type { Principal } from '../../model/account.ts';
import { Problem } from '../../model/problem.ts';
import type { Route } from '../server/route.ts';
import { readCookie } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

/** Header with the application that a user acts for. */
const APPLICATION_HEADER = 'switchboard-application';

interface Authenticators {
  tokens: Tokens;
  sessions: Sessions;
  limiter: Limiter | undefined;
}

/** Returns the caller, or throws if they may not call this route. */
export function admit(
  request: FastifyRequest,
  route: Route,
  authenticators: Authenticators,
): Principal | Promise<Principal> {
  if (route.auth === 'session') return admitSession(request, authenticators);
  const found = authenticators.tokens.authenticate(bearerToken(request.headers.authorization));
  return found instanceof Promise
    ? found.then((caller) => admitCaller(caller, request, route, authenticators))
    : admitCaller(found, request, route, authenticators);
}

function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') {
    throw new Problem('token_missing', 'send the header Authorization: Bearer <token>', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  const token = header.slice('Bearer '.length).trim();
  if (/^Bearer /i.test(header) && token !== '' && !token.includes(' ')) return token;
  throw new Problem('token_invalid', 'the header must be Authorization: Bearer <token>', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}

async function admitSession(
  request: FastifyRequest,
  { sessions, limiter }: Authenticators,
): Promise<Principal> {
  const cookie = readCookie(request.headers.cookie, request.hostname);
  const caller = await sessions.authenticate(cookie);
  if (limiter) limit(limiter, caller);
  return caller;
}

function admitCaller(
  caller: Principal,
  request: FastifyRequest,
  route: Route,
  authenticators: Authenticators,
): Principal | Promise<Principal> {
  const application = request.headers[APPLICATION_HEADER];
  if (application === undefined || route.auth === 'user')
    return authorize(caller, route, authenticators);
  if (caller.kind === 'user')
    return admitActing(caller, String(application), route, authenticators);
  if (String(caller.applicationId) === application) return authorize(caller, route, authenticators);
  throw new Problem('not_found', 'the application does not exist or belongs to another team');
}

async function admitActing(
  user: Principal & { kind: 'user' },
  application: string,
  route: Route,
  authenticators: Authenticators,
): Promise<Principal> {
  if (user.state !== 'enable') throw disabled(user);
  return authorize(await authenticators.tokens.actFor(user, application), route, authenticators);
}

function authorize(caller: Principal, route: Route, { limiter }: Authenticators): Principal {
  if (route.auth !== 'either' && caller.kind !== route.auth) {
    throw new Problem(
      'wrong_token_kind',
      `this endpoint needs ${route.auth === 'user' ? 'a user' : 'an application'} token`,
    );
  }
  if (caller.state !== 'enable' && !route.evenDisabled) throw disabled(caller);
  if (limiter) limit(limiter, caller);
  return caller;
}

function disabled({ kind }: Principal): Problem {
  return kind === 'user'
    ? new Problem('user_disabled', 'the user of the token is disabled')
    : new Problem('application_disabled', 'the application of the token is disabled');
}

/** A user who acts for an application uses up their own limit. */
function limit(limiter: Limiter, caller: Principal): void {
  const isApplication = caller.kind === 'application' && caller.userId === undefined;
  const owner = isApplication ? `application:${caller.applicationId}` : `user:${caller.userId}`;
  const wait = limiter.take(owner);
  if (wait === 0) return;
  throw new Problem('rate_limited', 'this user or application exceeds its rate limit', {
    headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
  });
}
