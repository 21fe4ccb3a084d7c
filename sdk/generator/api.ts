import { type Schema, comment, declarationOf, membersOf, nameOf, typeOf } from './schema.ts';

/* The types of the client, written out of the OpenAPI document of the service. */

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description?: string;
  schema: Schema;
}

type Content = Readonly<Record<string, { schema?: Schema }>>;

interface Operation {
  summary: string;
  description?: string;
  security: readonly Readonly<Record<string, unknown>>[];
  parameters: readonly Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Readonly<Record<string, { content?: Content }>>;
}

export interface OpenApi {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  webhooks: Readonly<Record<string, { post: { requestBody: { content: Content } } }>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

const NOTICE =
  '/* Made by `npm run docs` out of the schemas of the service; change those instead. */\n';

/** What vendors and the pages of the web chat call is not for an application. */
const FOR_OTHERS = /^\/1\/(?:hooks|media)\//;

/** Which query asks for the other answer of a call that has two. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  'POST /1/message': '?dry_run=true',
  'POST /1/messages/resend': '?dry_run=true',
};

/** What the client is written with: `sdk/src/api.ts`. */
export function apiSource(document: OpenApi): string {
  const { schemas } = document.components;
  const calls = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/1/') && !FOR_OTHERS.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        operation,
      })),
    );
  const operations = calls.flatMap(({ name, operation }) => entriesOf(name, operation)).join('');
  const events = eventsOf(document);
  const named = namesIn(`${operations}${events}`, schemas);
  return [
    NOTICE,
    problemCodes(schemas['Problem'] ?? {}),
    ...[...named].toSorted().map((name) => declarationOf(name, schemas[name] ?? {})),
    events,
    `/** Every call of the interface: what it takes, and what it answers. */
export interface Operations {
${operations}}
`,
  ].join('\n');
}

function problemCodes({ properties = {} }: Schema): string {
  const codes = properties['code']?.enum ?? [];
  return `/** Everything that the service says can be wrong with a request. */
export const PROBLEM_CODES = [
${codes.map((code) => `  '${String(code)}',\n`).join('')}] as const;

/** What is wrong with a request, for programs: it does not change. */
export type ProblemCode = (typeof PROBLEM_CODES)[number];
`;
}

/** One entry for each answer that a call can have. */
function entriesOf(name: string, operation: Operation): string[] {
  const answers = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    // The usual answer before the one that has to be asked for.
    .toSorted(([a], [b]) => Number(b) - Number(a));
  return answers.map(([, { content = {} }], i) => {
    const query = i === 0 ? '' : ALTERNATIVES[name];
    if (query === undefined) throw new Error(`${name} has two answers: which query asks for it?`);
    return entryOf(name + query, operation, answerOf(content));
  });
}

function entryOf(name: string, operation: Operation, answer: string): string {
  const { summary, description, security, requestBody } = operation;
  const [kind] = Object.keys(security[0] ?? {});
  const token = kind === undefined ? 'Takes no token.' : `Takes the token of ${articled(kind)}.`;
  const path = parametersOf(operation, 'path');
  const query = name.includes('?') ? undefined : parametersOf(operation, 'query');
  const body = requestBody?.content['application/json']?.schema;
  const lines = [
    path &&
      `    path: ${membersOf({ ...path, required: Object.keys(path.properties) }, '    ')};\n`,
    query && `    query?: ${membersOf(query, '    ')};\n`,
    body && `    body${requestBody?.required ? '' : '?'}: ${typeOf(body, '    ')};\n`,
    `    answer: ${answer};\n`,
  ];
  const words = [`${summary}.`, description, token].filter(Boolean).join(' ');
  return `${comment(words, '  ')}  '${name}': {\n${lines.filter(Boolean).join('')}  };\n`;
}

function parametersOf({ parameters }: Operation, where: Parameter['in']) {
  const own = parameters.filter((parameter) => parameter.in === where);
  if (own.length === 0) return undefined;
  const properties = Object.fromEntries(
    own.map(({ name, description, schema }) => [
      name,
      { ...schema, ...(description !== undefined && { description }) },
    ]),
  );
  return { type: 'object', properties };
}

/** What a call answers: JSON, a file as it comes, or nothing. */
function answerOf(content: Content): string {
  const json = content['application/json']?.schema;
  if (json) return typeOf(json, '    ');
  return Object.keys(content).length > 0 ? 'Response' : 'undefined';
}

function eventsOf({ webhooks, components }: OpenApi): string {
  const lines = Object.entries(webhooks).map(([type, { post }]) => {
    const { $ref = '' } = post.requestBody.content['application/json']?.schema ?? {};
    const { properties = {} } = components.schemas[nameOf($ref)] ?? {};
    return `  '${type}': ${typeOf(properties['data'] ?? {})};\n`;
  });
  return `/** What is in the \`data\` of each type of event. */
export interface EventData {
${lines.join('')}}

/** The types of events. \`webhook.test\` comes to a webhook alone, and only when it is asked for. */
export type EventType = keyof EventData;

/** What every event has, whatever happened. */
export interface EventOf<Type extends EventType> {
  /** Its place in the feed: 1, 2, 3, without a gap. */
  id: number;
  type: Type;
  /** When it joined the feed, ISO 8601. */
  timestamp: string;
  data: EventData[Type];
}

/** Something that the application is told. Look at its \`type\`, and its \`data\` has that of it. */
export type Event = { [Type in Exclude<EventType, 'webhook.test'>]: EventOf<Type> }[Exclude<
  EventType,
  'webhook.test'
>];

/** What a webhook is sent to try it. It is not in the feed, and so has no id. */
export type WebhookTest = Omit<EventOf<'webhook.test'>, 'id'>;
`;
}

/** The schemas that a text refers to, and those that they refer to in turn. */
function namesIn(text: string, schemas: Readonly<Record<string, Schema>>): Set<string> {
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name) || name === 'Event' || !(name in schemas)) return;
    found.add(name);
    for (const reference of JSON.stringify(schemas[name]).matchAll(/"\$ref":"([^"]+)"/g)) {
      add(nameOf(reference[1] ?? ''));
    }
  };
  for (const [name] of text.matchAll(/\b[A-Z]\w+/g)) add(name);
  return found;
}

const articled = (kind: string) => (/^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`);
