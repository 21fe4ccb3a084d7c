import Type from 'typebox';

import { hashPassword } from '../../../lib/crypto/password.ts';
import { hidden, visible } from '../../../model/audit.ts';
import { Problem, invalidFields } from '../../../model/problem.ts';
import { aboutUser } from '../../audit.ts';
import { Password } from '../../openapi/schemas.ts';
import { type Route, noContent, sessionRoute } from '../../server/route.ts';
import type { Services } from '../../services.ts';

const Fields = Type.Object(
  {
    password: Password,
    old_password: Type.Optional(
      Type.String({ maxLength: 1024, description: 'Required if a password is set.' }),
    ),
    revoke_keys: Type.Optional(
      Type.Boolean({
        description: "Whether to revoke the user's own API keys and tokens too.",
      }),
    ),
  },
  { title: 'PasswordChange' },
);

/** A session alone cannot change the password: the user must enter the old one. */
export function passwordRoutes({ store, clock, tokens, audit, signIn }: Services): Route[] {
  return [
    sessionRoute({
      method: 'PUT',
      path: '/console/password',
      operationId: 'changeOwnPassword',
      tag: 'Console',
      summary: 'Change your password',
      description:
        "Needs the old password, if one is set; guesses are rate limited as at sign-in. Ends the user's other sign-ins.",
      body: Fields,
      example: { old_password: 'an old example password', password: 'a new example password' },
      success: { status: 204, description: 'Changed.' },
      problems: ['rate_limited'],
      async handle({ caller, body, ip }) {
        const user = await store.users.get(caller.userId);
        if (!user) throw new Problem('session_missing', 'the user was deleted');
        if (user.password !== null) {
          const old = body.old_password;
          if (old === undefined) {
            throw invalidFields({ pointer: '/old_password', detail: 'is required' });
          }
          await signIn.byPassword(user.email, old, ip).catch(wrongPassword);
        }
        const revokeKeys = body.revoke_keys ?? false;
        const changes = [
          ...hidden('password', true),
          ...(revokeKeys ? visible('keys', null, 'revoked') : []),
        ];
        const entry = await audit.entry(caller, 'user.updated', aboutUser(user), changes);
        const change = { password: await hashPassword(body.password), updatedAt: clock.now() };
        const keep = { keepLogin: caller.session.keyId, revokeKeys };
        await store.users.changePassword(user, change, keep, entry);
        tokens.forget(user.id);
        return noContent;
      },
    }),
  ];
}

/** The session is valid, so a 401 would be wrong. */
function wrongPassword(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'login_failed') throw error;
  throw invalidFields({ pointer: '/old_password', detail: 'is not the current password' });
}
