import assert from 'node:assert/strict';
import { it } from 'node:test';

import { call, commandLine } from '../support/programs/command.ts';
import { startTestService } from '../support/service/service.ts';

interface Line {
  level: string;
  time: string;
  msg: string;
  request_id?: string;
  [field: string]: unknown;
}

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

it('the log has every request under the id of its response', async () => {
  await using sb = await startTestService('sqlite');
  const { application } = await sb.application();
  const requests = [
    { reply: await sb.api.get('/1/users/me'), method: 'GET', path: '/1/users/me' },
    { reply: await sb.api.get('/1/nothing?secret=1'), method: 'GET', path: '/1/nothing' },
    { reply: await sb.as(undefined).post('/1/message'), method: 'POST', path: '/1/message' },
    {
      reply: await sb.api.put(`/1/applications/${application.id}`, { name: 'x' }),
      method: 'PUT',
      path: `/1/applications/${application.id}`,
    },
  ];
  assert.deepEqual(
    requests.map(({ reply }) => reply.status),
    [200, 404, 401, 422],
  );
  const lines = sb.logs.map((line) => JSON.parse(line) as Line);
  for (const { reply, method, path } of requests) {
    const id = reply.headers.get('x-request-id');
    assert.ok(id);
    if (reply.status >= 400) assert.equal(reply.body.request_id, id);
    const own = lines.filter(({ request_id: logged }) => logged === id);
    assert.equal(own.length, 1, path);
    const [line] = own;
    assert.deepEqual(
      [line?.['method'], line?.['path'], line?.['status'], line?.['ip']],
      [method, path, reply.status, '127.0.0.1'],
    );
    assert.equal(typeof line?.['ms'], 'number');
  }
  assert.doesNotMatch(sb.logs.join(''), /secret=1/);
});

it('each request gets its own id, not one from the client', async () => {
  await using sb = await startTestService('sqlite');
  const headers = { 'x-request-id': 'mine', 'request-id': 'mine' };
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => sb.api.get('/healthz', { headers })),
  );
  const ids = replies.map((reply) => reply.headers.get('x-request-id') ?? '');
  assert.equal(new Set(ids).size, 20);
  assert.ok(ids.every((id) => /^[\w-]{8,32}$/.test(id)));
});

it('the log is one JSON record per line, with level and time', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_LOG_LEVEL: 'trace' });
  const serving = await cli.serve();
  await call(serving.url, 'GET', '/healthz');
  await call(serving.url, 'GET', '/1/users/me');
  const { stdout } = await serving.stop();
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  for (const { level, time } of lines) {
    assert.ok(LEVELS.includes(level), level);
    assert.equal(new Date(time).toISOString(), time);
  }
  assert.deepEqual(
    lines.filter(({ msg }) => msg === 'request').map(({ level, status }) => [level, status]),
    [
      ['debug', 200],
      ['info', 401],
    ],
  );
  assert.deepEqual(
    lines.map(({ msg }) => msg).filter((msg) => msg !== 'request'),
    ['sign-in link written', 'listening', 'loopback reachable', 'stopping', 'stopped'],
  );
});

it('the log omits records below its level', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_LOG_LEVEL: 'warn' });
  const serving = await cli.serve();
  await call(serving.url, 'GET', '/1/users/me');
  assert.equal((await serving.stop()).stdout, '');
});
