import { CHANNEL_NAMES } from '../../channels/index.ts';
import type { ProblemCode } from '../../model/problem.ts';
import { SECURE_COOKIE } from '../auth/session-cookie.ts';
import { JSON_TYPES } from '../server/body.ts';
import { type Route, isRepeatable, requiresToken } from '../server/route.ts';
import { POSTED, pascalCase } from './event-schemas.ts';
import { problemExamples, problemResponses, problemSchema } from './problems.ts';
import { RESPONSE_HEADERS, type ResponseHeader, headerReferences } from './response-headers.ts';
import { TAGS } from './tags.ts';

type Json = Record<string, unknown>;

const DESCRIPTION = `One REST interface in front of every messaging channel: ${CHANNEL_NAMES.join(', ')}.

Every request carries \`Authorization: Bearer <token>\`. A token is a JWT signed with HS256 and the secret of a key; \`iss\` is the key id, and \`exp\` is required. User keys sign user tokens; application keys sign application tokens. A user token also works where an application token is needed, with the header \`Switchboard-Application: <id>\` naming an application of the team.

Trailing slashes are ignored. ${JSON_TYPES.map((type) => `\`${type}\``).join(', ')} are equivalent. Ids are int64 numbers; timestamps are UTC, \`YYYY-MM-DDTHH:MM:SS\`. Lists are newest first; the \`Link\` header has the URL of the next page. With an \`Idempotency-Key\`, any POST with a token is safe to repeat for 24 hours.`;

/** Path parameters that are strings. */
const STRING_PARAMETERS = new Set(['random', 'path', 'hash', 'file', 'name']);

/** Builds the OpenAPI 3.1 document from the same routes and schemas as the server. */
export function openApiDocument(
  routes: readonly Route[],
  version: string,
  serverUrl: string,
): Json {
  const schemas = new Map<string, Json>();
  const responses = new Map<ProblemCode, Json>();
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = openApiPath(route.path);
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operation(route, schemas, responses),
    };
  }
  schemas.set('Problem', problemSchema());
  const webhooks = Object.fromEntries(
    POSTED.map((posted) => [posted.type, webhook(posted, schemas)]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchboard',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Documentation', url: `${serverUrl}/docs` },
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({
      name,
      description: TAGS[name],
    })),
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries([...schemas].toSorted(([a], [b]) => a.localeCompare(b))),
      responses: Object.fromEntries(responses),
      examples: problemExamples(),
      headers: RESPONSE_HEADERS,
      securitySchemes: {
        user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A user token.' },
        application: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An application token.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SECURE_COOKIE,
          description: "The console's session cookie. No endpoint under `/1` accepts it.",
        },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'webhook-signature',
          description:
            'Standard Webhooks signature: `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the body, joined by dots. Several secrets give several signatures, separated by spaces.',
        },
      },
    },
  };
}

/** Converts `:id` to `{id}`. */
export function openApiPath(path: string): string {
  return path.replace('*', ':path').replaceAll(/:(\w+)/g, '{$1}');
}

/** All problems of a route: its own, and those common to its kind. */
export function problemsOf(route: Route): ProblemCode[] {
  const codes = new Set<ProblemCode>(route.problems);
  if (route.sameOrigin) codes.add('foreign_origin');
  if (route.auth === 'session') codes.add('session_missing');
  if (requiresToken(route.auth)) {
    codes.add('token_missing').add('token_invalid').add('token_expired');
    if (route.auth !== 'either') codes.add('wrong_token_kind');
    const mayBeUser = route.auth !== 'application';
    const mayBeApplication = route.auth !== 'user';
    if (!route.evenDisabled && mayBeUser) codes.add('user_disabled');
    if (!route.evenDisabled && mayBeApplication) codes.add('application_disabled');
    // A user may act for an application.
    if (mayBeApplication) codes.add('user_disabled').add('not_found');
  }
  if (route.auth !== 'none') codes.add('rate_limited').add('store_unavailable');
  // Bodies are read even where none is needed.
  if (route.raw) codes.add('body_too_large');
  else if (route.method !== 'GET') {
    codes.add('invalid_json').add('body_too_large').add('unsupported_media_type');
  }
  if (route.body) {
    codes.add('invalid_fields');
    if (!route.bodyOptional) codes.add('empty_body');
  }
  if (isRepeatable(route)) {
    codes.add('idempotency_in_flight').add('idempotency_key_reused');
  }
  return [...codes].toSorted();
}

function operation(
  route: Route,
  schemas: Map<string, Json>,
  responses: Map<ProblemCode, Json>,
): Json {
  const { path, operationId, tag, summary, query = [], success, alternative, auth } = route;
  const content = success.schema
    ? { 'application/json': { schema: reference(success.schema, schemas) } }
    : success.type && { [success.type]: { schema: { type: 'string' } } };
  return {
    operationId,
    tags: [tag],
    summary,
    description: route.description ?? `${summary}.`,
    security: securityOf(auth),
    parameters: [
      ...[...openApiPath(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
        name,
        in: 'path',
        required: true,
        schema: STRING_PARAMETERS.has(name)
          ? { type: 'string' }
          : { type: 'integer', format: 'int64' },
      })),
      ...query.map(({ name, description: words, schema }) => ({
        name,
        in: 'query',
        description: words,
        schema: reference(schema, schemas),
      })),
      ...(auth === 'application' || auth === 'either' ? [APPLICATION_HEADER_PARAMETER] : []),
      ...(isRepeatable(route) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(route.body && {
      requestBody: {
        required: !route.bodyOptional,
        content: {
          'application/json': {
            schema: reference(route.body, schemas),
            ...(route.example !== undefined && { example: route.example }),
          },
        },
      },
    }),
    ...(route.rawTypes && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          route.rawTypes.map((type, i) => [
            type,
            {
              schema: { type: 'string' },
              ...(i === 0 && route.example !== undefined && { example: route.example }),
            },
          ]),
        ),
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: headerReferences(headersOf(route)),
        ...(content && { content }),
      },
      ...(alternative && {
        [alternative.status]: {
          description: alternative.description,
          headers: headerReferences(['X-Request-Id']),
          ...(alternative.schema && {
            content: { 'application/json': { schema: reference(alternative.schema, schemas) } },
          }),
        },
      }),
      ...problemResponses(problemsOf(route), responses),
    },
  };
}

function headersOf({ success, query = [] }: Route): readonly ResponseHeader[] {
  const names = new Set<ResponseHeader>(['X-Request-Id', ...(success.headers ?? [])]);
  if (success.status === 201) names.add('Location');
  if (query.some(({ name }) => name === 'limit')) names.add('Link');
  return [...names];
}

/** The webhook request of an event, as an OpenAPI operation. */
function webhook(posted: (typeof POSTED)[number], schemas: Map<string, Json>): Json {
  const { type, description, schema } = posted;
  return {
    post: {
      operationId: `on${pascalCase(type)}`,
      tags: ['Webhooks'],
      summary: type,
      description,
      security: [{ signature: [] }],
      parameters: WEBHOOK_HEADERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: reference(schema, schemas) } },
      },
      responses: {
        '2XX': { description: 'Delivered.' },
        '410': { description: 'Pauses the webhook.' },
        default: { description: 'Not delivered; retried later.' },
      },
    },
  };
}

const WEBHOOK_HEADERS = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The same in every delivery attempt of the event.',
    schema: { type: 'string' },
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Unix time of the attempt, in seconds.',
    schema: { type: 'integer', format: 'int64' },
  },
];

/** The accepted tokens. A user may act for an application. */
export function securityOf(auth: Route['auth']): Record<string, string[]>[] {
  if (auth === 'none') return [];
  const acceptsBoth = auth === 'application' || auth === 'either';
  return acceptsBoth ? [{ application: [] }, { user: [] }] : [{ [auth]: [] }];
}

const APPLICATION_HEADER_PARAMETER = {
  name: 'Switchboard-Application',
  in: 'header',
  description: 'With a user token: the application to act for.',
  schema: { type: 'integer', format: 'int64' },
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the request safe to repeat: for 24 hours, the same key and body get the same response.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

/** A schema with a title becomes a component; others are inlined. */
function reference(schema: unknown, schemas: Map<string, Json>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => reference(item, schemas));
  if (typeof schema !== 'object' || schema === null) return schema;
  const plain = Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => !keyword.startsWith('~'))
      .map(([keyword, value]) => [keyword, reference(withoutBigInt(keyword, value), schemas)]),
  );
  if (Array.isArray(plain['enum'])) plain['type'] ??= 'string';
  if (typeof plain['title'] !== 'string') return plain;
  schemas.set(plain['title'], plain);
  return { $ref: `#/components/schemas/${plain['title']}` };
}

/** BigInt is internal; in JSON it is an integer. */
function withoutBigInt(keyword: string, value: unknown): unknown {
  if (keyword !== 'anyOf' || !Array.isArray(value)) return value;
  return value.filter((branch: { type?: string }) => branch.type !== 'bigint');
}
