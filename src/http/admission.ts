import type { FastifyRequest } from 'fastify';

import type { Limiter } from '../lib/limiter.ts';
import type { Principal } from '../model/account.ts';
import { Problem } from '../model/problem.ts';
import type { Route } from './route.ts';
import type { Tokens } from './tokens.ts';

/** Who calls, if they may call this route at all. */
export function admit(
  request: FastifyRequest,
  route: Route,
  tokens: Tokens,
  limiter: Limiter | undefined,
): Principal | Promise<Principal> {
  const found = tokens.authenticate(bearerToken(request.headers.authorization));
  return found instanceof Promise
    ? found.then((caller) => admitCaller(caller, route, limiter))
    : admitCaller(found, route, limiter);
}

function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') {
    throw new Problem('token_missing', 'the call needs the header Authorization: Bearer <token>', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }
  const token = header.slice('Bearer '.length).trim();
  if (/^Bearer /i.test(header) && token !== '' && !token.includes(' ')) return token;
  throw new Problem('token_invalid', 'the header Authorization must be: Bearer <token>', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}

function admitCaller(caller: Principal, route: Route, limiter: Limiter | undefined): Principal {
  if (caller.kind !== route.auth) {
    throw new Problem(
      'wrong_token_kind',
      `the call needs ${route.auth === 'user' ? 'a user' : 'an application'} token`,
    );
  }
  if (caller.state !== 'enable' && !route.evenDisabled) {
    throw caller.kind === 'user'
      ? new Problem('user_disabled', 'the user that the token speaks for is disabled')
      : new Problem(
          'application_disabled',
          'the application that the token speaks for is disabled',
        );
  }
  if (limiter) limit(limiter, caller);
  return caller;
}

function limit(limiter: Limiter, caller: Principal): void {
  const owner = caller.kind === 'user' ? caller.userId : caller.applicationId;
  const wait = limiter.take(`${caller.kind}:${owner}`);
  if (wait === 0) return;
  throw new Problem('rate_limited', 'this user or application asks more often than it may', {
    headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
  });
}
