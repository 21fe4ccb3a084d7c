import Type from 'typebox';

import { Problem } from '../../model/problem.ts';
import { type Route, noContent, notFound, ok, pathId, userRoute } from '../route.ts';
import { DisplayName, Id, datedFields } from '../schemas.ts';
import type { Services } from '../services.ts';
import { teamView } from '../views.ts';

const TeamSchema = Type.Object(
  { ...datedFields, name: Type.String({ examples: ['Analytical Engines'] }), owner_id: Id },
  { title: 'Team' },
);

const Change = Type.Object({ name: DisplayName }, { title: 'TeamChange' });

const tag = 'Teams';
const gone = () => notFound('the team');

export function teamRoutes({ store, clock }: Services): Route[] {
  return [
    userRoute({
      method: 'GET',
      path: '/1/teams/:id',
      tag,
      summary: 'Get the own team',
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
      tag,
      summary: 'Rename the own team',
      description: 'Only its owner may.',
      body: Change,
      example: { name: 'Analytical Engines' },
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found', 'not_team_owner'],
      async handle({ caller, body, params }) {
        if (pathId({ params }) !== caller.teamId) throw gone();
        if (!caller.ownsTeam)
          throw new Problem('not_team_owner', "only the team's owner renames it");
        await store.teams.update(caller.teamId, { name: body.name, updatedAt: clock.now() });
        return noContent;
      },
    }),
  ];
}
