import { type CodeBlock, codeHtml, tabOf, tabsHtml } from '../markdown/code-block.ts';
import { type Endpoint, callersOf } from './document.ts';
import { COMMANDS } from './examples-cli.ts';
import { PYTHON } from './examples-python.ts';
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
  const python = PYTHON[operationId] ?? plainPythonCall(endpoint);
  const command = COMMANDS[operationId];
  return [
    { language: 'sh', text: curlExample(endpoint) },
    ...(typescript === undefined ? [] : [{ language: 'ts', text: typescript }]),
    ...(python === undefined ? [] : [{ language: 'python', text: python }]),
    ...(command === undefined ? [] : [{ language: 'sh', text: command }]),
  ];
}

export function examplesHtml(endpoint: Endpoint): string {
  const blocks = exampleBlocks(endpoint);
  const [first] = blocks;
  return blocks.length > 1 || !first ? tabsHtml(blocks) : codeHtml(first, tabOf(first));
}

/** Whether the clients can make a call: it needs a token. */
const isCallable = ({ path, operation }: Endpoint) =>
  path.startsWith('/1/') && callersOf(operation).has('user');

/** A call without a method of its own in the client; undefined if the client cannot make it. */
function plainCall(endpoint: Endpoint): string | undefined {
  if (!isCallable(endpoint)) return undefined;
  const { method, path, operation } = endpoint;
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

/** The same in Python. `call` sends and returns JSON only. */
function plainPythonCall(endpoint: Endpoint): string | undefined {
  const { method, path, operation } = endpoint;
  const isJson = Object.values(operation.responses).every(
    ({ content }) =>
      content === undefined || Object.keys(content).every((type) => /json/.test(type)),
  );
  const sent = operation.requestBody?.content;
  const sendsOther = sent !== undefined && !('application/json' in sent);
  if (!isCallable(endpoint) || !isJson || sendsOther) return undefined;
  const body = operation.requestBody?.content['application/json']?.example;
  const call = `"${method}", "${addressIn(path)}"`;
  if (body === undefined) return `answer = client.call(${call})`;
  return `answer = client.call(${call}, body=${literal(body, PYTHON_NOTATION)})`;
}

/** The path with the ids of the examples. */
const addressIn = (path: string) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'id' ? idOf(path) : (IDS[name] ?? '1'),
  );

/** The token is in `$TOKEN` for calls of a user, and in `$APP` for those of an application. */
export function curlExample({ method, path, operation }: Endpoint): string {
  const address = addressIn(path);
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

/** How a language writes the same values. */
interface Notation {
  indent: string;
  /** Between a bracket and what it holds on the same line. */
  gap: string;
  /** Values that it does not write as JSON does. */
  words: ReadonlyMap<unknown, string>;
}

const JSON_NOTATION: Notation = {
  indent: '  ',
  gap: ' ',
  words: new Map(),
};
const PYTHON_NOTATION: Notation = {
  indent: '    ',
  gap: '',
  words: new Map<unknown, string>([
    [true, 'True'],
    [false, 'False'],
    [null, 'None'],
  ]),
};

/** A value with short objects on one line. */
function literal(value: unknown, notation: Notation, indent = '', maxLine = MAX_LINE): string {
  const word = notation.words.get(value);
  if (word !== undefined) return word;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const inner = indent + notation.indent;
  const members = (limit: number) =>
    Object.entries(value).map(([name, item]) => {
      const text = literal(item, notation, inner, limit);
      return Array.isArray(value) ? text : `${JSON.stringify(name)}: ${text}`;
    });
  const oneLine = members(Infinity);
  if (oneLine.length === 0) return open + close;
  const line = open + notation.gap + oneLine.join(', ') + notation.gap + close;
  if (line.length + indent.length <= maxLine) return line;
  const lines = members(maxLine).map((member) => inner + member);
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

const compactJson = (value: unknown, indent = '') => literal(value, JSON_NOTATION, indent);

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
