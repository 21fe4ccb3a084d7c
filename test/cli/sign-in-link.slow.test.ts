import assert from 'node:assert/strict';
import { it } from 'node:test';

import { call, commandLine } from '../support/programs/command.ts';
import { ENGINES } from '../support/store/databases.ts';

const codeIn = (link: string) => new URL(link).hash.replace('#code=', '');

for (const engine of ENGINES) {
  it(`sign-in-link prints a link that the running service accepts once (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const { url } = await cli.serve();
    const { code, stdout, stderr } = await cli.run(['sign-in-link', '--url', `${url}/`]);
    assert.deepEqual([code, stderr], [0, '']);
    const link = stdout.trimEnd();
    assert.ok(link.startsWith(`${url}/sign-in#code=`), link);
    const login = { json: { code: codeIn(link) } };
    const first = await call(url, 'POST', '/1/tokens', login);
    assert.equal(first.status, 201);
    assert.equal((await call(url, 'POST', '/1/tokens', login)).status, 401);

    // The team's audit log shows that the operator created a link.
    const token = String(first.body.token);
    const { body } = await call(url, 'GET', '/1/audit?action=session.link_created', { token });
    const [entry] = body.data;
    assert.deepEqual(
      [entry.action, entry.actor.type, entry.subject.type],
      ['session.link_created', 'operator', 'user'],
    );
  });
}

it('sign-in-link --user signs that user in with or without a password', async () => {
  await using cli = await commandLine('sqlite');
  const { url } = await cli.serve();
  const add = ['user', 'add', 'ada@example.com', '--name', 'Ada', '--password-stdin'];
  await cli.run(add, { input: 'correct horse\n' });
  const args = ['sign-in-link', '--user', 'Ada@example.com', '--url', url];
  const { stdout } = await cli.run(args);
  const json = { code: codeIn(stdout.trim()) };
  const { body } = await call(url, 'POST', '/1/tokens', { json });
  const me = await call(url, 'GET', '/1/users/me', { token: String(body.token) });
  assert.equal(me.body.name, 'Ada');
});

it("sign-in-link uses the console's address from the settings", async () => {
  await using cli = await commandLine('sqlite');
  for (const [environment, expected] of [
    [{ SWITCHBOARD_PORT: '9000' }, 'http://127.0.0.1:9000'],
    [{ SWITCHBOARD_PORT: '9000', SWITCHBOARD_HOST: '0.0.0.0' }, 'http://localhost:9000'],
    [{ SWITCHBOARD_PORT: '9000', SWITCHBOARD_HOST: '::1' }, 'http://[::1]:9000'],
    [{ SWITCHBOARD_PUBLIC_URL: 'https://messages.example.com' }, 'https://messages.example.com'],
  ] as const) {
    const { stdout } = await cli.run(['sign-in-link'], { environment });
    assert.ok(stdout.startsWith(`${expected}/sign-in#code=`), stdout);
  }
});

it('sign-in-link fails when it cannot create a working link', async () => {
  await using cli = await commandLine('sqlite');
  // With port 0 in the settings, only the running service knows its port.
  assert.equal((await cli.run(['sign-in-link'])).code, 2);
  assert.equal((await cli.run(['sign-in-link', '--url', 'nowhere'])).code, 2);
  const url = ['--url', 'http://localhost:8080'];
  const nobody = ['sign-in-link', '--user', 'nobody@example.com', ...url];
  assert.equal((await cli.run(nobody)).code, 3);
  await cli.run(['init', '--email', 'ada@example.com']);
  await cli.run(['user', 'disable', 'ada@example.com']);
  const disabled = await cli.run(['sign-in-link', '--user', 'ada@example.com', ...url]);
  assert.deepEqual([disabled.code, disabled.stdout], [1, '']);
});
