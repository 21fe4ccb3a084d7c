import Type from 'typebox';

import { visible } from '../../../model/audit.ts';
import { type Id, NO_ID, parseId } from '../../../model/id.ts';
import { Problem, invalidFields } from '../../../model/problem.ts';
import { Conflict } from '../../../store/faults.ts';
import {
  DisplayName,
  Id as IdField,
  Int64,
  StateField,
  Timestamp,
  datedFields,
  listOf,
  nullable,
} from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import { type Route, noContent, notFound, ok, pathId, userRoute } from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { memberView, teamView } from '../../views/views.ts';

const TeamSchema = Type.Object(
  { ...datedFields, name: Type.String({ examples: ['Analytical Engines'] }), owner_id: IdField },
  { title: 'Team' },
);

const Change = Type.Object(
  { name: Type.Optional(DisplayName), owner_id: Type.Optional(Int64) },
  { title: 'TeamChange' },
);

export const MemberSchema = Type.Object(
  {
    ...datedFields,
    name: Type.String({ examples: ['Ada Lovelace'] }),
    email: Type.String({ examples: ['ada@example.com'] }),
    state: StateField,
    role: Type.Enum(['owner', 'member']),
    last_seen_at: nullable(Timestamp),
  },
  { title: 'Member' },
);

const tag = 'Teams';
const gone = () => notFound('the team');
const wrongOwner = () =>
  invalidFields({ pointer: '/owner_id', detail: 'must be an enabled user of the team' });

export function teamRoutes({ store, clock, tokens, audit }: Services): Route[] {
  /** The new owner: an enabled user of the team. */
  async function newOwner(teamId: Id, given: unknown): Promise<Id> {
    const user = await store.users.get(parseId(given) ?? NO_ID);
    if (user?.teamId === teamId && user.state === 'enable') return user.id;
    throw wrongOwner();
  }

  return [
    userRoute({
      method: 'GET',
      path: '/1/teams/:id',
      operationId: 'getTeam',
      tag,
      summary: 'Get your team',
      success: { status: 200, description: 'The team.', schema: TeamSchema },
      problems: ['not_found'],
      async handle(call) {
        const team =
          pathId(call) === call.caller.teamId && (await store.teams.get(call.caller.teamId));
        if (!team) throw gone();
        return ok(teamView(team));
      },
    }),
    userRoute({
      method: 'PUT',
      path: '/1/teams/:id',
      operationId: 'updateTeam',
      tag,
      summary: 'Rename or transfer your team',
      description: 'Requires the team owner. `owner_id` names the new owner, a user of the team.',
      body: Change,
      example: { name: 'Analytical Engines' },
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found', 'not_team_owner'],
      async handle({ caller, body, params }) {
        if (pathId({ params }) !== caller.teamId) throw gone();
        if (!caller.ownsTeam)
          throw new Problem('not_team_owner', 'only the team owner can change it');
        const { name, owner_id } = body;
        if (name === undefined && owner_id === undefined) {
          throw invalidFields({
            pointer: '/name',
            detail: 'is required, unless owner_id is given',
          });
        }
        const { teamId: id } = caller;
        const team = await store.teams.get(id);
        if (!team) throw gone();
        const ownerId = owner_id === undefined ? team.ownerId : await newOwner(id, owner_id);
        const changes = [
          ...visible('name', team.name, name),
          ...visible('owner_id', String(team.ownerId), String(ownerId)),
        ];
        const subject = { type: 'team', id, name: team.name } as const;
        const entry = await audit.update(caller, 'team.updated', subject, changes);
        const change = { name: name ?? team.name, ownerId, updatedAt: clock.now() };
        await store.teams.update(id, change, entry).catch((error: unknown) => {
          throw error instanceof Conflict ? wrongOwner() : error;
        });
        tokens.forget(id);
        return noContent;
      },
    }),
    userRoute({
      method: 'GET',
      path: '/1/teams/:id/members',
      operationId: 'listTeamMembers',
      tag,
      summary: 'List the members of your team',
      description: 'Users with their email addresses and roles, newest first.',
      query: PAGING,
      success: { status: 200, description: 'A page of members.', schema: listOf(MemberSchema) },
      problems: ['not_found'],
      async handle(call) {
        const { teamId } = call.caller;
        const team = pathId(call) === teamId && (await store.teams.get(teamId));
        if (!team) throw gone();
        const page = await store.users.list(teamId, pageRequest(call.query));
        const seen = await store.keys.lastUses(page.items.map(({ id }) => id));
        return listAnswer(call, `/1/teams/${teamId}/members`, page, (user) =>
          JSON.stringify(memberView(user, team, seen.get(user.id))),
        );
      },
    }),
  ];
}
