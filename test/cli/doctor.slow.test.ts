import assert from 'node:assert/strict';
import { chmodSync, rmSync } from 'node:fs';
import { it } from 'node:test';

import { sql } from 'kysely';

import { readConfig } from '../../src/config.ts';
import { formatKeyRing, generateRingKey } from '../../src/lib/crypto/seal.ts';
import { openStore } from '../../src/setup.ts';
import { type CommandLine, type CommandOptions, commandLine } from '../support/programs/command.ts';
import { ENGINES } from '../support/store/databases.ts';
import { startPostgres } from '../support/store/postgres.ts';

interface Finding {
  check: string;
  result: string;
  detail: string;
}

it('doctor finds no problem with a healthy store, also while the service runs', async () => {
  await using cli = await commandLine('sqlite');
  await cli.serve();
  const { code, stdout, stderr } = await cli.run(['doctor']);
  assert.deepEqual([code, stderr], [0, '']);
  for (const check of ['settings', 'store', 'keys', 'disk', 'clock']) {
    assert.match(stdout, new RegExp(`^(ok|warning) +${check} `, 'm'));
  }
  assert.doesNotMatch(stdout, /problem/);
});

it('doctor finds no problem with a healthy PostgreSQL and reports an unreachable one', async () => {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres();
  stack.defer(() => postgres.dispose());
  const cli = stack.use(await commandLine('sqlite'));
  const environment = {
    SWITCHBOARD_DATABASE: postgres.url.replace('@', ':hunter2@'),
    SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
  };
  const before = await cli.run(['doctor'], { environment });
  assert.match(before.stdout, /warning +store .*"migrate".*\d{4}-/);
  const again = await cli.run(['doctor'], { environment });
  assert.equal(
    again.stdout.split('\n')[1],
    before.stdout.split('\n')[1],
    'the doctor changes nothing',
  );
  await cli.run(['migrate'], { environment });
  const healthy = await cli.run(['doctor', '--json'], { environment });
  assert.equal(healthy.code, 0, healthy.stdout);
  assert.match(healthy.stdout, /PostgreSQL \d+\.\d+/);

  await postgres.stop('fast');
  const { check, detail } = await problem(cli, { environment });
  assert.equal(check, 'store');
  assert.match(detail, /SWITCHBOARD_DATABASE/);
  assert.doesNotMatch(detail, /hunter2/);
});

for (const engine of ENGINES) {
  it(`doctor names the required version for a store of a newer one, as serve does (${engine})`, async () => {
    await using cli = await commandLine(engine);
    await cli.run(['init']);
    const store = await openStore(readConfig(cli.environment));
    const { db } = store.engine;
    await sql`insert into migrations (name, timestamp) values ('9999-later', '2030')`.execute(db);
    await sql`update store_version set version = '9.8.7'`.execute(db);
    await store.close();
    const { check, detail } = await problem(cli);
    assert.equal(check, 'store');
    assert.match(detail, /version 9\.8\.7/);
    for (const command of ['serve', 'migrate', 'token']) {
      const { code, stderr } = await cli.run([command]);
      assert.equal(code, 1, command);
      assert.match(stderr, /^switchboard: [^\n]*version 9\.8\.7[^\n]*\n$/, command);
    }
  });
}

it('doctor names a database that does not exist in PostgreSQL', async () => {
  await using cli = await commandLine('postgres');
  const url = `${cli.environment['SWITCHBOARD_DATABASE']}_missing`;
  const { check, detail } = await problem(cli, { environment: { SWITCHBOARD_DATABASE: url } });
  assert.equal(check, 'store');
  assert.match(detail, /SWITCHBOARD_DATABASE.*_missing" does not exist/);
});

it('doctor warns about a PostgreSQL without fsync', async () => {
  // The server shared by all tests runs without fsync.
  await using cli = await commandLine('postgres');
  const { check, detail } = await problem(cli);
  assert.equal(check, 'store');
  assert.match(detail, /fsync = on/);
});

it('doctor names an invalid setting', async () => {
  await using cli = await commandLine('sqlite');
  const { check, detail } = await problem(cli, { environment: { SWITCHBOARD_PORT: 'http' } });
  assert.equal(check, 'settings');
  assert.match(detail, /^SWITCHBOARD_PORT: .*"http".*0 to 65535/);
});

it('doctor warns about an unknown setting', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_PROT: '80' });
  const { code, stdout } = await cli.run(['doctor']);
  assert.equal(code, 0);
  assert.match(stdout, /^warning +settings +SWITCHBOARD_PROT: /m);
});

it('doctor explains how to fix a missing key ring file and creates no new one', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init']);
  const file = ringFile(cli);
  rmSync(file);
  for (let times = 0; times < 2; times++) {
    const { check, detail } = await problem(cli);
    assert.equal(check, 'keys');
    assert.match(detail, /SWITCHBOARD_SECRET_KEYS/);
    assert.ok(detail.startsWith(file));
  }
  const serve = await cli.run(['serve']);
  assert.deepEqual([serve.code, serve.stderr.split('\n').length], [2, 2]);
});

it('doctor explains how to fix a key ring of another store', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init']);
  const environment = { SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]) };
  const { check, detail } = await problem(cli, { environment });
  assert.equal(check, 'keys');
  assert.match(detail, /^SWITCHBOARD_SECRET_KEYS: /);
  assert.equal((await cli.run(['serve'], { environment })).code, 2);
});

it('doctor explains how to fix a key ring file that others can read', async () => {
  await using cli = await commandLine('sqlite');
  await cli.run(['init']);
  chmodSync(ringFile(cli), 0o644);
  const { check, detail } = await problem(cli);
  assert.equal(check, 'keys');
  assert.ok(detail.endsWith(`chmod 600 ${ringFile(cli)}`));
});

it('doctor reports an invalid database file', async () => {
  await using cli = await commandLine('sqlite');
  const environment = { SWITCHBOARD_DATABASE: cli.folder };
  const { check, detail } = await problem(cli, { environment });
  assert.equal(check, 'store');
  assert.match(detail, new RegExp(cli.folder));
});

/** Runs the doctor, which must find exactly one problem, and returns it. */
async function problem(cli: CommandLine, options?: CommandOptions): Promise<Finding> {
  const { code, stdout, stderr } = await cli.run(['doctor', '--json'], options);
  assert.deepEqual([code, stderr], [1, ''], stdout);
  const findings = JSON.parse(stdout) as Finding[];
  const [found, ...more] = findings.filter(({ result }) => result === 'problem');
  assert.deepEqual(more, []);
  assert.ok(found, stdout);
  return found;
}

function ringFile(cli: CommandLine): string {
  return `${cli.environment['SWITCHBOARD_DATABASE']}.keys`;
}
