import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import manifest from '../../package.json' with { type: 'json' };
import { EXIT } from '../../src/cli/exit.ts';
import { openEndpoint } from '../emulators/endpoint.ts';
import {
  type CommandOptions,
  MAIN,
  call,
  commandLine,
  makeApplication,
} from '../support/programs/command.ts';
import { requirement } from '../support/requirement.ts';
import { ENGINES } from '../support/store/databases.ts';

/** Runs a command in its own terminal. */
const SCRIPT = requirement('script', 'apt-get install bsdutils');

for (const engine of ENGINES) {
  it(`serve prints its address and how to sign in, and accepts the sign-in link once (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const { url, code, process } = await cli.serve();
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.match(process.stderr, /sign-in-link/);
    assert.match(process.stderr, /npm run -s switchboard -- token/);
    assert.equal((await call(url, 'GET', '/healthz')).status, 200);

    // There is no terminal, so the link is in a file for its owner only.
    const [, file = ''] = await process.printed('stdout', /"file":"([^"]+)"/);
    const { stdout, stderr } = process;
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const link = readFileSync(file, 'utf8');
    assert.match(link, new RegExp(`^${url}/sign-in#code=[\\w-]{32}\\n$`));
    assert.ok(stderr.includes(file));
    for (const printed of [stdout, stderr]) assert.doesNotMatch(printed, /code=/);

    // Both at once, so that neither wins by being alone.
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

it(
  'serve prints the sign-in link to a terminal and writes no file',
  { skip: SCRIPT.skip },
  async () => {
    await using cli = await commandLine('sqlite');
    const command = `'${process.execPath}' '${MAIN}' serve`;
    const log = join(cli.folder, 'typescript');
    const running = cli.start([], { launcher: [SCRIPT.path ?? '', '-qfc', command, log] });
    await running.printed('stdout', /\/sign-in#code=[\w-]{32} /);
    running.signalAll('SIGTERM');
    await running.exited;
    assert.deepEqual(
      readdirSync(cli.folder).filter((name) => name.endsWith('sign-in-link')),
      [],
    );
  },
);

it('serve starts when the sign-in link cannot be written and keeps it out of the log', async () => {
  await using cli = await commandLine('sqlite');
  mkdirSync(join(cli.folder, 'switchboard.db.sign-in-link', 'in-the-way'), { recursive: true });
  const { process } = await cli.serve();
  await process.printed('stdout', /"msg":"sign-in link not written/);
  assert.doesNotMatch(process.stdout + process.stderr, /code=/);
});

it('serve replaces the file of an earlier sign-in link and removes it once there is a password', async () => {
  await using cli = await commandLine('sqlite');
  const file = join(cli.folder, 'switchboard.db.sign-in-link');
  writeFileSync(file, 'from before', { mode: 0o644 });
  const first = await cli.serve();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await first.stop();
  await cli.run(['user', 'password', 'admin@localhost'], { input: 'correct horse\n' });
  await (await cli.serve()).stop();
  assert.ok(!existsSync(file));
});

it('serve prints no sign-in link once the first user has a password', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init', '--email', 'ada@example.com']);
  await cli.run(['user', 'password', 'ada@example.com'], { input: 'correct horse\n' });
  const { url, code, process } = await cli.serve();
  assert.equal(code, undefined);
  assert.doesNotMatch(process.stderr, /sign-in/i);
  const login = { email: 'ada@example.com', password: 'correct horse' };
  assert.equal((await call(url, 'POST', '/1/tokens', { json: login })).status, 201);
});

it('serve prints its public URL if one is set', async () => {
  await using cli = await commandLine('sqlite', {
    SWITCHBOARD_PUBLIC_URL: 'https://messages.example.com/',
  });
  const { url } = await cli.serve();
  assert.equal(url, 'https://messages.example.com');
  const link = readFileSync(join(cli.folder, 'switchboard.db.sign-in-link'), 'utf8');
  assert.ok(link.startsWith('https://messages.example.com/sign-in#code='));
});

it('serve keeps the sign-in code out of its log', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_LOG_LEVEL: 'trace' });
  const serving = await cli.serve();
  await call(serving.url, 'POST', '/1/tokens', { json: { code: serving.code } });
  const { stdout } = await serving.stop();
  assert.match(stdout, /\/1\/tokens/);
  assert.ok(serving.code && !stdout.includes(serving.code));
});

it('serve restarts on an existing store with its tokens', async () => {
  await using cli = await commandLine('sqlite');
  const first = await cli.serve();
  const token = await first.signIn();
  const before = await call(first.url, 'GET', '/1/users/me', { token });
  assert.equal((await first.stop()).code, 0);
  const second = await cli.serve();
  const after = await call(second.url, 'GET', '/1/users/me', { token });
  assert.deepEqual(after.body, before.body);
});

it('serve names the port in use and leaves it to the other program', async () => {
  await using cli = await commandLine('sqlite');
  const { url } = await cli.serve();
  const { port } = new URL(url);
  const { code, stderr } = await cli.run(['serve'], { environment: { SWITCHBOARD_PORT: port } });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^switchboard: SWITCHBOARD_PORT: ${port} [^\\n]+\\n$`));
  assert.equal((await call(url, 'GET', '/healthz')).status, 200);
});

for (const [what, make] of [
  ['a folder', (path: string) => mkdirSync(path)],
  ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
] as const) {
  it(`commands leave ${what} in place of the database as it is`, async () => {
    await using cli = await commandLine('sqlite');
    const backup = join(cli.folder, 'backup.db');
    assert.equal((await cli.run(['token'])).code, 0);
    assert.equal((await cli.run(['backup', backup])).code, 0);

    const path = join(cli.folder, what);
    make(path);
    chmodSync(path, 0o777);
    // Opening a pipe waits until somebody else has it open too.
    const held = what === 'a pipe' ? openSync(path, 'r+') : undefined;
    for (const args of [['serve'], ['token'], ['migrate'], ['restore', '--force', backup]]) {
      const environment = { SWITCHBOARD_DATABASE: path };
      const { code, stderr } = await cli.run(args, { environment });
      assert.equal(code, EXIT.usage, args[0]);
      assert.match(stderr, /^switchboard: SWITCHBOARD_DATABASE: [^\n]+\n$/, args[0]);
      assert.equal(statSync(path).mode & 0o777, 0o777, args[0]);
    }
    if (held !== undefined) closeSync(held);
    assert.deepEqual(
      readdirSync(cli.folder).filter((name) => name.startsWith(`${what}.`)),
      [],
    );
  });
}

it('serve warns about an unknown setting and starts', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_PROT: '80' });
  const serving = await cli.serve();
  const { code, stdout } = await serving.stop();
  assert.equal(code, 0);
  assert.match(stdout, /"setting":"SWITCHBOARD_PROT","msg":"unknown setting/);
});

it('serve creates its store once when several commands find none at the same time', async () => {
  await using cli = await commandLine('sqlite');
  const finished = await Promise.all(Array.from({ length: 4 }, () => cli.run(['token'])));
  for (const { code, stderr } of finished) assert.deepEqual([code, stderr], [0, '']);
  const { stdout } = await cli.run(['user', 'list', '--json']);
  assert.equal((JSON.parse(stdout) as unknown[]).length, 1);
});

describe('loopback webhooks', () => {
  /** Whether a tenant's webhook on this machine is reachable, and whether the service reports that. */
  async function reaches(options: CommandOptions & { args?: readonly string[] }) {
    await using cli = await commandLine('sqlite', { SWITCHBOARD_ALLOW_LOOPBACK: '' });
    const endpoint = await openEndpoint();
    try {
      const { process, signIn } = await cli.serve(options);
      const [, url = ''] = await process.printed('stdout', /"url":"(http:[^"]+)"/);
      const token = await signIn(url);
      const { applicationId } = await makeApplication(url, token);
      const path = `/1/applications/${applicationId}`;
      const { body } = await call(url, 'GET', path, { token });
      const json = { owner_id: body.owner_id, state: 'enable', webhook_url: endpoint.url };
      assert.equal((await call(url, 'PUT', path, { token, json })).status, 204);
      await call(url, 'POST', `${path}/webhook/test`, { token });
      const isReached = endpoint.seen.length > 0;
      assert.equal(/loopback/i.test(process.stderr), isReached, 'the service reports it');
      return isReached;
    } finally {
      await endpoint.close();
    }
  }

  it('loopback webhooks are blocked with serve, as the shipped files run it', async () => {
    assert.equal(await reaches({}), false);
  });

  it('loopback webhooks are allowed with npm start', async () => {
    assert.equal(manifest.scripts.start, 'node bin/switchboard.js serve --local');
    assert.equal(await reaches({ args: ['--local'] }), true);
  });

  const outward: Record<string, string>[] = [
    { SWITCHBOARD_PUBLIC_URL: 'https://messages.example.com' },
    { SWITCHBOARD_TRUST_PROXY: '127.0.0.1' },
    { SWITCHBOARD_HOST: '0.0.0.0' },
    { SWITCHBOARD_ALLOW_LOOPBACK: 'off' },
  ];
  for (const environment of outward) {
    const [[name, value] = []] = Object.entries(environment);
    it(`loopback webhooks are blocked with npm start and ${name}=${value}`, async () => {
      assert.equal(await reaches({ args: ['--local'], environment }), false);
    });
  }
});
