import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Connections, withPromptTimeout } from '../../src/store/postgres/connections.ts';
import { commandLine, call, makeApplication, note } from '../support/programs/command.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';
import { type Proxy, openProxy } from './scenarios/proxy.ts';

const MAX_SILENCE_MS = 5_000;
/** Idle connections are checked before they are used. */
const IDLE_MS = 50;
/** Allowance for a busy machine. */
const SLACK_MS = 15_000;

interface Behind extends AsyncDisposable {
  proxy: Proxy;
  database: TestDatabase;
}

function openConnections(connectionString: string | undefined) {
  const connections = new Connections({ connectionString }, () => {});
  return { pool: connections.pool, runPrompt: connections.runPrompt.bind(connections) };
}

/** A database behind a proxy. */
async function openBehindProxy(): Promise<Behind> {
  const plain = await createDatabase('postgres', { migrated: true });
  const url = new URL(plain.environment['SWITCHBOARD_DATABASE'] ?? '');
  const proxy = await openProxy(Number(url.port));
  url.port = String(proxy.port);
  url.hostname = '127.0.0.1';
  const environment = { ...plain.environment, SWITCHBOARD_DATABASE: url.href };
  return {
    proxy,
    database: { ...plain, environment },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await plain.dispose();
    },
  };
}

it('unresponsive PostgreSQL connections are detected within 5 s and all replaced at once', async () => {
  await using behind = await openBehindProxy();
  await using sb = await startTestService('postgres', { database: behind.database });
  const { application, app } = await sb.application();
  await integrate(app, application.id);
  // What the application needs to send is cached from here on.
  assert.equal((await app.post('/1/message', message())).status, 202);
  // Fills the pool.
  await Promise.all(Array.from({ length: 30 }, () => app.get('/1/messages')));
  behind.proxy.silence();
  const since = performance.now();
  const refused = await app.post('/1/message', message());
  assert.deepEqual([refused.status, refused.body.code], [503, 'store_unavailable']);
  const found = performance.now() - since;
  assert.ok(found < MAX_SILENCE_MS + SLACK_MS, `${found} ms`);
  // None of the unresponsive connections is used again.
  const again = performance.now();
  for (let i = 0; i < 20; i++) assert.equal((await app.post('/1/message', message())).status, 202);
  assert.ok(performance.now() - again < MAX_SILENCE_MS + SLACK_MS);
  await until('it is ready', async () => (await sb.as(undefined).get('/readyz')).status === 200);
});

it('an unresponsive PostgreSQL connection is not used again, even at the moment of its detection', async () => {
  await using behind = await openBehindProxy();
  const connectionString = behind.database.environment['SWITCHBOARD_DATABASE'];
  const { pool, runPrompt } = openConnections(connectionString);
  const ask = () => runPrompt((client) => client.query(withPromptTimeout({ text: 'select 1' })));
  await Promise.all([ask(), ask(), ask()]);
  assert.equal(pool.idleCount, 3);
  behind.proxy.silence();
  await assert.rejects(ask());
  assert.equal((await ask()).rowCount, 1);
  await pool.end();
});

it('the first lookup over a connection whose server vanished is refused within 5 s', async () => {
  await using behind = await openBehindProxy();
  await using sb = await startTestService('postgres', { database: behind.database });
  const { application, app } = await sb.application();
  await integrate(app, application.id);
  for (const look of [
    () => app.get('/1/messages'),
    // Nothing of it is cached.
    () => app.post('/1/message', message()),
    () => app.post('/1/message?dry_run=true', message()),
    () => sb.api.get('/1/applications'),
  ]) {
    assert.ok((await look()).status < 300);
    const idleSince = performance.now();
    await until('connections are idle', () => performance.now() - idleSince > IDLE_MS);
    behind.proxy.silence();
    const since = performance.now();
    const { status, body } = await look();
    const took = performance.now() - since;
    assert.ok(took < MAX_SILENCE_MS + SLACK_MS, `${took} ms`);
    if (status >= 300) assert.deepEqual([status, body.code], [503, 'store_unavailable']);
    await until('it answers', async () => (await look()).status < 300);
  }
});

it('a service whose store never answers becomes not ready within 5 s, and ends within 25 s of SIGTERM', async () => {
  await using behind = await openBehindProxy();
  await using cli = await commandLine('sqlite', behind.database.environment);
  const { url, process, signIn } = await cli.serve();
  const { token } = await makeApplication(url, await signIn());
  assert.equal((await call(url, 'POST', '/1/message', { token, json: note('x') })).status, 202);
  behind.proxy.silence({ forGood: true });
  const silentSince = performance.now();
  await until('it is not ready', async () => (await call(url, 'GET', '/readyz')).status === 503);
  const took = performance.now() - silentSince;
  assert.ok(took < MAX_SILENCE_MS + SLACK_MS, `${took} ms`);
  const since = performance.now();
  process.kill('SIGTERM');
  await process.exited;
  const stop = performance.now() - since;
  assert.ok(stop < 25_000 + SLACK_MS, `${stop} ms`);
});
