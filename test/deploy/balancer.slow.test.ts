import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';

import { WebSocket } from 'ws';

import { note } from '../support/programs/command.ts';
import { requirement } from '../support/requirement.ts';
import { Client } from '../support/service/client.ts';
import { startTestService } from '../support/service/service.ts';
import { ROOT } from '../support/sources.ts';
import { createDatabase } from '../support/store/databases.ts';
import { freePort } from '../support/store/postgres.ts';
import { until } from '../support/until.ts';

const CADDY = requirement('caddy', 'apt-get install caddy');
const { skip } = CADDY;

it(
  'clients do not notice when a node behind the shipped Caddy configuration is replaced',
  { skip },
  async () => {
    await using stack = new AsyncDisposableStack();
    const database = await createDatabase('postgres', { migrated: true });
    stack.defer(() => database.dispose());
    const environment = {
      SWITCHBOARD_TRUST_PROXY: '127.0.0.1',
      // A little more than Caddy needs to notice.
      SWITCHBOARD_STOP_DELAY: '3',
    };
    const leaving = await startTestService('postgres', { database, environment });
    const staying = stack.use(
      await startTestService('postgres', {
        database,
        environment: { ...environment, SWITCHBOARD_STOP_DELAY: '0' },
      }),
    );
    const url = await startCaddy(stack, [leaving.url, staying.url]);
    const { application, app: direct } = await staying.application();
    const app = new Client(url, staying.service.routes, direct.token);
    await app.post('/1/integrations', {
      application_id: application.id,
      name: 'webmessenger',
      state: 'enable',
    });

    let sentCount = 0;
    const statuses = new Map<number, number>();
    const send = async () => {
      const { status } = await app.post('/1/message', note(`number ${++sentCount}`));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    const sendSome = () => Promise.all(Array.from({ length: 4 }, send));
    for (let i = 0; i < 10; i++) await sendSome();
    const posts = (lines: readonly string[]) =>
      lines.filter((line) => line.includes('"POST"')).length;
    assert.ok(posts(leaving.logs) > 0 && posts(staying.logs) > 0, 'both nodes get requests');

    const stop = { over: false };
    const stopped = leaving[Symbol.asyncDispose]().then(() => (stop.over = true));
    while (!stop.over) await sendSome();
    await stopped;
    for (let i = 0; i < 10; i++) await sendSome();
    assert.deepEqual([...statuses], [[202, sentCount]]);

    assert.equal((await fetch(`${url}/metrics`)).status, 404, 'Caddy does not expose metrics');
    const asker = staying.logs.map((line) => JSON.parse(line) as { ip?: string; path?: string });
    assert.ok(asker.some(({ ip, path }) => ip === '127.0.0.1' && path === '/1/message'));
    await streams(app, url);
  },
);

/** Checks that a WebSocket is forwarded. */
async function streams(app: Client, url: string): Promise<void> {
  const { body } = await app.get('/1/realtime');
  const { pathname } = new URL(body.url);
  const socket = new WebSocket(`${url.replace('http', 'ws')}${pathname}?after=0`);
  await once(socket, 'open');
  socket.terminate();
}

/** Runs Caddy with the shipped configuration; returns its address. */
async function startCaddy(stack: AsyncDisposableStack, nodes: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-caddy-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    CADDY.path ?? '',
    ['run', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/compose/Caddyfile')],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        SITE: url,
        NODES: nodes.map((node) => new URL(node).host).join(' '),
        CADDY_ADMIN: `unix/${join(folder, 'admin.sock')}`,
        HOME: folder,
      },
    },
  );
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4_000)));
  const exited = once(child, 'exit');
  stack.defer(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  await until('Caddy forwards requests', async () => {
    assert.equal(child.exitCode, null, log);
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    return answer?.status === 200;
  });
  return url;
}
