import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { callersOf, endpointsOf, readOpenApi } from '../../site/reference/document.ts';
import { COMMANDS } from '../../site/reference/examples-cli.ts';
import { PYTHON as PYTHON_CALLS } from '../../site/reference/examples-python.ts';
import { TYPESCRIPT } from '../../site/reference/examples-typescript.ts';
import { curlExample, exampleBlocks } from '../../site/reference/examples.ts';
import { CHATS, TOKEN, openTelegram } from '../emulators/telegram.ts';
import { PYTHON, PYTHON_CLIENT, PYTHON_ENVIRONMENT } from '../support/programs/python.ts';
import { Terminal } from '../support/programs/terminal.ts';
import { requirement } from '../support/requirement.ts';
import { integrate, message } from '../support/service/activity.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { until } from '../support/until.ts';
import { typeFaults } from './types.ts';

/* The examples of the API reference. */

const endpoints = endpointsOf(await readOpenApi());
const CURL = requirement('curl', 'apt-get install curl');
const MYPY = requirement('mypy', 'apt-get install mypy');
const run = promisify(execFile);

/** They end sessions, ask vendors, or stream. */
const NOT_CALLED = ['openRealtime', 'checkCredentials', 'checkIntegration', 'registerHook'];

type Endpoint = (typeof endpoints)[number];

const exampleIn = (wanted: string, endpoint: Endpoint) =>
  exampleBlocks(endpoint).find(({ language }) => language === wanted)?.text;
const typescriptOf = (endpoint: Endpoint) => exampleIn('ts', endpoint);
const pythonOf = (endpoint: Endpoint) => exampleIn('python', endpoint);

it('every call with a token has an example in TypeScript and Python', () => {
  const callable = endpoints.filter(
    ({ path, operation }) => path.startsWith('/1/') && callersOf(operation).has('user'),
  );
  assert.ok(callable.length > 60);
  const missing = callable.filter((endpoint) => typescriptOf(endpoint) === undefined);
  assert.deepEqual(missing, []);
  const files = callable.filter((endpoint) => pythonOf(endpoint) === undefined);
  // The Python client reads JSON only.
  assert.deepEqual(
    new Set(files.map(({ operation }) => operation.operationId)),
    new Set(['getConversationFile', 'getEventMedia', 'getMessageImage', 'getSandboxFile']),
  );
  const known = new Set(endpoints.map(({ operation }) => operation.operationId));
  assert.deepEqual(
    [TYPESCRIPT, PYTHON_CALLS, COMMANDS].flatMap(Object.keys).filter((id) => !known.has(id)),
    [],
  );
});

it('examples in TypeScript have correct types', () => {
  const head = `import { Switchboard } from '@switchboard/sdk';
declare const client: Switchboard;
`;
  const body = endpoints
    .flatMap((endpoint) => typescriptOf(endpoint) ?? [])
    .map((text) => `{\n${text}\n}\n`);
  const text = head + body.join('');
  const snippet = { page: 'reference', line: 1, language: 'ts', notes: {}, text };
  assert.deepEqual(typeFaults([snippet]), []);
});

it('examples in Python have correct types', { skip: MYPY.skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-reference-'));
  const program = join(folder, 'reference.py');
  const functions = endpoints.flatMap((endpoint) => {
    const text = pythonOf(endpoint);
    if (text === undefined) return [];
    const { operationId } = endpoint.operation;
    const body = text.replaceAll(/^(?=.)/gm, '    ');
    return `\n\ndef ${operationId}(client: Switchboard) -> None:\n${body}\n`;
  });
  writeFileSync(program, `from switchboard import Switchboard\n${functions.join('')}`);
  const { status, stdout } = spawnSync(
    MYPY.path ?? '',
    ['--cache-dir', '/dev/null', '--python-executable', PYTHON.path, program],
    { cwd: PYTHON_CLIENT, encoding: 'utf8', env: { ...process.env, MYPYPATH: 'src' } },
  );
  rmSync(folder, { recursive: true });
  assert.equal(status, 0, stdout);
});

/** Calls each example, which gets its client, and prints the errors by operation. */
const PYTHON_HARNESS = `
import json
import sys

from switchboard import Switchboard, SwitchboardError

Switchboard.events = lambda self: self.history(after=0)
given = json.load(sys.stdin)
clients = {name: Switchboard(given["url"], token=token) for name, token in given["tokens"].items()}
errors = {}
for operation, (caller, text) in given["examples"].items():
    try:
        exec(text, {"client": clients[caller], "print": lambda *_: None})
    except SwitchboardError as error:
        errors[operation] = {"status": error.status, "code": error.code}
print(json.dumps(errors))
`;

describe('commands of the reference', { skip: CURL.skip }, () => {
  let sb: TestService;
  before(async () => {
    // It delivers nothing: messages sent here would reach real vendors.
    sb = await startTestService('sqlite', { environment: { SWITCHBOARD_ROLE: 'api' } });
  });
  after(() => sb[Symbol.asyncDispose]());

  it('requests with curl are well-formed for every endpoint', async () => {
    const { application, app } = await sb.application();
    await integrate(app, application.id);
    const env = { TOKEN: sb.api.token ?? '', APP: app.token ?? '' };
    await using terminal = new Terminal(sb.database.folder, env);
    const requests = endpoints.filter(
      ({ path, operation }) =>
        path.startsWith('/1/') && !NOT_CALLED.includes(operation.operationId),
    );
    const malformed: string[] = [];
    for (const endpoint of requests) {
      const { operationId, responses } = endpoint.operation;
      const command = curlExample(endpoint)
        .replace('http://localhost:8080', sb.url)
        // Deletions must not end the tokens of the other examples.
        .replace(/(?<=-X DELETE \S+\/1\/\S*)\/\d+/, '/999999')
        .replace(/^curl /, `curl -s -o body.txt -w '%{http_code} ' `);
      const { text } = await terminal.run(`${command}; head -c 300 body.txt; rm -f body.txt`);
      const status = /\b([1-5]\d\d)\b/.exec(text)?.[1] ?? '';
      // The ids of the examples need not exist here; the request itself must be right.
      const isAccepted = !['400', '405', '415'].includes(status) && !/token_\w+/.test(text);
      const isRight = status in responses && isAccepted;
      if (!isRight) malformed.push(`${operationId}: ${text}`);
    }
    assert.deepEqual(malformed, []);
  });

  it('requests with the Python client are well-formed', { skip: PYTHON.skip }, async () => {
    const { application, app } = await sb.application();
    await integrate(app, application.id);
    const examples = endpoints.flatMap((endpoint) => {
      const text = pythonOf(endpoint);
      const { operationId } = endpoint.operation;
      if (text === undefined || NOT_CALLED.includes(operationId)) return [];
      const caller = callersOf(endpoint.operation).has('application') ? 'application' : 'user';
      // Deletions must not end the tokens of the other examples.
      const harmless = text
        .replace(/(?<="DELETE", "\/1\/\S*)\/\d+/, '/999999')
        .replace(/(?<=\.(?:delete|cancel)\()\d+/, '999999');
      return [[operationId, [caller, harmless]] as const];
    });
    assert.ok(examples.length > 60);
    const input = JSON.stringify({
      url: sb.url,
      tokens: { application: app.token, user: sb.api.token },
      examples: Object.fromEntries(examples),
    });
    const running = run(PYTHON.path, ['-W', 'error', '-c', PYTHON_HARNESS], {
      env: PYTHON_ENVIRONMENT,
    });
    running.child.stdin?.end(input);
    const errors = JSON.parse((await running).stdout) as Record<string, PythonError>;
    // The ids of the examples need not exist here; the request itself must be right.
    const malformed = Object.entries(errors).filter(
      ([, { status, code }]) =>
        [0, 400, 405, 415].includes(status ?? 0) || code.startsWith('token_'),
    );
    assert.deepEqual(malformed, []);
  });
});

interface PythonError {
  status: number | null;
  code: string;
}

it('commands of the command line work', async () => {
  await using cleanup = new AsyncDisposableStack();
  const telegram = cleanup.adopt(await openTelegram(), (peer) => peer.close());
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_TELEGRAM_URL: telegram.url },
  });
  const { application, app } = await sb.application();
  const bot = await integrate(app, application.id, { token: TOKEN });
  const failed = await send(bot.id, CHATS.blocked, 'failed');
  // Nothing listens there, so its messages wait for a retry.
  const closed = { name: 'gotify', address: 'http://127.0.0.1:9', token: 'fake' };
  const waiting = await send((await integrate(app, application.id, closed)).id, 'ops', 'queued');
  const password = 'a long example password';
  await sb.api.post('/1/users', { email: 'ada@example.com', password, state: 'enable' });

  async function send(integration: number, to: string, state: string): Promise<number> {
    const generator = { type: 'Service', id: String(integration) };
    const { body } = await app.post(
      '/1/message',
      message({ generator, to: { type: 'Person', id: to } }),
    );
    const { id } = body as { id: number };
    await until(`message ${id} is ${state}`, async () => {
      const { body: found } = await app.get(`/1/messages/${id}`);
      return found.state === state && found.attempts > 0;
    });
    return id;
  }

  const env = {
    HOME: sb.database.folder,
    SWITCHBOARD_URL: sb.url,
    // Acts for the only application of the team.
    SWITCHBOARD_TOKEN: sb.api.token ?? '',
  };
  for (const [operation, command] of Object.entries(COMMANDS)) {
    await using terminal = new Terminal(sb.database.folder, env);
    const typed = command
      .replace('http://localhost:8080', sb.url)
      .replace('5615', String(operation === 'retryMessage' ? waiting : failed))
      .replace(/(?<=integrations \w+ )5$/, String(bot.id));
    if (operation === 'openRealtime') {
      // It never ends.
      terminal.type(`${typed} --after 0`);
      await until('an event is printed', () => terminal.output.includes('message.failed'));
      continue;
    }
    const input = operation === 'signIn' ? `echo '${password}' | ` : '';
    const { text, status } = await terminal.run(input + typed);
    assert.equal(status, 0, `${typed}\n${text}`);
  }
});
