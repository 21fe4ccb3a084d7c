import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { it } from 'node:test';

import { SETTINGS } from '../../src/config.ts';
import { VERSION } from '../../src/lib/runtime/version.ts';
import { call, commandLine, makeApplication } from '../support/programs/command.ts';

const COMMANDS: Record<string, readonly string[]> = {
  '': [
    'serve',
    'init',
    'token',
    'user',
    'team',
    'channel',
    'migrate',
    'backup',
    'restore',
    'move',
    'doctor',
    'nodes',
    'rotate-keys',
    '--version',
  ],
  serve: ['--role'],
  init: ['--email'],
  token: ['--user', '--application', '--days'],
  'sign-in-link': ['--user', '--url'],
  user: ['add', 'list', 'password', 'enable', 'disable'],
  'user add': ['<email>', '--name', '--team', '--password-stdin'],
  'user list': ['--json'],
  'user password': ['<email>'],
  'user enable': ['<email>'],
  'user disable': ['<email>'],
  team: ['add', 'list'],
  'team add': ['<name>', '--email'],
  'team list': ['--json'],
  channel: ['new'],
  'channel new': ['<name>'],
  migrate: [],
  backup: ['<file>'],
  restore: ['<file>', '--force'],
  move: ['--to', '--even-if-running', '--json'],
  doctor: ['--json'],
  nodes: ['--json'],
  'rotate-keys': [],
};

/** The commands that call a server; docs/command-line.md shows how to use them. */
const REMOTE = [
  'applications',
  'cancel',
  'channels',
  'completion',
  'consents',
  'contacts',
  'conversations',
  'demo',
  'events',
  'integrations',
  'keys',
  'listen',
  'login',
  'logout',
  'mcp',
  'messages',
  'profiles',
  'pools',
  'quickstart',
  'reschedule',
  'resend',
  'retry',
  'sandbox',
  'send',
  'tail',
  'templates',
];

/** Invalid values: of some settings with a secret, and of one without. Each setting has its own tests. */
const BAD = {
  database: 'mysql://root:hunter2@localhost/x',
  databaseListenUrl: 'mysql://root:hunter2@localhost/x',
  secretKeys: 'k1:hunter2',
  port: '65536',
} as const;

it('explains every command and its options', async () => {
  await using cli = await commandLine('sqlite');
  for (const [name, mentions] of Object.entries(COMMANDS)) {
    const args = name.split(' ').filter(Boolean);
    const { code, stdout, stderr } = await cli.run([...args, '--help']);
    assert.deepEqual([code, stderr], [0, ''], name);
    assert.match(stdout, new RegExp(`^Usage: switchboard ${name}`));
    for (const mention of [...mentions, '--help']) assert.ok(stdout.includes(mention), mention);
  }
  const listed = (await cli.run(['--help'])).stdout.matchAll(/^ {2}([a-z-]+)(?:\|[a-z]+)? /gm);
  const known = Object.keys(COMMANDS).filter((name) => name && !name.includes(' '));
  const others = ['help', ...REMOTE];
  assert.deepEqual(
    [...listed].map(([, name]) => name).toSorted(),
    [...known, ...others].toSorted(),
  );
});

it('prints its version', async () => {
  await using cli = await commandLine('sqlite');
  assert.deepEqual((await cli.run(['--version'])).stdout, `${VERSION}\n`);
});

it('ends without an error when its reader leaves', async () => {
  await using cli = await commandLine('sqlite');
  for (const args of [['--help'], ['completion', 'bash']]) {
    const running = cli.start(args);
    running.child.stdout?.destroy();
    const { code, stderr } = await running.exited;
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
  }
});

it('a service continues when the reader of its output leaves', async () => {
  await using cli = await commandLine('sqlite');
  const { process, url, signIn, stop } = await cli.serve();
  process.child.stdout?.destroy();
  process.child.stderr?.destroy();
  const { applicationId } = await makeApplication(url, await signIn());
  assert.ok(applicationId > 0);
  assert.equal((await call(url, 'GET', '/readyz')).status, 200);
  assert.equal((await stop()).code, 0);
});

it('refuses an unknown command line and changes nothing', async () => {
  await using cli = await commandLine('sqlite');
  for (const args of [
    [],
    ['frobnicate'],
    ['serve', '--frobnicate'],
    ['serve', 'extra'],
    ['token', '--user'],
    ['user'],
    ['user', 'frobnicate'],
    ['user', 'add'],
    ['team', 'add', 'Name'],
  ]) {
    const { code, stdout, stderr } = await cli.run(args);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.notEqual(stderr, '');
  }
  assert.ok(!existsSync(cli.environment['SWITCHBOARD_DATABASE'] ?? ''));
});

it('does not start with an invalid setting and names it in one line', async () => {
  await using cli = await commandLine('sqlite');
  for (const [key, value] of Object.entries(BAD)) {
    const { name } = SETTINGS[key as keyof typeof BAD];
    const { code, stdout, stderr } = await cli.run(['serve'], { environment: { [name]: value } });
    assert.deepEqual([code, stdout], [2, ''], `${name}=${value}: ${stderr}`);
    assert.match(stderr, new RegExp(`^switchboard: ${name}: [^\\n]+\\n$`));
    assert.doesNotMatch(stderr, /hunter2/);
  }
});

it('treats an empty setting as unset', async () => {
  await using cli = await commandLine('sqlite');
  const empty = Object.values(SETTINGS)
    .map(({ name }) => name)
    .filter((name) => !['SWITCHBOARD_PORT', 'SWITCHBOARD_DATABASE'].includes(name));
  const environment = Object.fromEntries(empty.map((name) => [name, '']));
  const serving = await cli.serve({ environment });
  assert.equal((await serving.stop()).code, 0);
});

it('does not start on PostgreSQL without a key ring and offers a working one', async () => {
  await using cli = await commandLine('postgres');
  const { code, stderr } = await cli.run(['serve'], {
    environment: { SWITCHBOARD_SECRET_KEYS: '' },
  });
  assert.equal(code, 2);
  const [, ring = ''] = /^switchboard: SWITCHBOARD_SECRET_KEYS: .* (\S+)\n$/.exec(stderr) ?? [];
  const offered = { environment: { SWITCHBOARD_SECRET_KEYS: ring } };
  assert.equal((await cli.run(['init'], offered)).code, 0);
});
