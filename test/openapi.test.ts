import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Validator } from '@seriousme/openapi-schema-validator';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';

import { openApiPath, problemsOf, securityOf } from '../src/http/openapi/document.ts';
import { COMMON_PROBLEMS, UNDOCUMENTED } from '../src/http/openapi/problems.ts';
import { VERSION } from '../src/lib/runtime/version.ts';
import { EVENT_TYPES } from '../src/model/event.ts';
import { PROBLEMS, type ProblemCode } from '../src/model/problem.ts';
import { startTestService } from './support/service/service.ts';

type Json = Record<string, unknown>;

interface Content {
  schema: Json;
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
}

interface Response {
  $ref?: string;
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Content>;
}

interface Operation {
  operationId: string;
  summary: string;
  security: Record<string, string[]>[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, Response>;
}

interface Document extends Json {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Json>;
}

/** The document as clients get it. */
async function fetchDocument(url: string): Promise<Document> {
  const response = await fetch(`${url}/openapi.json`);
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  return (await response.json()) as Document;
}

it('the OpenAPI document is valid OpenAPI 3.1 for the service that serves it', async () => {
  await using sb = await startTestService('sqlite');
  const document = await fetchDocument(sb.url);
  const validator = new Validator();
  const { valid, errors } = await validator.validate(document);
  assert.ok(valid, JSON.stringify(errors, null, 2));
  assert.equal(validator.version, '3.1');
  assert.equal(document.info.version, VERSION);
  assert.deepEqual(document.servers, [{ url: sb.url }]);
});

it('the OpenAPI document names the public URL if one is set', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_PUBLIC_URL: 'https://messages.example.com/' },
  });
  const { servers } = await fetchDocument(sb.url);
  assert.deepEqual(servers, [{ url: 'https://messages.example.com' }]);
});

it('the OpenAPI document lists every route and no other', async () => {
  await using sb = await startTestService('sqlite');
  const { paths } = await fetchDocument(sb.url);
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = sb.service.routes.map(({ method, path }) => `${method} ${openApiPath(path)}`);
  assert.deepEqual(listed.toSorted(), served.toSorted());
  assert.equal(new Set(served).size, served.length);
  for (const call of [
    'POST /1/message',
    'PUT /1/users/{id}',
    'DELETE /1/applications/{id}/disable',
  ]) {
    assert.ok(listed.includes(call), call);
  }
});

it('the OpenAPI document describes each operation with its token and its body', async () => {
  await using sb = await startTestService('sqlite');
  const document = await fetchDocument(sb.url);
  const ids = new Set<string>();
  const all = operations(document, sb.service.routes);
  for (const { method, path, operation, auth, body, route } of all) {
    const { rawTypes } = route;
    const where = `${method} ${path}`;
    assert.ok(operation.summary.length > 5, where);
    assert.ok(
      !ids.has(operation.operationId),
      `${where}: duplicate operationId ${operation.operationId}`,
    );
    ids.add(operation.operationId);
    assert.deepEqual(operation.security, securityOf(auth), where);
    const isDescribed = body !== undefined || rawTypes !== undefined;
    assert.equal(operation.requestBody !== undefined, isDescribed, where);
    if (!operation.requestBody) continue;
    if (rawTypes) {
      assert.deepEqual(Object.keys(operation.requestBody.content), rawTypes, where);
      continue;
    }
    const { schema, example } = operation.requestBody.content['application/json'] ?? {};
    assert.ok(schema && example !== undefined, `${where} has no example of its body`);
    assert.deepEqual(mistakes(document, schema, example), [], where);
  }
});

it('the OpenAPI document lists all error codes of each operation', async () => {
  await using sb = await startTestService('sqlite');
  const document = await fetchDocument(sb.url);
  for (const { method, path, operation, route } of operations(document, sb.service.routes)) {
    const codes = Object.entries(operation.responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, response]) => {
        const examples = problemExamples(document, response);
        assert.ok(examples.every((example) => example['status'] === Number(status)));
        return examples.map((example) => String(example['code']));
      });
    const known = new Set([...problemsOf(route), ...COMMON_PROBLEMS]);
    assert.deepEqual(codes.toSorted(), [...known].toSorted(), `${method} ${path}`);
    const successes = Object.keys(operation.responses).filter((status) => Number(status) < 400);
    const documented = [route.alternative, route.success].flatMap((one) => one?.status ?? []);
    assert.deepEqual(successes, documented.map(String).toSorted(), `${method} ${path}`);
  }
});

it('the OpenAPI document lists the response headers', async () => {
  await using sb = await startTestService('sqlite');
  const document = await fetchDocument(sb.url);
  const listed = operations(document, sb.service.routes);
  const headersOf = (id: string, status: string) => {
    const found = listed.find(({ operation }) => operation.operationId === id);
    const response = found?.operation.responses[status];
    const { headers = {} } = response?.$ref
      ? (resolve(document, response.$ref) as Response)
      : (response ?? {});
    return Object.keys(headers);
  };
  for (const id of ['listMessages', 'listEvents', 'listApplications', 'listWebhookDeliveries']) {
    assert.deepEqual(headersOf(id, '200'), ['X-Request-Id', 'Link'], id);
  }
  assert.deepEqual(headersOf('sendMessage', '202'), ['X-Request-Id', 'Location']);
  assert.deepEqual(headersOf('createApplication', '201'), ['X-Request-Id', 'Location']);
  assert.deepEqual(headersOf('startSession', '201'), ['X-Request-Id', 'Set-Cookie', 'Location']);
  assert.deepEqual(headersOf('sendMessage', '429'), ['X-Request-Id', 'Retry-After']);
  assert.deepEqual(headersOf('sendMessage', '401'), ['X-Request-Id', 'WWW-Authenticate']);
  assert.deepEqual(headersOf('getLiveness', '500'), ['X-Request-Id']);
});

it('the OpenAPI document describes webhook signatures and the data of each event', async () => {
  await using sb = await startTestService('sqlite');
  const document = await fetchDocument(sb.url);
  const webhooks = document['webhooks'] as Record<string, { post: Operation }>;
  assert.deepEqual(Object.keys(webhooks).toSorted(), [...EVENT_TYPES].toSorted());
  for (const [type, { post }] of Object.entries(webhooks)) {
    assert.deepEqual(post.security, [{ signature: [] }], type);
  }
  const { anyOf, discriminator } = resolve(document, '#/components/schemas/Event') as {
    anyOf: { $ref: string }[];
    discriminator: { propertyName: string; mapping: Record<string, string> };
  };
  const inFeed = EVENT_TYPES.filter((type) => type !== 'webhook.test');
  assert.deepEqual(Object.keys(discriminator.mapping), inFeed);
  assert.deepEqual(
    anyOf.map(({ $ref }) => $ref),
    Object.values(discriminator.mapping),
  );
  for (const { $ref } of anyOf) {
    const { properties } = resolve(document, $ref) as { properties: Record<string, Json> };
    assert.match(String(properties['data']?.['$ref']), /^#\/components\/schemas\//);
  }
});

it('the OpenAPI document gives every enum a type', async () => {
  await using sb = await startTestService('sqlite');
  const enums = [...nodesOf(await fetchDocument(sb.url))].filter((node) =>
    Array.isArray(node['enum']),
  );
  assert.ok(enums.length > 20);
  for (const node of enums) assert.equal(node['type'], 'string', JSON.stringify(node));
});

it('the OpenAPI document has every problem code with an example that matches the schema', async () => {
  await using sb = await startTestService('sqlite');
  const document = await fetchDocument(sb.url);
  const examples = document.components['examples'] as Record<string, { value: Json }>;
  assert.deepEqual(
    [...Object.keys(examples), UNDOCUMENTED].toSorted(),
    Object.keys(PROBLEMS).toSorted(),
  );
  for (const [code, { value: example }] of Object.entries(examples)) {
    assert.deepEqual(mistakes(document, { $ref: '#/components/schemas/Problem' }, example), []);
    const { status, title } = PROBLEMS[code as ProblemCode];
    assert.deepEqual([example['code'], example['status'], example['title']], [code, status, title]);
  }
});

it('the OpenAPI document has no broken $ref, and its examples match their schemas', async () => {
  await using sb = await startTestService('sqlite');
  const document = await fetchDocument(sb.url);
  let seen = 0;
  for (const node of nodesOf(document)) {
    if (typeof node['$ref'] === 'string') {
      seen++;
      resolve(document, node['$ref']);
    }
    // A schema's own examples, unlike those of a response, are a list.
    if (!Array.isArray(node['examples'])) continue;
    for (const example of node['examples']) assert.deepEqual(mistakes(document, node, example), []);
  }
  assert.ok(seen > 50);
});

it('the example check finds an example that does not match its schema', async () => {
  await using sb = await startTestService('sqlite');
  const document = await fetchDocument(sb.url);
  const schema = document.paths['/1/message']?.['post']?.requestBody?.content['application/json'];
  assert.ok(schema);
  assert.notDeepEqual(mistakes(document, schema.schema, { message: { type: 'Create' } }), []);
  assert.throws(() => resolve(document, '#/components/schemas/Nothing'));
});

function operations(document: Document, routes: readonly Route[]) {
  return routes.map((route) => {
    const { path, auth, body } = route;
    const method = route.method.toLowerCase();
    const operation = document.paths[openApiPath(path)]?.[method];
    assert.ok(operation, path);
    return { method, path, operation, auth, body, route };
  });
}

type Route = Parameters<typeof problemsOf>[0];

function problemExamples(document: Document, response: Response): Json[] {
  const { content } = response.$ref ? (resolve(document, response.$ref) as Response) : response;
  const { examples = {} } = content?.['application/problem+json'] ?? {};
  return Object.values(examples).map(
    ({ $ref }) => (resolve(document, $ref) as { value: Json }).value,
  );
}

/** The validation errors of a value by a schema of the document. */
function mistakes(document: Document, schema: Json, value: unknown): string[] {
  const validator = Compile(inline(document, schema) as TSchema);
  if (validator.Check(value)) return [];
  const [, errors] = validator.Errors(value);
  return errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The schema with its references resolved. */
function inline(document: Document, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(document, item));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as Json;
  if (typeof $ref === 'string') return inline(document, resolve(document, $ref));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, inline(document, member)]),
  );
}

/** RFC 6901, within the document. */
function resolve(document: Document, reference: string): unknown {
  assert.match(reference, /^#\//, 'a reference stays within the document');
  return reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, name) => {
      const next = (at as Json)[name];
      assert.notEqual(next, undefined, `${reference} does not exist`);
      return next;
    }, document);
}

function* nodesOf(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const member of Object.values(value)) yield* nodesOf(member);
}
