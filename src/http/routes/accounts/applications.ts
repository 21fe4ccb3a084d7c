import { randomInt } from 'node:crypto';

import Type from 'typebox';

import type { UserPrincipal } from '../../../model/account.ts';
import { type Application, UNCERTAIN, generateName } from '../../../model/application.ts';
import { visible, visibleOrigin } from '../../../model/audit.ts';
import { type Id, parseId } from '../../../model/id.ts';
import { invalidFields } from '../../../model/problem.ts';
import { aboutApplication } from '../../audit.ts';
import {
  ApplicationName,
  Id as IdField,
  Int64,
  StateField,
  WebUrl,
  clearable,
  datedFields,
  listOf,
  nullable,
} from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import {
  type Parameter,
  type Route,
  applicationRoute,
  created,
  noContent,
  notFound,
  ok,
  pathId,
  userRoute,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { applicationView } from '../../views/views.ts';

export const ApplicationSchema = Type.Object(
  {
    ...datedFields,
    team_id: IdField,
    owner_id: IdField,
    name: Type.String({ examples: ['quiet-harbor-4711'] }),
    state: StateField,
    webhook_url: nullable(WebUrl),
  },
  { title: 'Application' },
);

const Creation = Type.Object(
  {
    team_id: Int64,
    owner_id: Int64,
    state: StateField,
    webhook_url: Type.Optional(nullable(WebUrl)),
    name: Type.Optional(nullable(ApplicationName)),
  },
  { title: 'NewApplication' },
);

const Change = Type.Object(
  {
    name: clearable(ApplicationName),
    state: Type.Optional(StateField),
    webhook_url: clearable(WebUrl),
  },
  { title: 'ApplicationChange' },
);

export const DeliverySchema = Type.Object(
  {
    uncertain: Type.Enum([...UNCERTAIN], {
      description:
        "Policy when the channel's answer was lost and the channel cannot detect duplicates: `resend` sends the message again (at least once), `hold` marks it `uncertain` for a person to decide (at most once).",
    }),
  },
  { title: 'Delivery' },
);

/** Names are not longer. */
const MAX_SEARCH_LENGTH = 200;

const SEARCH: Parameter = {
  name: 'search',
  description:
    'Only applications whose name contains this text, in upper or lower case, or whose id it is; `#17` is only an id.',
  schema: { type: 'string', maxLength: MAX_SEARCH_LENGTH },
};

const tag = 'Applications';
const gone = () => notFound('the application');

export function applicationRoutes(services: Services): Route[] {
  const { store, clock, tokens, outbound, delivery, audit } = services;
  /** The application, if it belongs to the caller's team. */
  async function ofTeam(caller: UserPrincipal, id: Id): Promise<Application> {
    const application = await store.applications.get(id);
    if (application?.teamId !== caller.teamId) throw gone();
    return application;
  }

  async function change(
    caller: UserPrincipal,
    id: Id,
    fields: Partial<Pick<Application, 'name' | 'state' | 'webhookUrl' | 'uncertain'>>,
  ): Promise<void> {
    const before = await ofTeam(caller, id);
    const changes = [
      ...visible('name', before.name, fields.name),
      ...visible('state', before.state, fields.state),
      ...visibleOrigin('webhook_url', before.webhookUrl, fields.webhookUrl),
      ...visible('uncertain', before.uncertain, fields.uncertain),
    ];
    const about = aboutApplication(before);
    const entry = await audit.update(caller, 'application.updated', about, changes);
    const changed = { ...fields, updatedAt: clock.now() };
    if (!(await store.applications.update(caller.teamId, id, changed, entry))) throw gone();
    tokens.forget(id);
    delivery.changedAll(id);
  }

  return [
    userRoute({
      method: 'POST',
      path: '/1/applications',
      operationId: 'createApplication',
      tag,
      summary: 'Create an application',
      description: 'Without a name, the service assigns one.',
      body: Creation,
      example: { team_id: 1, owner_id: 2, state: 'enable', name: 'order-updates' },
      success: { status: 201, description: 'The application.', schema: ApplicationSchema },
      async handle(call) {
        const { caller, body } = call;
        const ownerId = await checkOwner(store, caller, body);
        const now = clock.now();
        const application: Application = {
          id: await store.nextId(),
          teamId: caller.teamId,
          ownerId,
          name: body.name ?? generateName(randomInt),
          state: body.state,
          webhookUrl: body.webhook_url ?? null,
          uncertain: 'resend',
          createdAt: now,
          updatedAt: now,
        };
        const answer = created(`/1/applications/${application.id}`, applicationView(application));
        const about = aboutApplication(application);
        const entry = await audit.entry(caller, 'application.created', about);
        await store.applications.insert(application, call.once(answer), entry);
        return answer;
      },
    }),
    userRoute({
      method: 'GET',
      path: '/1/applications',
      operationId: 'listApplications',
      tag,
      summary: 'List applications',
      description: "The applications of the caller's team, newest first.",
      query: [SEARCH, ...PAGING],
      success: {
        status: 200,
        description: 'A page of applications.',
        schema: listOf(ApplicationSchema),
      },
      async handle(call) {
        const { caller, query } = call;
        const search = query['search']?.trim() ?? '';
        const page =
          search.length <= MAX_SEARCH_LENGTH
            ? await store.applications.list(caller.teamId, pageRequest(query), search)
            : { items: [], older: false, newer: false };
        return listAnswer(call, '/1/applications', page, (item) =>
          JSON.stringify(applicationView(item)),
        );
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/applications/me',
      operationId: 'getOwnApplication',
      tag,
      summary: 'Get own application',
      description: 'The application of the token, even when it is disabled.',
      evenDisabled: true,
      success: { status: 200, description: 'The application.', schema: ApplicationSchema },
      async handle({ caller }) {
        const application = await store.applications.get(caller.applicationId);
        if (!application) throw gone();
        return ok(applicationView(application));
      },
    }),
    userRoute({
      method: 'GET',
      path: '/1/applications/:id',
      operationId: 'getApplication',
      tag,
      summary: 'Get an application',
      success: { status: 200, description: 'The application.', schema: ApplicationSchema },
      problems: ['not_found'],
      async handle(call) {
        return ok(applicationView(await ofTeam(call.caller, pathId(call))));
      },
    }),
    userRoute({
      method: 'PUT',
      path: '/1/applications/:id',
      operationId: 'updateApplication',
      tag,
      summary: 'Update an application',
      description:
        'Omitted fields keep their values. Null or an empty string clears `webhook_url`, and assigns a new `name`.',
      body: Change,
      example: { name: 'order-updates', webhook_url: 'https://example.com/hooks/switchboard' },
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found'],
      async handle(call) {
        const { name, state, webhook_url } = call.body;
        await change(call.caller, pathId(call), {
          ...(name !== undefined && { name: name || generateName(randomInt) }),
          ...(state !== undefined && { state }),
          ...(webhook_url !== undefined && { webhookUrl: webhook_url || null }),
        });
        return noContent;
      },
    }),
    userRoute({
      method: 'DELETE',
      path: '/1/applications/:id',
      operationId: 'deleteApplication',
      tag,
      summary: 'Delete an application',
      description:
        'Permanent. Its keys and integrations are deleted at once, its messages shortly after. The id is never reused.',
      success: { status: 204, description: 'Deleted.' },
      problems: ['not_found'],
      async handle(call) {
        const { caller } = call;
        const application = await ofTeam(caller, pathId(call));
        const { id } = application;
        const about = aboutApplication(application);
        const entry = await audit.entry(caller, 'application.deleted', about);
        const isDeleted = await store.applications.delete(caller.teamId, id, clock.now(), entry);
        if (!isDeleted) throw gone();
        tokens.forget(id);
        outbound.forget(id);
        return noContent;
      },
    }),
    userRoute({
      method: 'GET',
      path: '/1/applications/:id/delivery',
      operationId: 'getDelivery',
      tag,
      summary: 'Get the delivery settings of an application',
      success: { status: 200, description: 'The delivery settings.', schema: DeliverySchema },
      problems: ['not_found'],
      async handle(call) {
        const { uncertain } = await ofTeam(call.caller, pathId(call));
        return ok({ uncertain });
      },
    }),
    userRoute({
      method: 'PUT',
      path: '/1/applications/:id/delivery',
      operationId: 'updateDelivery',
      tag,
      summary: 'Update the delivery settings of an application',
      body: DeliverySchema,
      example: { uncertain: 'hold' },
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found'],
      async handle(call) {
        await change(call.caller, pathId(call), { uncertain: call.body.uncertain });
        return noContent;
      },
    }),
    userRoute({
      method: 'DELETE',
      path: '/1/applications/:id/disable',
      operationId: 'disableApplication',
      tag,
      summary: 'Disable an application',
      description:
        'The application sends nothing until it is enabled again; queued messages wait. Nothing is lost.',
      success: { status: 204, description: 'Disabled, or already disabled.' },
      problems: ['not_found'],
      async handle(call) {
        await change(call.caller, pathId(call), { state: 'disable' });
        return noContent;
      },
    }),
  ];
}

/** Team and owner of a new application must be the caller's team and a user of it. */
async function checkOwner(
  store: Services['store'],
  caller: UserPrincipal,
  body: { team_id: unknown; owner_id: unknown },
): Promise<Id> {
  const ownerId = parseId(body.owner_id);
  const owner = ownerId ? await store.users.get(ownerId) : undefined;
  const errors = [];
  if (parseId(body.team_id) !== caller.teamId) {
    errors.push({ pointer: '/team_id', detail: 'must be your own team' });
  }
  if (!owner || owner.teamId !== caller.teamId) {
    errors.push({ pointer: '/owner_id', detail: 'must be a user of your team' });
  }
  if (!owner || errors.length > 0) throw invalidFields(...errors);
  return owner.id;
}
