import Type from 'typebox';

import { timestamp } from '../../../model/timestamp.ts';
import { aboutKey } from '../../audit.ts';
import { EXAMPLE_LOGIN, Login } from '../../auth/sign-in.ts';
import type { MintedToken } from '../../auth/tokens.ts';
import { KeyLabel, Timestamp, nullable } from '../../openapi/schemas.ts';
import {
  type Answer,
  type Route,
  created,
  notFound,
  openRoute,
  pathId,
  userRoute,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';

export const TokenSchema = Type.Object(
  { token: Type.String(), expires_at: Timestamp },
  { title: 'Token' },
);

const Lifetime = Type.Object(
  {
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650, default: 30 })),
    label: Type.Optional(nullable(KeyLabel)),
  },
  { title: 'TokenLifetime' },
);

const DAY_SECONDS = 24 * 60 * 60;
const LOGIN_DAYS = 14;
const APPLICATION_DAYS = 30;

const tag = 'Tokens';

export function tokenRoutes({ store, tokens, signIn, audit }: Services): Route[] {
  return [
    openRoute({
      method: 'POST',
      path: '/1/tokens',
      operationId: 'signIn',
      tag,
      summary: 'Sign in',
      description:
        'Takes an email and password, or the code of a one-time link, and returns a user token with its own key. `Location` names the key; revoke it to sign out.',
      body: Login,
      example: EXAMPLE_LOGIN,
      success: { status: 201, description: 'A user token.', schema: TokenSchema },
      problems: ['login_failed', 'user_disabled', 'rate_limited'],
      async handle({ body, ip }) {
        const user = await signIn.authenticate(body, ip);
        const { id: userId, teamId } = user;
        const minted = await tokens.mint(
          'user',
          userId,
          teamId,
          'login',
          LOGIN_DAYS * DAY_SECONDS,
          {
            createdBy: userId,
            label: null,
          },
        );
        const actor = { kind: 'user', userId, teamId } as const;
        const entry = await audit.session(actor, 'session.started');
        await store.keys.insert(minted.key, undefined, entry);
        return tokenAnswer('users', minted);
      },
    }),
    userRoute({
      method: 'POST',
      path: '/1/applications/:id/tokens',
      operationId: 'createApplicationToken',
      tag,
      summary: 'Create an application token',
      description:
        'The token has its own key, named in `Location`; revoking the key revokes the token.',
      example: { days: 30, label: 'Billing server' },
      success: { status: 201, description: 'An application token.', schema: TokenSchema },
      problems: ['not_found'],
      body: Lifetime,
      bodyOptional: true,
      async handle(call) {
        const { caller, body } = call;
        const application = await store.applications.get(pathId(call));
        if (application?.teamId !== caller.teamId) throw notFound('the application');
        const seconds = (body?.days ?? APPLICATION_DAYS) * DAY_SECONDS;
        const minted = await tokens.mint(
          'application',
          application.id,
          caller.teamId,
          'minted',
          seconds,
          { createdBy: caller.userId, label: body?.label ?? null },
        );
        const answer = tokenAnswer('applications', minted);
        const entry = await audit.entry(caller, 'token.created', aboutKey(minted.key));
        await store.keys.insert(minted.key, call.once(answer), entry);
        return answer;
      },
    }),
  ];
}

function tokenAnswer(
  kind: 'users' | 'applications',
  { key, token, expiresAt }: MintedToken,
): Answer {
  return created(`/1/keys/${kind}/${key.id}`, { token, expires_at: timestamp(expiresAt) });
}
