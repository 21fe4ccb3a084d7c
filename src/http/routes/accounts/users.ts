import Type from 'typebox';

import { hashPassword } from '../../../lib/crypto/password.ts';
import { type User, type UserPrincipal, normalizeEmail } from '../../../model/account.ts';
import { hidden, visible } from '../../../model/audit.ts';
import { type Id, parseId } from '../../../model/id.ts';
import { Problem, invalidFields } from '../../../model/problem.ts';
import { Conflict, OwnsTeam } from '../../../store/faults.ts';
import { aboutUser } from '../../audit.ts';
import {
  DisplayName,
  Email,
  Id as IdField,
  Int64,
  Password,
  StateField,
  datedFields,
  clearable,
  listOf,
  nullable,
} from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import {
  type Parameter,
  type Route,
  created,
  noContent,
  notFound,
  ok,
  pathId,
  userRoute,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { userView } from '../../views/views.ts';

export const UserSchema = Type.Object(
  {
    ...datedFields,
    team_id: IdField,
    name: Type.String({ examples: ['Ada Lovelace'] }),
    state: StateField,
  },
  { title: 'User' },
);

const Creation = Type.Object(
  {
    email: Email,
    state: StateField,
    name: Type.Optional(nullable(DisplayName)),
    password: Type.Optional(nullable(Password)),
    team_id: Type.Optional(Int64),
  },
  { title: 'NewUser' },
);

const Change = Type.Object(
  {
    email: Email,
    state: StateField,
    name: clearable(DisplayName),
    password: Type.Optional(Password),
    team_id: Type.Optional(Int64),
  },
  { title: 'UserChange' },
);

const REVOKE_KEYS: Parameter = {
  name: 'revoke_keys',
  description: 'With `true`, also revokes all keys and tokens the user created.',
  schema: { type: 'string', enum: ['true', 'false'] },
};

const tag = 'Users';
const gone = () => notFound('the user');

export function userRoutes({ store, clock, tokens, audit }: Services): Route[] {
  async function ofTeam(caller: UserPrincipal, id: Id): Promise<User> {
    const user = await store.users.get(id);
    if (user?.teamId !== caller.teamId) throw gone();
    return user;
  }

  return [
    userRoute({
      method: 'GET',
      path: '/1/users/me',
      operationId: 'getOwnUser',
      tag,
      summary: 'Get own account',
      description: 'The account of the token, even when it is disabled.',
      evenDisabled: true,
      success: { status: 200, description: 'The user.', schema: UserSchema },
      async handle({ caller }) {
        return ok(userView(await ofTeam(caller, caller.userId)));
      },
    }),
    userRoute({
      method: 'GET',
      path: '/1/users',
      operationId: 'listUsers',
      tag,
      summary: 'List users',
      description: "All users of the caller's team, newest first.",
      query: PAGING,
      success: { status: 200, description: 'A page of users.', schema: listOf(UserSchema) },
      async handle(call) {
        const page = await store.users.list(call.caller.teamId, pageRequest(call.query));
        return listAnswer(call, '/1/users', page, (item) => JSON.stringify(userView(item)));
      },
    }),
    userRoute({
      method: 'GET',
      path: '/1/users/:id',
      operationId: 'getUser',
      tag,
      summary: 'Get a user',
      success: { status: 200, description: 'The user.', schema: UserSchema },
      problems: ['not_found'],
      async handle(call) {
        return ok(userView(await ofTeam(call.caller, pathId(call))));
      },
    }),
    userRoute({
      method: 'POST',
      path: '/1/users',
      operationId: 'createUser',
      tag,
      summary: 'Add a user to the team',
      description:
        'Requires the team owner. A user without a password cannot sign in with one yet.',
      body: Creation,
      example: { email: 'ada@example.com', state: 'enable', name: 'Ada Lovelace' },
      success: { status: 201, description: 'The user.', schema: UserSchema },
      problems: ['not_team_owner', 'email_taken'],
      async handle(call) {
        const { caller, body } = call;
        if (!caller.ownsTeam)
          throw new Problem('not_team_owner', 'only the team owner can add users');
        checkTeam(caller, body.team_id);
        const now = clock.now();
        const user: User = {
          id: await store.nextId(),
          teamId: caller.teamId,
          name: body.name ?? nameFrom(body.email),
          email: normalizeEmail(body.email),
          password: typeof body.password === 'string' ? await hashPassword(body.password) : null,
          state: body.state,
          createdAt: now,
          updatedAt: now,
        };
        const answer = created(`/1/users/${user.id}`, userView(user));
        const changes = visible('email', null, user.email);
        const entry = await audit.entry(caller, 'user.created', aboutUser(user), changes);
        await store.users.insert(user, call.once(answer), entry).catch(emailTaken);
        return answer;
      },
    }),
    userRoute({
      method: 'PUT',
      path: '/1/users/:id',
      operationId: 'updateUser',
      tag,
      summary: 'Update an account',
      description:
        "Users may update themselves; the team owner may update everyone. A null or empty name is derived from the email. A new password ends the user's other sign-ins. The owner cannot be disabled before the team is transferred.",
      body: Change,
      example: { email: 'ada@example.com', state: 'enable', name: 'Ada Lovelace' },
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found', 'not_team_owner', 'email_taken', 'owns_team'],
      async handle(call) {
        const { caller, body } = call;
        const user = await ofTeam(caller, pathId(call));
        if (user.id !== caller.userId && !caller.ownsTeam) {
          throw new Problem('not_team_owner', 'only the team owner can update other users');
        }
        checkTeam(caller, body.team_id);
        const name = body.name === undefined ? undefined : body.name || nameFrom(body.email);
        const change = {
          email: normalizeEmail(body.email),
          state: body.state,
          ...(name !== undefined && { name }),
          ...(body.password !== undefined && { password: await hashPassword(body.password) }),
          updatedAt: clock.now(),
        };
        const changes = [
          ...visible('name', user.name, name),
          ...visible('email', user.email, change.email),
          ...visible('state', user.state, body.state),
          ...hidden('password', body.password !== undefined),
        ];
        const entry = await audit.update(caller, 'user.updated', aboutUser(user), changes);
        await store.users
          .updateMember(user, change, caller.keyId, entry)
          .catch(ownsTeam)
          .catch(emailTaken);
        tokens.forget(user.id);
        return noContent;
      },
    }),
    userRoute({
      method: 'DELETE',
      path: '/1/users/:id',
      operationId: 'deleteUser',
      tag,
      summary: 'Remove a user from the team',
      description:
        "Requires the team owner. Permanent: the user's sign-ins, keys and pending invitations end at once, the owner takes over their applications, and their email address is free again. Keys and tokens that they created for applications and for other users keep working unless `revoke_keys` is set; `GET /1/keys/applications?created_by={id}` lists them.",
      query: [REVOKE_KEYS],
      success: { status: 204, description: 'Removed.' },
      problems: ['not_found', 'not_team_owner', 'owns_team'],
      async handle(call) {
        const { caller } = call;
        const user = await ofTeam(caller, pathId(call));
        if (!caller.ownsTeam)
          throw new Problem('not_team_owner', 'only the team owner can remove users');
        const revokeKeys = call.query['revoke_keys'] === 'true';
        const changes = [
          ...visible('email', user.email, null),
          ...(revokeKeys ? visible('keys', null, 'revoked') : []),
        ];
        const entry = await audit.entry(caller, 'user.deleted', aboutUser(user), changes);
        const options = { ownerId: caller.userId, revokeKeys };
        const isDeleted = await store.users
          .delete(user, options, clock.now(), entry)
          .catch(ownsTeam);
        if (!isDeleted) throw gone();
        tokens.forget(user.id, ...(revokeKeys ? [user.teamId] : []));
        return noContent;
      },
    }),
  ];
}

function checkTeam(caller: UserPrincipal, teamId: unknown): void {
  if (teamId === undefined || parseId(teamId) === caller.teamId) return;
  throw invalidFields({ pointer: '/team_id', detail: "must be the user's own team" });
}

const nameFrom = (email: string): string => email.slice(0, email.indexOf('@'));

function ownsTeam(error: unknown): never {
  if (!(error instanceof OwnsTeam)) throw error;
  throw new Problem('owns_team', 'transfer the team first');
}

export function emailTaken(error: unknown): never {
  if (!(error instanceof Conflict)) throw error;
  throw new Problem('email_taken', 'another user has this email address', {
    errors: [{ pointer: '/email', detail: 'is already in use' }],
  });
}
