import assert from 'node:assert/strict';
import { it } from 'node:test';

import { call, commandLine } from '../support/command.ts';
import { ENGINES } from '../support/databases.ts';

for (const engine of ENGINES) {
  it(`says where it listens, how to sign in and how to get a token (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const { url, process } = await cli.serve();
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(process.stderr, new RegExp(`${url}/sign-in#code=[\\w-]{32} `));
    assert.match(process.stderr, /npm run -s switchboard -- token/);
    assert.equal((await call(url, 'GET', '/healthz')).status, 200);
  });

  it(`lets the holder of the sign-in link in once and never again (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const { url, code } = await cli.serve();
    // Both at once, so that neither can be the first by being alone.
    const replies = await Promise.all(
      [1, 2].map(() => call(url, 'POST', '/1/tokens', { json: { code } })),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 401]);
    const token = String(replies.find(({ status }) => status === 201)?.body.token);
    const me = await call(url, 'GET', '/1/users/me', { token });
    assert.deepEqual([me.status, me.body.name], [200, 'admin']);
    const again = await call(url, 'POST', '/1/tokens', { json: { code } });
    assert.deepEqual([again.status, again.body.code], [401, 'login_failed']);
  });
}

it('prints no sign-in link once the first user has a password', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init', '--email', 'ada@example.com']);
  await cli.run(['user', 'password', 'ada@example.com'], { input: 'correct horse\n' });
  const { url, code, process } = await cli.serve();
  assert.equal(code, undefined);
  assert.doesNotMatch(process.stderr, /sign-in/i);
  const login = { email: 'ada@example.com', password: 'correct horse' };
  assert.equal((await call(url, 'POST', '/1/tokens', { json: login })).status, 201);
});

it('names its public address, when it has one, in what it prints', async () => {
  await using cli = await commandLine('sqlite', {
    SWITCHBOARD_PUBLIC_URL: 'https://messages.example.com/',
  });
  const { url, process } = await cli.serve();
  assert.equal(url, 'https://messages.example.com');
  assert.match(process.stderr, /https:\/\/messages\.example\.com\/sign-in#code=/);
});

it('keeps the sign-in code out of its log', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_LOG_LEVEL: 'trace' });
  const serving = await cli.serve();
  await call(serving.url, 'POST', '/1/tokens', { json: { code: serving.code } });
  const { stdout } = await serving.stop();
  assert.match(stdout, /\/1\/tokens/);
  assert.ok(serving.code && !stdout.includes(serving.code));
});

it('starts anew on the store that an earlier run left, with its tokens', async () => {
  await using cli = await commandLine('sqlite');
  const first = await cli.serve();
  const token = (await cli.run(['token'])).stdout.trim();
  const before = await call(first.url, 'GET', '/1/users/me', { token });
  assert.equal((await first.stop()).code, 0);
  const second = await cli.serve();
  const after = await call(second.url, 'GET', '/1/users/me', { token });
  assert.deepEqual(after.body, before.body);
});

it('says which port is in use, and leaves it to the other program', async () => {
  await using cli = await commandLine('sqlite');
  const { url } = await cli.serve();
  const { port } = new URL(url);
  const { code, stderr } = await cli.run(['serve'], { environment: { SWITCHBOARD_PORT: port } });
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `switchboard: SWITCHBOARD_PORT: ${port} is in use by another program; choose another port\n`,
  );
  assert.equal((await call(url, 'GET', '/healthz')).status, 200);
});

it('warns of a setting that it does not know, and starts', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_PROT: '80' });
  const serving = await cli.serve();
  const { code, stdout } = await serving.stop();
  assert.equal(code, 0);
  assert.match(stdout, /"setting":"SWITCHBOARD_PROT","msg":"there is no such setting"/);
});

it('makes its store once, however many commands find none at the same moment', async () => {
  await using cli = await commandLine('sqlite');
  const finished = await Promise.all(Array.from({ length: 4 }, () => cli.run(['token'])));
  for (const { code, stderr } of finished) assert.deepEqual([code, stderr], [0, '']);
  const { stdout } = await cli.run(['user', 'list', '--json']);
  assert.equal((JSON.parse(stdout) as unknown[]).length, 1);
});
