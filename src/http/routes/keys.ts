import Type from 'typebox';

import type { Key, KeyKind, UserPrincipal } from '../../model/account.ts';
import { visible } from '../../model/audit.ts';
import { type Id, NO_ID, parseId } from '../../model/id.ts';
import { Problem, invalidFields } from '../../model/problem.ts';
import { aboutKey } from '../audit.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import { type Route, created, noContent, notFound, ok, pathId, userRoute } from '../route.ts';
import {
  Id as IdField,
  Int64,
  KeyLabel,
  StateField,
  Timestamp,
  datedFields,
  listOf,
  nullable,
} from '../schemas.ts';
import type { Services } from '../services.ts';
import { generateSecret } from '../tokens.ts';
import { keyView } from '../views.ts';

export const KeySchema = Type.Object(
  {
    ...datedFields,
    resource_id: IdField,
    state: StateField,
    purpose: Type.Enum(['api', 'login', 'minted'], {
      description:
        '`api` signs tokens by its secret, `login` came with a sign-in, `minted` belongs to one token.',
    }),
    label: nullable(Type.String({ description: 'What it is for.' })),
    created_by: nullable({
      ...IdField,
      description: 'The user who made it; null for the operator of the service.',
    }),
    last_used_at: nullable(Timestamp),
    expires_at: nullable(Timestamp),
  },
  { title: 'Key' },
);

export const NewKeySchema = Type.Object(
  {
    ...KeySchema.properties,
    secret: Type.String({
      description: 'Signs tokens, as the bytes of this string. Shown this once.',
    }),
  },
  { title: 'NewKey' },
);

const Creation = Type.Object(
  { resource_id: Int64, state: StateField, label: Type.Optional(KeyLabel) },
  { title: 'KeyFields' },
);

const tag = 'Keys';
const gone = () => notFound('the key');

const RESOURCE_FILTER = {
  name: 'resource_id',
  description: 'Only the keys of this one.',
  schema: { type: 'integer', format: 'int64' },
};

const CREATOR_FILTER = {
  name: 'created_by',
  description: 'Only the keys that this user made.',
  schema: { type: 'integer', format: 'int64' },
};

/** The id that a filter names; one that nothing has when it is no id. */
const idIn = (text: string | undefined): Id | undefined =>
  text === undefined ? undefined : (parseId(text) ?? NO_ID);

/** The same calls for the keys of applications and of users. */
export function keyRoutes(services: Services): Route[] {
  return [...keyRoutesOf('application', services), ...keyRoutesOf('user', services)];
}

function keyRoutesOf(kind: KeyKind, { store, clock, tokens, audit }: Services): Route[] {
  const path = `/1/keys/${kind}s`;
  const Kind = kind === 'user' ? 'User' : 'Application';

  /** A user manages their own keys; the team's owner those of all its users. Applications are everyone's. */
  async function mayManage(caller: UserPrincipal, resourceId: Id): Promise<boolean> {
    if (kind === 'application') {
      return (await store.applications.get(resourceId))?.teamId === caller.teamId;
    }
    if (resourceId === caller.userId) return true;
    return caller.ownsTeam && (await store.users.get(resourceId))?.teamId === caller.teamId;
  }

  async function find(caller: UserPrincipal, id: Id) {
    const key = await store.keys.get(kind, id);
    if (key?.teamId !== caller.teamId || !(await mayManage(caller, key.resourceId))) throw gone();
    return key;
  }

  return [
    userRoute({
      method: 'POST',
      path,
      operationId: `create${Kind}Key`,
      tag,
      summary: `Create a key of ${kind === 'user' ? 'a user' : 'an application'}`,
      description:
        'Tokens signed with its secret speak for that one. The secret is shown this once.',
      body: Creation,
      example: { resource_id: 3, state: 'enable', label: 'Billing server' },
      success: { status: 201, description: 'The key, with its secret.', schema: NewKeySchema },
      problems: kind === 'user' ? ['not_team_owner'] : [],
      async handle(call) {
        const { caller, body } = call;
        const resourceId = parseId(body.resource_id) ?? NO_ID;
        if (!(await mayManage(caller, resourceId))) throw await notManaged(caller, resourceId);
        const now = clock.now();
        const key: Key = {
          id: await store.nextId(),
          kind,
          resourceId,
          teamId: caller.teamId,
          purpose: 'api',
          secret: generateSecret(),
          state: body.state,
          expiresAt: null,
          lastUsedAt: null,
          createdBy: caller.userId,
          label: body.label ?? null,
          createdAt: now,
          updatedAt: now,
        };
        const answer = created(`${path}/${key.id}`, { ...keyView(key), secret: key.secret });
        const whose = visible('resource_id', null, String(resourceId));
        const entry = await audit.entry(caller, 'key.created', aboutKey(key), whose);
        await store.keys.insert(key, call.once(answer), entry);
        return answer;
      },
    }),
    userRoute({
      method: 'GET',
      path,
      operationId: `list${Kind}Keys`,
      tag,
      summary: `List the keys of ${kind}s`,
      description:
        kind === 'user'
          ? "The caller's own keys; for the team's owner, those of all its users. Sign-ins are keys too."
          : "The keys of all applications of the caller's team.",
      query: [...PAGING, RESOURCE_FILTER, CREATOR_FILTER],
      success: {
        status: 200,
        description: 'A page of them, without secrets.',
        schema: listOf(KeySchema),
      },
      async handle(call) {
        const { caller, query } = call;
        const asked = idIn(query['resource_id']);
        const createdBy = idIn(query['created_by']);
        const own = kind === 'user' && !caller.ownsTeam;
        const hidden = own && asked !== undefined && asked !== caller.userId;
        const resourceId = hidden ? NO_ID : own ? caller.userId : asked;
        const page = await store.keys.list(
          caller.teamId,
          kind,
          { resourceId, createdBy },
          pageRequest(query),
        );
        return listAnswer(call, path, page, (item) => JSON.stringify(keyView(item)));
      },
    }),
    userRoute({
      method: 'GET',
      path: `${path}/:id`,
      operationId: `get${Kind}Key`,
      tag,
      summary: `Get a key of ${kind === 'user' ? 'a user' : 'an application'}`,
      success: { status: 200, description: 'The key, without its secret.', schema: KeySchema },
      problems: ['not_found'],
      async handle(call) {
        return ok(keyView(await find(call.caller, pathId(call))));
      },
    }),
    userRoute({
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: `revoke${Kind}Key`,
      tag,
      summary: `Revoke a key of ${kind === 'user' ? 'a user' : 'an application'}`,
      description:
        'Every token it signed stops working: at once here, within a second on every node.',
      success: { status: 204, description: 'Revoked.' },
      problems: ['not_found'],
      async handle(call) {
        const key = await find(call.caller, pathId(call));
        const whose = visible('resource_id', String(key.resourceId), null);
        const entry = await audit.entry(call.caller, 'key.revoked', aboutKey(key), whose);
        await store.keys.delete(key.id, entry);
        tokens.forgetAll();
        return noContent;
      },
    }),
  ];

  /** A colleague is known but not the caller's to manage; anyone else does not exist. */
  async function notManaged(caller: UserPrincipal, resourceId: Id): Promise<Problem> {
    const colleague =
      kind === 'user' && (await store.users.get(resourceId))?.teamId === caller.teamId;
    return colleague
      ? new Problem('not_team_owner', "only the team's owner makes keys for other users")
      : invalidFields({
          pointer: '/resource_id',
          detail: `must be ${kind === 'user' ? 'a user' : 'an application'} of your team`,
        });
  }
}
