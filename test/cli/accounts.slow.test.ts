import assert from 'node:assert/strict';
import { it } from 'node:test';

import { call, commandLine } from '../support/command.ts';
import { ENGINES } from '../support/databases.ts';
import { until } from '../support/until.ts';

for (const engine of ENGINES) {
  it(`makes the store and its first user once (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const first = await cli.run(['init', '--email', 'Ada@Example.com']);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    assert.match(first.stdout, /^Made the store, a first team and its owner ada@example\.com\./);
    const second = await cli.run(['init', '--email', 'other@example.com']);
    assert.deepEqual([second.code, second.stderr], [0, '']);
    assert.equal(second.stdout, 'The store is there already; its first user is ada@example.com.\n');
    const users = JSON.parse((await cli.run(['user', 'list', '--json'])).stdout);
    assert.deepEqual(
      users.map(({ email }: { email: string }) => email),
      ['ada@example.com'],
    );
  });

  it(`brings the database up to date once, and needs no key ring for it (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const withoutRing = { environment: { SWITCHBOARD_SECRET_KEYS: '' } };
    const first = await cli.run(['migrate'], withoutRing);
    assert.equal(first.code, 0);
    assert.match(first.stdout, /^(Applied \d{4}-\S+\.\n)+$/);
    const second = await cli.run(['migrate'], withoutRing);
    assert.deepEqual([second.code, second.stdout], [0, 'The database is up to date.\n']);
  });

  it(`adds users and teams, and lists them (${engine})`, async () => {
    await using cli = await commandLine(engine);
    await cli.run(['init']);
    const team = await cli.run(['team', 'add', 'Second', '--email', 'grace@example.com']);
    const [, teamId = ''] =
      /^Made team (\d+) \(Second\) with its owner grace@example\.com, user \d+\.\n$/.exec(
        team.stdout,
      ) ?? [];
    const user = await cli.run(['user', 'add', 'ada@example.com', '--team', teamId]);
    assert.match(
      user.stdout,
      new RegExp(`^Added ada@example.com as user \\d+ to team ${teamId}\\.`),
    );

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
    assert.equal(set.stdout, 'admin@localhost has a new password; earlier sign-ins have ended.\n');
    const login = { email: 'admin@localhost', password: 'new password' };
    const { status, body } = await call(url, 'POST', '/1/tokens', { json: login });
    assert.equal(status, 201);
    await until('the sign-in has ended', async () => (await answered(earlier)) === 401);

    const token = String(body.token);
    assert.equal(await answered(token), 200);
    const disabled = await cli.run(['user', 'disable', 'admin@localhost']);
    assert.deepEqual([disabled.code, disabled.stdout], [0, 'admin@localhost is disabled.\n']);
    await until('the user is disabled', async () => (await answered(token)) === 403);
    const enabled = await cli.run(['user', 'enable', 'admin@localhost']);
    assert.deepEqual([enabled.code, enabled.stdout], [0, 'admin@localhost is enabled.\n']);
    await until('the user is enabled', async () => (await answered(token)) === 200);
  });
}

it('gives a new user a password from standard input', async () => {
  await using cli = await commandLine('sqlite');
  const { url } = await cli.serve();
  const add = ['user', 'add', 'ada@example.com', '--password-stdin'];
  assert.equal((await cli.run(add, { input: 'correct horse\n' })).code, 0);
  const login = { email: 'ada@example.com', password: 'correct horse' };
  assert.equal((await call(url, 'POST', '/1/tokens', { json: login })).status, 201);
});

it('refuses what it cannot do in one line, with an exit code that says why', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init']);
  const cases: [args: string[], code: number, words: string, input?: string][] = [
    [['user', 'add', 'admin@localhost'], 1, 'admin@localhost is a user already'],
    [['team', 'add', 'T', '--email', 'admin@localhost'], 1, 'admin@localhost is a user already'],
    [['user', 'add', 'ada'], 2, '"ada" is not an email address'],
    [['team', 'add', 'T', '--email', 'a b@c'], 2, '"a b@c" is not an email address'],
    [['user', 'add', 'a@b', '--team', '99'], 3, 'there is no team 99; "team list" shows them'],
    [['user', 'disable', 'x@y'], 3, 'there is no user x@y; "user list" shows them'],
    [['user', 'password', 'x@y'], 3, 'there is no user x@y; "user list" shows them', 'long enough'],
    [['user', 'password', 'admin@localhost'], 2, 'a password has 8 to 1024 characters', 'short\n'],
    [['user', 'password', 'admin@localhost'], 2, 'a password has 8 to 1024 characters', ''],
  ];
  for (const [args, expected, words, input = ''] of cases) {
    const { code, stdout, stderr } = await cli.run(args, { input });
    assert.deepEqual(
      [code, stdout, stderr],
      [expected, '', `switchboard: ${words}\n`],
      args.join(' '),
    );
  }
});

it('says that there is no team before the store has one', async () => {
  await using cli = await commandLine('sqlite');
  const { code, stderr } = await cli.run(['user', 'add', 'ada@example.com']);
  assert.equal(code, 3);
  assert.equal(stderr, 'switchboard: there is no team yet; "init" makes one\n');
  assert.equal((await cli.run(['user', 'list'])).stdout, 'None.\n');
});

it('lets several commands work on the embedded store at the same moment', async () => {
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
