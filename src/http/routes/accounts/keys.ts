import Type from 'typebox';

import type { Key, KeyKind, UserPrincipal } from '../../../model/account.ts';
import { visible } from '../../../model/audit.ts';
import { type Id, NO_ID, parseId } from '../../../model/id.ts';
import { Problem, invalidFields } from '../../../model/problem.ts';
import { aboutKey } from '../../audit.ts';
import { generateSecret } from '../../auth/tokens.ts';
import {
  Id as IdField,
  Int64,
  KeyLabel,
  StateField,
  Timestamp,
  datedFields,
  listOf,
  nullable,
} from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import {
  type Route,
  created,
  noContent,
  notFound,
  ok,
  pathId,
  userRoute,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { keyView } from '../../views/views.ts';

export const KeySchema = Type.Object(
  {
    ...datedFields,
    resource_id: IdField,
    state: StateField,
    purpose: Type.Enum(['api', 'login', 'minted'], {
      description:
        '`api` keys sign tokens with their secret, `login` keys come from a sign-in, `minted` keys belong to one token.',
    }),
    label: nullable(Type.String({ description: 'Purpose of the key.' })),
    created_by: nullable({
      ...IdField,
      description: 'The user who created it; null for the operator.',
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
      description: 'Signs tokens, as the bytes of this string. Shown only once.',
    }),
  },
  { title: 'NewKey' },
);

const Creation = Type.Object(
  { resource_id: Int64, state: StateField, label: Type.Optional(nullable(KeyLabel)) },
  { title: 'KeyFields' },
);

const tag = 'Keys';
const gone = () => notFound('the key');

const RESOURCE_FILTER = {
  name: 'resource_id',
  description: 'Only keys of this user or application.',
  schema: { type: 'integer', format: 'int64' },
};

const CREATOR_FILTER = {
  name: 'created_by',
  description: 'Only keys created by this user.',
  schema: { type: 'integer', format: 'int64' },
};

/** Parses the id of a filter; an invalid one becomes an id that matches nothing. */
const idIn = (text: string | undefined): Id | undefined =>
  text === undefined ? undefined : (parseId(text) ?? NO_ID);

/** The same routes for application keys and user keys. */
export function keyRoutes(services: Services): Route[] {
  return [...keyRoutesOf('application', services), ...keyRoutesOf('user', services)];
}

function keyRoutesOf(kind: KeyKind, { store, clock, tokens, audit }: Services): Route[] {
  const path = `/1/keys/${kind}s`;
  const Kind = kind === 'user' ? 'User' : 'Application';

  /** Users manage their own keys; the team owner manages those of all users. Everyone manages application keys. */
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
      summary: `Create ${kind === 'user' ? 'a user' : 'an application'} key`,
      description: `Tokens signed with its secret act as that ${kind}. The secret is shown only once.`,
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
        const owner = visible('resource_id', null, String(resourceId));
        const entry = await audit.entry(caller, 'key.created', aboutKey(key), owner);
        await store.keys.insert(key, call.once(answer), entry);
        return answer;
      },
    }),
    userRoute({
      method: 'GET',
      path,
      operationId: `list${Kind}Keys`,
      tag,
      summary: `List ${kind} keys`,
      description:
        kind === 'user'
          ? "The caller's own keys; for the team owner, the keys of all users. Sign-ins are keys too."
          : "The keys of all applications of the caller's team.",
      query: [...PAGING, RESOURCE_FILTER, CREATOR_FILTER],
      success: {
        status: 200,
        description: 'A page of keys, without secrets.',
        schema: listOf(KeySchema),
      },
      async handle(call) {
        const { caller, query } = call;
        const requested = idIn(query['resource_id']);
        const createdBy = idIn(query['created_by']);
        const own = kind === 'user' && !caller.ownsTeam;
        const hidden = own && requested !== undefined && requested !== caller.userId;
        const resourceId = hidden ? NO_ID : own ? caller.userId : requested;
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
      summary: `Get ${kind === 'user' ? 'a user' : 'an application'} key`,
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
      summary: `Revoke ${kind === 'user' ? 'a user' : 'an application'} key`,
      description:
        'Every token signed with it stops working: at once on this node, within a second on the others.',
      success: { status: 204, description: 'Revoked.' },
      problems: ['not_found'],
      async handle(call) {
        const key = await find(call.caller, pathId(call));
        const owner = visible('resource_id', String(key.resourceId), null);
        const entry = await audit.entry(call.caller, 'key.revoked', aboutKey(key), owner);
        await store.keys.delete(key.id, entry);
        tokens.forget(key.id);
        return noContent;
      },
    }),
  ];

  /** A colleague's key is forbidden; any other does not exist. */
  async function notManaged(caller: UserPrincipal, resourceId: Id): Promise<Problem> {
    const colleague =
      kind === 'user' && (await store.users.get(resourceId))?.teamId === caller.teamId;
    return colleague
      ? new Problem('not_team_owner', 'only the team owner can create keys for other users')
      : invalidFields({
          pointer: '/resource_id',
          detail: `must be ${kind === 'user' ? 'a user' : 'an application'} of your team`,
        });
  }
}
