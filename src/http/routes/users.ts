import Type from 'typebox';

import { hashPassword } from '../../lib/password.ts';
import { type User, type UserPrincipal, normaliseEmail } from '../../model/account.ts';
import { hidden, visible } from '../../model/audit.ts';
import { type Id, parseId } from '../../model/id.ts';
import { Problem, invalidFields } from '../../model/problem.ts';
import { Conflict } from '../../store/faults.ts';
import { aboutUser } from '../audit.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import { type Route, created, noContent, notFound, ok, pathId, userRoute } from '../route.ts';
import {
  DisplayName,
  Email,
  Id as IdField,
  Int64,
  Password,
  StateField,
  datedFields,
  listOf,
} from '../schemas.ts';
import type { Services } from '../services.ts';
import { userView } from '../views.ts';

export const UserSchema = Type.Object(
  {
    ...datedFields,
    team_id: IdField,
    name: Type.String({ examples: ['Ada Lovelace'] }),
    state: StateField,
  },
  { title: 'User' },
);

const Fields = Type.Object(
  {
    email: Email,
    state: StateField,
    name: Type.Optional(DisplayName),
    password: Type.Optional(Password),
    team_id: Type.Optional(Int64),
  },
  { title: 'UserFields' },
);

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
      tag,
      summary: 'Get own account',
      description: 'The account that the token speaks for, even when it is disabled.',
      evenDisabled: true,
      success: { status: 200, description: 'The user.', schema: UserSchema },
      async handle({ caller }) {
        return ok(userView(await ofTeam(caller, caller.userId)));
      },
    }),
    userRoute({
      method: 'GET',
      path: '/1/users',
      tag,
      summary: 'List users',
      description: "All users of the caller's team, the most recent first.",
      query: PAGING,
      success: { status: 200, description: 'A page of them.', schema: listOf(UserSchema) },
      async handle(call) {
        const page = await store.users.list(call.caller.teamId, pageRequest(call.query));
        return listAnswer(call, '/1/users', page, (item) => JSON.stringify(userView(item)));
      },
    }),
    userRoute({
      method: 'GET',
      path: '/1/users/:id',
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
      tag,
      summary: 'Add a user to the team',
      description:
        "Only the team's owner may. Without a password the user cannot sign in by one yet.",
      body: Fields,
      example: { email: 'ada@example.com', state: 'enable', name: 'Ada Lovelace' },
      success: { status: 201, description: 'The user.', schema: UserSchema },
      problems: ['not_team_owner', 'email_taken'],
      async handle(call) {
        const { caller, body } = call;
        if (!caller.ownsTeam)
          throw new Problem('not_team_owner', "only the team's owner adds users");
        checkTeam(caller, body.team_id);
        const now = clock.now();
        const user: User = {
          id: await store.nextId(),
          teamId: caller.teamId,
          name: body.name ?? nameFrom(body.email),
          email: normaliseEmail(body.email),
          password: body.password === undefined ? null : await hashPassword(body.password),
          state: body.state,
          createdAt: now,
          updatedAt: now,
        };
        const answer = created(`/1/users/${user.id}`, userView(user));
        const set = visible('email', null, user.email);
        const entry = await audit.entry(caller, 'user.created', aboutUser(user), set);
        await store.users.insert(user, call.once(answer), entry).catch(emailTaken);
        return answer;
      },
    }),
    userRoute({
      method: 'PUT',
      path: '/1/users/:id',
      tag,
      summary: 'Update an account',
      description:
        "Everyone may update themself; the team's owner may update everyone in it. A new password ends the user's other sign-ins.",
      body: Fields,
      example: { email: 'ada@example.com', state: 'enable', name: 'Ada Lovelace' },
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found', 'not_team_owner', 'email_taken'],
      async handle(call) {
        const { caller, body } = call;
        const user = await ofTeam(caller, pathId(call));
        if (user.id !== caller.userId && !caller.ownsTeam) {
          throw new Problem('not_team_owner', "only the team's owner updates other users");
        }
        checkTeam(caller, body.team_id);
        const change = {
          email: normaliseEmail(body.email),
          state: body.state,
          ...(body.name !== undefined && { name: body.name }),
          ...(body.password !== undefined && { password: await hashPassword(body.password) }),
          updatedAt: clock.now(),
        };
        const changes = [
          ...visible('name', user.name, body.name),
          ...visible('email', user.email, change.email),
          ...visible('state', user.state, body.state),
          ...hidden('password', body.password !== undefined),
        ];
        const entry = await audit.update(caller, 'user.updated', aboutUser(user), changes);
        await store.users.update(user.id, change, caller.keyId, entry).catch(emailTaken);
        tokens.forgetAll();
        return noContent;
      },
    }),
    userRoute({
      method: 'DELETE',
      path: '/1/users/:id',
      tag,
      summary: 'Remove a user from the team',
      description:
        "Only the team's owner may. Permanent: their sign-ins, keys and pending invitations end at once, their applications go to the owner, and their email address is free again.",
      success: { status: 204, description: 'Removed.' },
      problems: ['not_found', 'not_team_owner', 'owns_team'],
      async handle(call) {
        const { caller } = call;
        const user = await ofTeam(caller, pathId(call));
        if (!caller.ownsTeam)
          throw new Problem('not_team_owner', "only the team's owner removes users");
        if (user.id === caller.userId)
          throw new Problem('owns_team', 'hand the team over before you leave it');
        const set = visible('email', user.email, null);
        const entry = await audit.entry(caller, 'user.deleted', aboutUser(user), set);
        const there = await store.users.delete(user, caller.userId, clock.now(), entry);
        if (!there) throw gone();
        tokens.forgetAll();
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

export function emailTaken(error: unknown): never {
  if (!(error instanceof Conflict)) throw error;
  throw new Problem('email_taken', 'another user has this email address', {
    errors: [{ pointer: '/email', detail: 'is taken' }],
  });
}
