import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  type Serving,
  call,
  commandLine,
  makeApplication,
  note,
} from '../support/programs/command.ts';
import { openConnection } from '../support/service/socket.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const CONNECTIONS = 20;
const REQUESTS = 200;
const STOP_AFTER_REQUESTS = 50;

for (const engine of ENGINES) {
  // The stores make no difference between signals.
  for (const signal of engine === 'sqlite'
    ? (['SIGTERM', 'SIGINT'] as const)
    : (['SIGTERM'] as const)) {
    it(`a service keeps all accepted messages after ${signal} under load (${engine})`, async () => {
      await using cli = await commandLine(engine, { SWITCHBOARD_STOP_TIMEOUT: '10' });
      const first = await cli.serve();
      const { token } = await makeApplication(first.url, await first.signIn());
      const { accepted, finished } = await stopUnderLoad(first, token, signal);
      assert.equal(finished.code, 0, finished.stdout);
      assert.match(finished.stdout, /"msg":"stopped"/);
      assert.ok(accepted.length >= STOP_AFTER_REQUESTS);

      const second = await cli.serve();
      const { body } = await call(second.url, 'GET', '/1/messages?limit=1000', { token });
      const stored = new Set(body.data.map(({ id }: { id: number }) => id));
      assert.deepEqual(
        accepted.filter((id) => !stored.has(id)),
        [],
      );
    });
  }
}

it('a stopping service finishes open requests and refuses new connections', async () => {
  await using cli = await commandLine('sqlite');
  const serving = await cli.serve();
  const { token: app } = await makeApplication(serving.url, await serving.signIn());
  using connection = await openConnection(serving.url);
  const body = JSON.stringify(note('under way'));
  connection.send(
    `POST /1/message HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `Expect: 100-continue\r\n\r\n`,
  );
  await connection.answered(/^HTTP\/1\.1 100 Continue/);
  serving.process.kill('SIGTERM');
  await serving.process.printed('stdout', /"msg":"stopping"/);
  // It says that it stops before it closes the server.
  await until('new connections are refused', () =>
    call(serving.url, 'GET', '/healthz').then(
      () => false,
      () => true,
    ),
  );
  connection.send(body);
  const answer = await connection.closed;
  assert.match(answer, /HTTP\/1\.1 202 Accepted/);
  assert.match(answer, /connection: close/i);
  assert.equal((await serving.process.exited).code, 0);
});

it('a stopping service does not wait for idle or unused connections', async () => {
  await using cli = await commandLine('sqlite');
  const serving = await cli.serve();
  using unused = await openConnection(serving.url);
  using connection = await openConnection(serving.url);
  connection.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await connection.answered(/"ok"/);
  assert.equal((await serving.stop()).code, 0);
  await connection.closed;
  await unused.closed;
});

it('a service stops gracefully even if a client never completes its request', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_STOP_TIMEOUT: '5' });
  const serving = await cli.serve();
  using connection = await openConnection(serving.url);
  connection.send('POST /1/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n');
  connection.send('Content-Length: 100\r\nExpect: 100-continue\r\n\r\n');
  await connection.answered(/^HTTP\/1\.1 100 Continue/);
  const { code, stdout } = await serving.stop();
  assert.equal(code, 0, stdout);
  assert.match(stdout, /"msg":"stopped"/);
});

/** Posts from many connections in parallel, and stops the service in the middle of it. */
async function stopUnderLoad({ url, process }: Serving, token: string, signal: NodeJS.Signals) {
  const accepted: number[] = [];
  let posted = 0;
  const post = async () => {
    while (posted < REQUESTS) {
      const json = note(`number ${++posted}`);
      // Requests after the stop fail; only accepted messages count.
      const reply = await call(url, 'POST', '/1/message', { token, json }).catch(() => undefined);
      if (!reply) return;
      assert.equal(reply.status, 202, reply.text);
      accepted.push(Number(reply.body.id));
      if (accepted.length === STOP_AFTER_REQUESTS) process.kill(signal);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, post));
  return { accepted, finished: await process.exited };
}
