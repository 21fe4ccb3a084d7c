import Type from 'typebox';

import { VERSION } from '../../../lib/runtime/version.ts';
import type { SessionPrincipal } from '../../../model/account.ts';
import { Problem } from '../../../model/problem.ts';
import { timestamp } from '../../../model/timestamp.ts';
import { cookieName, forgetCookie, readCookie, writeCookie } from '../../auth/session-cookie.ts';
import { EXAMPLE_LOGIN, Login } from '../../auth/sign-in.ts';
import { Id, Timestamp } from '../../openapi/schemas.ts';
import {
  type Answer,
  type Call,
  type Route,
  created,
  noContent,
  ok,
  openRoute,
  sessionRoute,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { TokenSchema } from './tokens.ts';

export const SessionSchema = Type.Object(
  {
    user: Type.Object({
      id: Id,
      name: Type.String(),
      email: Type.String(),
      team_id: Id,
      owns_team: Type.Boolean(),
      has_password: Type.Boolean({
        description: 'Whether the user can sign in again without another link.',
      }),
    }),
    team: Type.Object({ id: Id, name: Type.String() }),
    expires_at: Timestamp,
    version: Type.String({ description: 'Version of the service.' }),
    public_url: Type.String({ description: 'Public URL of the service.' }),
  },
  { title: 'Session' },
);

export const SetupSchema = Type.Object(
  {
    password_set: Type.Boolean({
      description: 'Whether any user has a password. If not, a sign-in link is the only way in.',
    }),
  },
  { title: 'Setup' },
);

const tag = 'Console';
const path = '/console/session';

const SIGN_IN_DESCRIPTION =
  'For the console in a browser: sets a cookie that scripts and other sites cannot use. Programs use `POST /1/tokens`.';

/** Console sign-in, and API tokens for its session. */
export function sessionRoutes({ store, signIn, sessions }: Services): Route[] {
  async function view({ userId, teamId, endsAt, ownsTeam }: SessionPrincipal, call: AnyCall) {
    const [user, team] = await Promise.all([store.users.get(userId), store.teams.get(teamId)]);
    if (!user || !team) throw new Problem('session_missing', 'the user was deleted');
    return {
      user: {
        id: user.id,
        name: user.name,
        email: user.email,
        team_id: teamId,
        owns_team: ownsTeam,
        has_password: user.password !== null,
      },
      team: { id: team.id, name: team.name },
      expires_at: timestamp(endsAt),
      version: VERSION,
      public_url: call.baseUrl(),
    };
  }

  // A password is never removed, so the store is queried only until one is set.
  let passwordSet = false;

  return [
    openRoute({
      method: 'GET',
      path: '/console/setup',
      operationId: 'getSetup',
      tag,
      summary: 'Get the setup state',
      description:
        'For the sign-in page, which says where the sign-in link is until a password is set.',
      success: { status: 200, description: 'The setup state.', schema: SetupSchema },
      async handle() {
        passwordSet ||= await store.users.anyPassword();
        return withoutCaching(ok({ password_set: passwordSet }));
      },
    }),
    openRoute({
      method: 'POST',
      path,
      operationId: 'startSession',
      tag,
      summary: 'Sign in to the console',
      description: SIGN_IN_DESCRIPTION,
      sameOrigin: true,
      body: Login,
      example: EXAMPLE_LOGIN,
      success: {
        status: 201,
        description: 'The session.',
        schema: SessionSchema,
        headers: ['Set-Cookie'],
      },
      problems: ['login_failed', 'user_disabled', 'rate_limited', 'https_needed'],
      async handle(call) {
        // Checked first: if no cookie can be set, the link must stay unused.
        const name = cookieName(call.origin());
        const user = await signIn.authenticate(call.body, call.ip);
        const previous = readCookie(call.headers.cookie, call.origin().hostname);
        const { principal, cookie, seconds } = await sessions.begin(user, previous);
        const answer = created(path, await view(principal, call));
        return withCookie(answer, writeCookie(name, cookie, seconds));
      },
    }),
    sessionRoute({
      method: 'GET',
      path,
      operationId: 'getSession',
      tag,
      summary: 'Get the console session',
      success: { status: 200, description: 'The session.', schema: SessionSchema },
      async handle(call) {
        return withoutCaching(ok(await view(call.caller, call)));
      },
    }),
    sessionRoute({
      method: 'DELETE',
      path,
      operationId: 'endSession',
      tag,
      summary: 'Sign out of the console',
      success: {
        status: 204,
        description: 'Signed out; tokens of the session stop working too.',
        headers: ['Set-Cookie'],
      },
      problems: ['https_needed'],
      async handle(call) {
        await sessions.end(call.caller);
        return withCookie(noContent, forgetCookie(cookieName(call.origin())));
      },
    }),
    sessionRoute({
      method: 'DELETE',
      path: '/console/sessions',
      operationId: 'endSessions',
      tag,
      summary: 'Sign out everywhere',
      description: 'Ends all sessions of the user, and all tokens issued for a password.',
      success: {
        status: 204,
        description: 'Signed out, including this session.',
        headers: ['Set-Cookie'],
      },
      problems: ['https_needed'],
      async handle(call) {
        await sessions.endAll(call.caller);
        return withCookie(noContent, forgetCookie(cookieName(call.origin())));
      },
    }),
    sessionRoute({
      method: 'POST',
      path: '/console/token',
      operationId: 'createSessionToken',
      tag,
      summary: 'Get an API token for the session',
      description:
        'A user token, valid for five minutes; keep it in memory. It stops working with the session.',
      success: { status: 201, description: 'A user token.', schema: TokenSchema },
      async handle(call) {
        const { token, expiresAt } = await sessions.token(call.caller);
        const body = { token, expires_at: timestamp(expiresAt) };
        return withoutCaching(created(path, body));
      },
    }),
  ];
}

type AnyCall = Call<unknown, unknown>;

function withoutCaching(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store' } };
}

function withCookie(answer: Answer, cookie: string): Answer {
  const uncached = withoutCaching(answer);
  return { ...uncached, headers: { ...uncached.headers, 'set-cookie': cookie } };
}
