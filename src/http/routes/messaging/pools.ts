import Type, { type Static } from 'typebox';

import { areInterchangeable } from '../../../accept/pools/pool-members.ts';
import { durationOf } from '../../../accept/routes.ts';
import { toCandidate } from '../../../accept/routing.ts';
import type { Id as IdType } from '../../../model/id.ts';
import { Problem, invalidFields } from '../../../model/problem.ts';
import { DEFAULT_FAILOVER_MS, type Pool, STRATEGIES } from '../../../model/sending/pool.ts';
import { MemberMissing, MemberTaken } from '../../../store/pools/pools.ts';
import { Id, datedFields, listOf, nullable } from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import {
  type Route,
  applicationRoute,
  created,
  noContent,
  notFound,
  ok,
  pathId,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { dated } from '../../views/views.ts';

const MAX_MEMBERS = 10;
const MAX_WEIGHT = 1_000;
const MIN_FAILOVER_MS = 5_000;
const MAX_FAILOVER_MS = 60 * 60 * 1000;
const MICROS_PER_UNIT = 1_000_000;

const PoolMemberSchema = Type.Object(
  {
    integration_id: Id,
    weight: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_WEIGHT,
        description: 'Its share of the recipients, with `weighted`; 1 by default.',
      }),
    ),
    price: Type.Optional(
      nullable(
        Type.Number({
          minimum: 0,
          maximum: 1_000_000,
          description: 'Per message, in any currency, for `least_cost`. Unknown prices come last.',
        }),
      ),
    ),
  },
  { title: 'PoolMember' },
);

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[a-z0-9][a-z0-9_-]*$',
    description: 'Messages name the pool as `pool:NAME`. Unique in the application.',
    examples: ['sms'],
  }),
  strategy: Type.Optional(
    nullable(
      Type.Enum([...STRATEGIES], {
        description:
          'How a new recipient gets a member. `order` (default): the first; `weighted`: by `weight`; `round_robin`: each in turn; `least_cost`: the cheapest. Failing members come last.',
      }),
    ),
  ),
  failover_after: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 32,
        description:
          'How long a member may keep a message waiting before the next one sends it: `PT5S` to `PT1H`, `PT30S` by default.',
        examples: ['PT30S'],
      }),
    ),
  ),
  members: Type.Array(PoolMemberSchema, { minItems: 1, maxItems: MAX_MEMBERS }),
};

const NewPool = Type.Object(fields, { title: 'NewPool' });

export const PoolSchema = Type.Object(
  {
    ...datedFields,
    application_id: Id,
    name: Type.String(),
    strategy: Type.Enum([...STRATEGIES]),
    failover_after: Type.String({ examples: ['PT30S'] }),
    members: Type.Array(
      Type.Object(
        { integration_id: Id, weight: Type.Integer(), price: nullable(Type.Number()) },
        { title: 'StoredPoolMember' },
      ),
    ),
  },
  { title: 'Pool' },
);

const EXAMPLE = {
  name: 'sms',
  strategy: 'weighted',
  failover_after: 'PT30S',
  members: [
    { integration_id: 5, weight: 3 },
    { integration_id: 6, weight: 1 },
  ],
} as const;

const tag = 'Pools';
const gone = () => notFound('the pool');
const PROBLEMS = ['name_taken', 'integration_in_use', 'no_integration'] as const;

/** Pools of integrations that stand in for one another. */
export function poolRoutes({ store, clock }: Services): Route[] {
  /** Throws a Problem if the members cannot form a pool. */
  async function contentOf(applicationId: IdType, body: Static<typeof NewPool>) {
    const outlines =
      (await store.integrations.listOutlines([applicationId])).get(applicationId) ?? [];
    const seen = new Set<IdType>();
    const candidates = body.members.map(({ integration_id: id }, i) => {
      const pointer = `/members/${i}/integration_id`;
      const outline = outlines.find((one) => one.id === id);
      if (seen.has(id)) throw invalidFields({ pointer, detail: 'repeats a member' });
      seen.add(id);
      if (outline) return toCandidate(outline);
      throw noIntegration(id, pointer);
    });
    if (!areInterchangeable(candidates)) {
      const detail =
        'must reach the same addresses: all of one channel or all SMS, and all live or all sandbox';
      throw invalidFields({ pointer: '/members', detail });
    }
    const { name, strategy, failover_after: duration } = body;
    return {
      name,
      strategy: strategy ?? 'order',
      failoverMs: failoverOf(duration),
      members: body.members.map(memberOf),
    };
  }

  return [
    applicationRoute({
      method: 'GET',
      path: '/1/pools',
      operationId: 'listPools',
      tag,
      summary: 'List pools',
      description: 'Newest first.',
      query: PAGING,
      evenDisabled: true,
      success: { status: 200, description: 'A page of pools.', schema: listOf(PoolSchema) },
      async handle(call) {
        const page = await store.pools.list(call.caller.applicationId, pageRequest(call.query));
        return listAnswer(call, '/1/pools', page, (one) => JSON.stringify(poolView(one)));
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/pools',
      operationId: 'createPool',
      tag,
      summary: 'Create a pool',
      description:
        'A pool is a set of integrations that reach the same addresses. Messages name the pool as `pool:NAME`, in `generator.id` or in `via` of a route. An integration is in at most one pool.',
      body: NewPool,
      example: EXAMPLE,
      success: { status: 201, description: 'Created.', schema: PoolSchema },
      problems: PROBLEMS,
      async handle(call) {
        const { applicationId } = call.caller;
        const content = await contentOf(applicationId, call.body);
        const now = clock.now();
        const id = await store.nextId();
        const pool: Pool = { applicationId, id, ...content, createdAt: now, updatedAt: now };
        const answer = created(`/1/pools/${id}`, poolView(pool));
        const conflict = await refuseMembers(() => store.pools.create(pool, call.once(answer)));
        if (conflict) throw nameTaken(content.name);
        return answer;
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/pools/:id',
      operationId: 'getPool',
      tag,
      summary: 'Get a pool',
      evenDisabled: true,
      success: { status: 200, description: 'The pool.', schema: PoolSchema },
      problems: ['not_found'],
      async handle(call) {
        const pool = await store.pools.get(call.caller.applicationId, pathId(call));
        if (!pool) throw gone();
        return ok(poolView(pool));
      },
    }),
    applicationRoute({
      method: 'PUT',
      path: '/1/pools/:id',
      operationId: 'updatePool',
      tag,
      summary: 'Change a pool',
      description:
        'Replaces the pool. Accepted messages keep the members that they were accepted with.',
      body: NewPool,
      example: EXAMPLE,
      success: { status: 204, description: 'Changed.' },
      problems: ['not_found', ...PROBLEMS],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = pathId(call);
        if (!(await store.pools.get(applicationId, id))) throw gone();
        const content = await contentOf(applicationId, call.body);
        const now = clock.now();
        const pool: Pool = { applicationId, id, ...content, createdAt: now, updatedAt: now };
        const conflict = await refuseMembers(() => store.pools.update(pool));
        if (conflict === 'gone') throw gone();
        if (conflict) throw nameTaken(content.name);
        return noContent;
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/pools/:id',
      operationId: 'deletePool',
      tag,
      summary: 'Delete a pool',
      description: 'Accepted messages are still sent.',
      success: { status: 204, description: 'Deleted.' },
      problems: ['not_found'],
      async handle(call) {
        if (!(await store.pools.delete(call.caller.applicationId, pathId(call)))) throw gone();
        return noContent;
      },
    }),
  ];
}

async function refuseMembers<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof MemberMissing) throw noIntegration(error.integrationId, '/members');
    if (!(error instanceof MemberTaken)) throw error;
    const errors = [{ pointer: '/members', detail: error.message }];
    throw new Problem('integration_in_use', error.message, { errors });
  }
}

function noIntegration(id: IdType, pointer: string): Problem {
  const detail = 'is not an integration of the application';
  return new Problem('no_integration', `${id} ${detail}`, { errors: [{ pointer, detail }] });
}

function nameTaken(name: string): Problem {
  const detail = 'is the name of another pool';
  return new Problem('name_taken', `${name} ${detail}`, { errors: [{ pointer: '/name', detail }] });
}

function failoverOf(duration: string | null | undefined): number {
  if (duration === undefined || duration === null) return DEFAULT_FAILOVER_MS;
  const millis = durationOf(duration);
  if (millis !== undefined && millis >= MIN_FAILOVER_MS && millis <= MAX_FAILOVER_MS) return millis;
  const detail = 'must be an ISO 8601 duration from PT5S to PT1H';
  throw invalidFields({ pointer: '/failover_after', detail });
}

const memberOf = ({
  integration_id: integrationId,
  weight = 1,
  price = null,
}: Static<typeof PoolMemberSchema>) => ({
  integrationId,
  weight,
  priceMicros: price === null ? null : Math.round(price * MICROS_PER_UNIT),
});

const poolView = (pool: Pool) => ({
  ...dated(pool),
  application_id: pool.applicationId,
  name: pool.name,
  strategy: pool.strategy,
  failover_after: `PT${pool.failoverMs / 1000}S`,
  members: pool.members.map(({ integrationId, weight, priceMicros }) => ({
    integration_id: integrationId,
    weight,
    price: priceMicros === null ? null : priceMicros / MICROS_PER_UNIT,
  })),
});
