import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { TSchema } from 'typebox';

import type { Route } from '../../src/http/server/route.ts';
import { fc } from '../support/fast-check.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { TestService } from '../support/service/service.ts';
import { page, signedIn } from '../support/service/session.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

/*
 * Bodies generated from the route schemas, valid, nearly valid and invalid, sent to every route. The client checks
 * each response: a problem document that the route documents, and never a 5xx.
 */
const RUNS = Number(process.env['RUNS'] ?? 12);

type Schema = TSchema & {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
};

/** Values that match a schema, or nearly: limits and refinements are not always kept. */
function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.examples?.length) return fc.constantFrom(...schema.examples);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting));
  switch (schema.type) {
    case 'object':
      return objectOf(schema, fitting);
    case 'array':
      return fc.array(fitting(schema.items ?? {}), { maxLength: 3, minLength: 1 });
    case 'string':
      return fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    case 'integer':
    case 'bigint':
      return fc.oneof(fc.integer({ min: 1, max: 50 }), fc.maxSafeInteger());
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue();
  }
}

/** One field may be anything. */
function spoilt(schema: Schema): fc.Arbitrary<unknown> {
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '',
      ' ',
      '0',
      -1,
      0,
      1e308,
      '9223372036854775808',
      'x'.repeat(5000),
      null,
      [],
      {},
      '\u202E',
      '<script>',
      "'; drop table messages; --",
    ),
  );
  if (schema.type === 'object')
    return fc.oneof(objectOf(schema, spoilt), objectOf(schema, fitting), anything);
  return fc.oneof({ weight: 3, arbitrary: fitting(schema) }, { weight: 1, arbitrary: anything });
}

function objectOf(
  schema: Schema,
  make: (schema: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    make(field),
  ]);
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [],
  });
}

const strangeIds = fc.constantFrom(
  '0',
  '-1',
  '999999',
  '9007199254740993',
  '9223372036854775808',
  'abc',
  '%00',
  '%ff',
  '..',
  '1e3',
  '%F0%9F%98%80',
);
const query = fc.webQueryParameters({ size: 'small' });

onEachEngine('generated requests', (sb) => {
  it('generated requests get documented responses and never a 5xx on any route', async () => {
    const seen = new Set<number>();
    for (const route of sb().service.routes) {
      // A separate team for each route, since some delete what others need.
      const { clients, ids } = await makeTeam(sb());
      const client = clients[route.auth];
      const pathId = fc.oneof(fc.constantFrom(...ids), strangeIds);
      await fc.assert(
        fc.asyncProperty(bodyOf(route), pathId, query, async (body, id, search) => {
          const path = `${route.path.replace(':id', id)}${search && `?${search}`}`;
          // `..` in a path leads to another route.
          fc.pre(route.path === '/' || new URL(path, sb().url).pathname !== '/');
          const raw = route.body && body !== undefined ? JSON.stringify(body) : undefined;
          const { status } = await client.request(route.method, path, {
            ...(raw !== undefined && { raw }),
          });
          seen.add(status);
          assert.ok(status < 500, `${route.method} ${path} ${raw} answered ${status}`);
        }),
        { numRuns: RUNS },
      );
    }
    for (const status of [200, 201, 202, 204, 404, 422]) {
      assert.ok(seen.has(status), `never got ${status}: the bodies are too far from valid`);
    }
  });
});

async function makeTeam(sb: TestService) {
  const { team, owner, api } = await sb.otherTeam();
  const { body: application } = await api.post('/1/applications', {
    team_id: team.id,
    owner_id: owner.id,
    state: 'enable',
  });
  const app = sb.as(await sb.applicationToken(application.id, team.id));
  const integration = await integrate(app, application.id);
  const { body: sent } = await app.post('/1/message', message());
  const { body: key } = await api.post('/1/keys/users', { resource_id: owner.id, state: 'enable' });
  return {
    clients: {
      user: api,
      application: app,
      either: api,
      session: await signedIn(sb, owner),
      none: page(sb),
    },
    ids: [team.id, owner.id, application.id, integration.id, sent.id, key.id].map(String),
  };
}

function bodyOf(route: Route): fc.Arbitrary<unknown> {
  if (!route.body) return fc.constant(undefined);
  return fc.oneof(
    { weight: 2, arbitrary: spoilt(route.body as Schema) },
    { weight: 1, arbitrary: fitting(route.body as Schema) },
    { weight: 1, arbitrary: fc.constant(route.example) },
  );
}
