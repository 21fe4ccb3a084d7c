import assert from 'node:assert/strict';
import { it } from 'node:test';

import { call, commandLine } from '../support/programs/command.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

for (const engine of ENGINES) {
  it(`init creates the store and its first user once (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const first = await cli.run(['init', '--email', 'Ada@Example.com']);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    assert.match(first.stdout, /ada@example\.com/);
    const second = await cli.run(['init', '--email', 'other@example.com']);
    assert.deepEqual([second.code, second.stderr], [0, '']);
    assert.match(second.stdout, /ada@example\.com/);
    assert.doesNotMatch(second.stdout, /other@example\.com/);
    const users = JSON.parse((await cli.run(['user', 'list', '--json'])).stdout);
    assert.deepEqual(
      users.map(({ email }: { email: string }) => email),
      ['ada@example.com'],
    );
  });

  it(`migrates the database once and needs no key ring for it (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const withoutRing = { environment: { SWITCHBOARD_SECRET_KEYS: '' } };
    const first = await cli.run(['migrate'], withoutRing);
    assert.equal(first.code, 0);
    assert.match(first.stdout, /^(.*\b\d{4}-\S+\n)+$/);
    const second = await cli.run(['migrate'], withoutRing);
    assert.equal(second.code, 0);
    assert.doesNotMatch(second.stdout, /\d{4}-/);
  });

  it(`sets a password, disables and enables a user while the service runs (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const { url, code } = await cli.serve();
    const signedIn = await call(url, 'POST', '/1/tokens', { json: { code } });
    const earlier = String(signedIn.body.token);
    const answered = async (token: string) =>
      (await call(url, 'GET', '/1/applications', { token })).status;
    assert.equal(await answered(earlier), 200);

    const set = await cli.run(['user', 'password', 'admin@localhost'], { input: 'new password\n' });
    assert.deepEqual([set.code, set.stderr], [0, '']);
    assert.match(set.stdout, /admin@localhost/);
    const login = { email: 'admin@localhost', password: 'new password' };
    const { status, body } = await call(url, 'POST', '/1/tokens', { json: login });
    assert.equal(status, 201);
    await until('the sign-in has ended', async () => (await answered(earlier)) === 401);

    const token = String(body.token);
    assert.equal(await answered(token), 200);
    const disabled = await cli.run(['user', 'disable', 'admin@localhost']);
    assert.deepEqual([disabled.code, disabled.stderr], [0, '']);
    await until('the user is disabled', async () => (await answered(token)) === 403);
    const enabled = await cli.run(['user', 'enable', 'admin@localhost']);
    assert.deepEqual([enabled.code, enabled.stderr], [0, '']);
    await until('the user is enabled', async () => (await answered(token)) === 200);
  });
}

it('names and labels that the API refuses are usage errors, and nothing is stored', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init']);
  for (const text of ['', ' ', 'a\u001b[31m', 'x'.repeat(201)]) {
    for (const command of [
      ['team', 'add', text, '--email', 'grace@example.com'],
      ['user', 'add', 'grace@example.com', '--name', text],
      ['token', '--label', text],
    ]) {
      const { code, stdout } = await cli.run(command);
      assert.deepEqual([code, stdout], [2, ''], command.join(' '));
    }
  }
  const users = JSON.parse((await cli.run(['user', 'list', '--json'])).stdout);
  assert.equal(users.length, 1);
});

it('user and team commands add and list users and teams', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init']);
  const team = await cli.run(['team', 'add', 'Second', '--email', 'grace@example.com']);
  const [, teamId = ''] =
    /team (\d+) \(Second\).*grace@example\.com.*user \d+/.exec(team.stdout) ?? [];
  const user = await cli.run(['user', 'add', 'ada@example.com', '--team', teamId]);
  assert.match(user.stdout, new RegExp(`ada@example\\.com.*user \\d+.*team ${teamId}\\b`));

  const users = JSON.parse((await cli.run(['user', 'list', '--json'])).stdout);
  const shown = users.map(({ email, team: of, state }: Record<string, unknown>) => [
    email,
    of === Number(teamId),
    state,
  ]);
  assert.deepEqual(shown.toSorted(), [
    ['ada@example.com', true, 'enable'],
    ['admin@localhost', false, 'enable'],
    ['grace@example.com', true, 'enable'],
  ]);
  const teams = JSON.parse((await cli.run(['team', 'list', '--json'])).stdout);
  assert.deepEqual(teams.map(({ name }: { name: string }) => name).toSorted(), [
    'First team',
    'Second',
  ]);
  const table = (await cli.run(['team', 'list'])).stdout.split('\n');
  assert.match(table[0] ?? '', /^id +name +owner +created$/);
  assert.equal(table.length, 4);
});

it('gives a new user a password from standard input', async () => {
  await using cli = await commandLine('sqlite');
  const { url } = await cli.serve();
  const add = ['user', 'add', 'ada@example.com', '--password-stdin'];
  assert.equal((await cli.run(add, { input: 'correct horse\n' })).code, 0);
  const login = { email: 'ada@example.com', password: 'correct horse' };
  assert.equal((await call(url, 'POST', '/1/tokens', { json: login })).status, 201);
});

it('refuses invalid commands in one line with a distinct exit code', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init']);
  const cases: [args: string[], code: number, named: string, input?: string][] = [
    [['user', 'add', 'admin@localhost'], 1, 'admin@localhost'],
    [['team', 'add', 'T', '--email', 'admin@localhost'], 1, 'admin@localhost'],
    [['user', 'add', 'ada'], 2, '"ada"'],
    [['team', 'add', 'T', '--email', 'a b@c'], 2, '"a b@c"'],
    [['user', 'add', 'a@b', '--team', '99'], 3, '99'],
    [['user', 'disable', 'x@y'], 3, 'x@y'],
    [['user', 'password', 'x@y'], 3, 'x@y', 'long enough'],
    [['user', 'password', 'admin@localhost'], 2, '8 to 1024', 'short\n'],
    [['user', 'password', 'admin@localhost'], 2, '8 to 1024', ''],
  ];
  for (const [args, expected, named, input = ''] of cases) {
    const { code, stdout, stderr } = await cli.run(args, { input });
    assert.deepEqual([code, stdout], [expected, ''], args.join(' '));
    assert.match(stderr, /^switchboard: [^\n]+\n$/);
    assert.ok(stderr.includes(named), stderr);
  }
});

it('reports that there is no team while the store has none', async () => {
  await using cli = await commandLine('sqlite');
  const { code, stderr } = await cli.run(['user', 'add', 'ada@example.com']);
  assert.equal(code, 3);
  assert.match(stderr, /^switchboard: [^\n]*"init"[^\n]*\n$/);
  assert.equal((await cli.run(['user', 'list'])).stdout, 'None.\n');
});

it('lets several commands use the embedded store at the same time', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init']);
  const emails = Array.from({ length: 6 }, (_, i) => `user${i}@example.com`);
  const added = await Promise.all(emails.map((email) => cli.run(['user', 'add', email])));
  assert.deepEqual(
    added.filter(({ code }) => code !== 0).map(({ stderr }) => stderr),
    [],
  );
  const users = JSON.parse((await cli.run(['user', 'list', '--json'])).stdout);
  assert.equal(users.length, emails.length + 1);
});
