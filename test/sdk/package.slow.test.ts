import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { publint } from 'publint';

import { CHROMIUM, openBrowser } from '../support/programs/browser.ts';
import { startTestService } from '../support/service/service.ts';
import { ROOT } from '../support/sources.ts';
import { ATTW, TSC } from '../support/tools.ts';
import { append, applicationClient, userClient } from './support.ts';

const run = promisify(execFile);
const SDK = join(ROOT, 'sdk');
const runTool = (tool: string, args: readonly string[], cwd: string) =>
  run(process.execPath, [tool, ...args], { cwd });

/** The machine's own Node.js, on which the client must run too. */
const OTHER_NODE =
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(ROOT))
    .map((folder) => join(folder, 'node'))
    .find((path) => existsSync(path)) ?? process.execPath;

/** Commands of other runtimes, set by `npm run sdk:runtimes`. */
const OTHERS = (process.env['SDK_RUNTIMES'] ?? '').split('\n').filter((line) => line !== '');

describe('the package of the client', () => {
  let folder = '';
  let packed = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-sdk-'));
    await run('npm', ['pack', '--pack-destination', folder], { cwd: SDK });
    packed = join(folder, globSync('*.tgz', { cwd: folder })[0] ?? '');
    const place = join(folder, 'node_modules', '@switchboard', 'sdk');
    mkdirSync(place, { recursive: true });
    await run('tar', ['-xzf', packed, '--strip-components=1', '-C', place]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('passes publint and exports resolvable types', async () => {
    const { messages } = await publint({ pkgDir: SDK, strict: true, pack: 'npm' });
    assert.deepEqual(messages, []);
    // ES modules only: all supported runtimes have them, and `require` loads them since Node 20.19.
    await runTool(ATTW, [packed, '--profile', 'esm-only'], folder);
  });

  it('contains the client, its manifest, README and license, and nothing else', () => {
    const place = join(folder, 'node_modules', '@switchboard', 'sdk');
    const files = globSync('**/*', { cwd: place, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    const others = files
      .filter(({ name }) => !/\.(?:js|d\.ts)$/.test(name))
      .map(({ name }) => name)
      .toSorted();
    assert.deepEqual(others, ['LICENSE', 'README.md', 'package.json']);
    for (const { parentPath, name } of files.filter((one) => one.name.endsWith('.d.ts'))) {
      const text = readFileSync(join(parentPath, name), 'utf8');
      assert.doesNotMatch(text, /from '(?!\.)|\bany\b;/, name);
    }
  });

  it('the package of the client has types that a strict program can use, with both module resolutions', async () => {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    const options = ['--strict', '--noEmit', '--types', '', '--lib', 'es2022,dom'];
    for (const kind of [
      ['--module', 'nodenext'],
      ['--module', 'esnext', '--moduleResolution', 'bundler', '--exactOptionalPropertyTypes'],
    ]) {
      const args = [...options, ...kind, '--target', 'es2022', 'program.ts'];
      await runTool(TSC, args, folder).catch((error: unknown) =>
        assert.fail((error as { stdout: string }).stdout),
      );
    }
  });

  it("runs on the machine's own Node.js and on other runtimes", async () => {
    await using sb = await startTestService('sqlite');
    const { client, applicationId } = await applicationClient(sb);
    await client.integrations.create({ name: 'telegram', token: '1:fake' });
    const { id, secret } = await userClient(sb).applicationKeys.create(applicationId);
    await append(sb, applicationId, 2);
    writeFileSync(join(folder, 'run.mjs'), RUN);
    const given = [sb.url, String(id), secret];
    const { stdout } = await run(OTHER_NODE, ['run.mjs', ...given], { cwd: folder });
    assert.deepEqual(JSON.parse(stdout), { state: 'queued', polled: 1, received: 2, count: 1 });
    for (const [i, other] of OTHERS.entries()) {
      const [program = '', ...args] = other.split(' ');
      const result = await run(program, [...args, 'run.mjs', ...given], { cwd: folder });
      const wanted = { state: 'queued', polled: 1, received: 2, count: 2 + i };
      assert.deepEqual(JSON.parse(result.stdout), wanted, other);
    }
  });

  it('runs in a browser', { skip: CHROMIUM.skip }, async () => {
    await using sb = await startTestService('sqlite');
    const { client, applicationId } = await applicationClient(sb);
    await client.integrations.create({ name: 'telegram', token: '1:fake' });
    const token = await sb.applicationToken(applicationId);
    await append(sb, applicationId, 2);
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await page.route('**/sdk/**', (route) => {
      const { pathname } = new URL(route.request().url());
      return route.fulfill({ path: join(SDK, 'dist', pathname.replace('/sdk/', '')) });
    });
    await page.goto(`${sb.url}/healthz`);
    const done: unknown = await page.evaluate(`(${IN_PAGE})(${JSON.stringify(token)})`);
    const wanted = { state: 'queued', polled: 1, received: 2, count: 1, code: 'invalid_fields' };
    assert.deepEqual(done, { ...wanted, sockets: 1 });
  });
});

const PROGRAM = `
import { type Event, Switchboard, SwitchboardError, note, reply, verifyWebhook } from '@switchboard/sdk';

const client = new Switchboard({ url: 'https://messages.example.com', key: { id: 1, secret: 's' } });
const state: 'scheduled' | 'queued' | 'suppressed' | 'failed' = (await client.messages.send({ to: '1', text: 'Hello' })).state;
await client.messages.send(note('Hello', { to: '1', via: 'telegram' }), { signal: AbortSignal.timeout(1) });
for await (const message of client.messages.list({ state: 'failed' })) console.log(message.error?.help);
for await (const event of client.events({ after: 1 })) {
  if (event.type === 'message.received') await client.messages.send(reply(event, state));
  if (event.type === 'message.failed') console.log(event.data.error?.code);
}
const event: Event | { type: 'webhook.test' } = await verifyWebhook('', new Headers(), 'secret');
try {
  await client.integrations.check(1);
} catch (error) {
  if (error instanceof SwitchboardError && error.code === 'not_found') console.log(event, error.status);
  // @ts-expect-error -- not an error code
  if (error instanceof SwitchboardError && error.code === 'not_fonud') throw error;
}
// @ts-expect-error -- a recipient is required
await client.messages.send({ text: 'Hello' });
`;

const RUN = `
import { Switchboard } from '@switchboard/sdk';

const [url, id, secret] = process.argv.slice(2);
const client = new Switchboard({ url, key: { id, secret } });
const { state } = await client.messages.send({ to: '1', text: 'Hello' });
const polled = (await client.events().next()).value.id;
const received = (await client.realtime({ after: 1 }).next()).value.id;
const { length: count } = await client.messages.list().all();
console.log(JSON.stringify({ state, polled, received, count }));
process.exit();
`;

const IN_PAGE = `async (token) => {
  const { Switchboard } = await import('/sdk/index.js');
  let sockets = 0;
  class Counted extends WebSocket {
    constructor(url) {
      super(url);
      sockets++;
    }
  }
  const client = new Switchboard({ url: location.origin, token, WebSocket: Counted });
  const { state } = await client.messages.send({ to: '1', text: 'Hello' });
  const polled = (await client.events().next()).value.id;
  const listening = client.realtime({ after: 1 });
  const received = (await listening.next()).value.id;
  await listening.return();
  const { length: count } = await client.messages.list().all();
  const { code } = await client.messages.send({ to: '', text: '' }).catch((error) => error);
  return { state, polled, received, count, code, sockets };
}`;
