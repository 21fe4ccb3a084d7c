import { type CodeBlock, codeHtml, tabOf, tabsHtml } from '../markdown/code-block.ts';
import { type Endpoint, callersOf } from './document.ts';
import { COMMANDS } from './examples-cli.ts';
import { TYPESCRIPT } from './examples-typescript.ts';

/* A call in several languages. */

/** Ids in the examples, by parameter. */
const IDS: Readonly<Record<string, string>> = {
  application: '4',
  delivery: '812',
  event: '812',
  file: '1',
  hash: 'HASH',
  name: 'telegram',
  number: '0',
  path: 'PATH',
  random: 'RANDOM',
};

export function exampleBlocks(endpoint: Endpoint): CodeBlock[] {
  const { operationId } = endpoint.operation;
  const typescript = TYPESCRIPT[operationId] ?? plainCall(endpoint);
  const command = COMMANDS[operationId];
  return [
    { language: 'sh', text: curlExample(endpoint) },
    ...(typescript === undefined ? [] : [{ language: 'ts', text: typescript }]),
    ...(command === undefined ? [] : [{ language: 'sh', text: command }]),
  ];
}

export function examplesHtml(endpoint: Endpoint): string {
  const blocks = exampleBlocks(endpoint);
  const [first] = blocks;
  return blocks.length > 1 || !first ? tabsHtml(blocks) : codeHtml(first, tabOf(first));
}

/** A call without a method of its own in the client; undefined if the client cannot make it. */
function plainCall({ method, path, operation }: Endpoint): string | undefined {
  if (!path.startsWith('/1/') || !callersOf(operation).has('user')) return undefined;
  const parameters = operation.parameters.filter((one) => one.in === 'path');
  const values = parameters.map(({ name, schema }) => {
    const value = name === 'id' ? idOf(path) : (IDS[name] ?? '1');
    return `${name}: ${schema.type === 'integer' ? value : `'${value}'`}`;
  });
  const body = operation.requestBody?.content['application/json']?.example;
  const given = [
    ...(values.length === 0 ? [] : [`  path: { ${values.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: ${compactJson(body, '  ')},`]),
  ];
  return `const answer = await client.call('${method} ${path}', {\n${given.join('\n')}\n});`;
}

/** The token is in `$TOKEN` for calls of a user, and in `$APP` for those of an application. */
export function curlExample({ method, path, operation }: Endpoint): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'id' ? idOf(path) : (IDS[name] ?? '1'),
  );
  const callers = callersOf(operation);
  const token = callers.has('application') ? '$APP' : callers.has('user') ? '$TOKEN' : '';
  const [type = '', { example } = {}] =
    Object.entries(operation.requestBody?.content ?? {}).find(([, one]) => 'example' in one) ?? [];
  const data = type === 'application/json' ? bodyText(example) : String(example).trimEnd();
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && example !== undefined) ? '' : `-X ${method} `}http://localhost:8080${address}`,
    ...(token === '' ? [] : [`-H "Authorization: Bearer ${token}"`]),
    ...(callers.has('session') ? ['-b cookies.txt'] : []),
    ...(example === undefined
      ? []
      : [
          `-H 'Content-Type: ${type}'`,
          `${type === 'application/json' ? '-d' : '--data-binary'} '${data}'`,
        ]),
  ];
  return lines.join(' \\\n  ');
}

const bodyText = (example: unknown) =>
  compactJson(example)
    .replaceAll("'", String.raw`'\''`)
    .replaceAll('\n', '\n  ');

const MAX_LINE = 80;

/** JSON with short objects on one line. */
function compactJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ');
  if (typeof value !== 'object' || value === null || line.length + indent.length <= MAX_LINE) {
    return line;
  }
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const members = Array.isArray(value)
    ? value.map((item) => compactJson(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${compactJson(item, inner)}`,
      );
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`;
}

function idOf(path: string): string {
  const [, resource = ''] = /^\/(?:1\/)?([\w/]+?)\/\{id\}/.exec(path) ?? [];
  const ids: Readonly<Record<string, string>> = {
    applications: '4',
    chat: '5',
    events: '812',
    hooks: '5',
    integrations: '5',
    sandbox: '5',
    invitations: '6',
    jobs: '12',
    'keys/applications': '9',
    'keys/users': '3',
    messages: '5615',
    teams: '1',
    users: '2',
  };
  return ids[resource] ?? '1';
}
