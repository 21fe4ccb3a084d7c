import assert from 'node:assert/strict';
import { it } from 'node:test';

import { decodeJwt } from 'jose';

import { call, commandLine, makeApplication } from '../support/programs/command.ts';
import { ENGINES } from '../support/store/databases.ts';

const DAY = 24 * 60 * 60;
const TOKEN_ALONE = /^[\w-]+\.[\w-]+\.[\w-]+\n$/;

for (const engine of ENGINES) {
  it(`token prints only a token, which the running service accepts at once (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const { url } = await cli.serve();
    const { code, stdout, stderr } = await cli.run(['token']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, TOKEN_ALONE);
    const me = await call(url, 'GET', '/1/users/me', { token: stdout.trim() });
    assert.deepEqual([me.status, me.body.name], [200, 'admin']);
  });
}

it('token issues tokens for any user and application', async () => {
  await using cli = await commandLine('sqlite');
  const { url } = await cli.serve();
  await cli.run(['user', 'add', 'ada@example.com', '--name', 'Ada']);
  const user = await cli.run(['token', '--user', 'Ada@Example.com']);
  const me = await call(url, 'GET', '/1/users/me', { token: user.stdout.trim() });
  assert.equal(me.body.name, 'Ada');

  const { applicationId } = await makeApplication(url, user.stdout.trim());
  const application = await cli.run(['token', '--application', String(applicationId)]);
  assert.match(application.stdout, TOKEN_ALONE);
  const path = `/1/applications/${applicationId}/integrations`;
  const list = await call(url, 'GET', path, { token: application.stdout.trim() });
  assert.deepEqual([list.status, list.body.data.length], [200, 1]);
});

it('token creates the store and its first user when there is none', async () => {
  await using cli = await commandLine('sqlite');
  const token = (await cli.run(['token'])).stdout.trim();
  const { url } = await cli.serve();
  assert.equal((await call(url, 'GET', '/1/users/me', { token })).status, 200);
});

it('token issues tokens for the given number of days, by default 30', async () => {
  await using cli = await commandLine('sqlite');
  for (const [args, days] of [
    [['token'], 30],
    [['token', '--days', '1'], 1],
    [['token', '--days', '3650'], 3650],
  ] as const) {
    const { exp, iat } = decodeJwt((await cli.run(args)).stdout.trim());
    assert.equal((exp ?? 0) - (iat ?? 0), days * DAY);
  }
});

it('token refuses an invalid number of days', async () => {
  await using cli = await commandLine('sqlite');
  for (const days of ['0', '-1', '1.5', '3651', 'week', '']) {
    const { code, stdout, stderr } = await cli.run(['token', `--days=${days}`]);
    assert.deepEqual([code, stdout], [2, ''], days);
    assert.match(stderr, /--days.*1 to 3650/);
  }
});

it('token reports an unknown user or application with its own exit code', async () => {
  await using cli = await commandLine('sqlite');
  const user = await cli.run(['token', '--user', 'nobody@example.com']);
  assert.deepEqual([user.code, user.stdout], [3, '']);
  assert.match(user.stderr, /^switchboard: [^\n]*nobody@example\.com[^\n]*"user list"[^\n]*\n$/);
  for (const id of ['4711', '0', '-1', 'abc', '99999999999999999999']) {
    const { code, stdout, stderr } = await cli.run(['token', `--application=${id}`]);
    assert.deepEqual([code, stdout], [3, ''], id);
    assert.ok(stderr.startsWith('switchboard: ') && stderr.includes(id), stderr);
  }
});

it('token refuses both a user and an application', async () => {
  await using cli = await commandLine('sqlite');
  const both = ['token', '--user', 'a@example.com', '--application', '1'];
  const { code, stdout, stderr } = await cli.run(both);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /^switchboard: [^\n]*--user[^\n]*--application[^\n]*\n$/);
});
