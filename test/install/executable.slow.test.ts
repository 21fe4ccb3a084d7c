import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';

import { sql } from 'kysely';

import manifest from '../../package.json' with { type: 'json' };
import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import { call, commandLine, makeApplication } from '../support/programs/command.ts';
import { requirement } from '../support/requirement.ts';
import { Guest } from '../support/service/chat.ts';
import { freePort } from '../support/store/postgres.ts';
import { until } from '../support/until.ts';
import { buildExecutable } from './executable.ts';

/* The executable of `npm run build:binary`, in an empty folder and an empty environment: no Node.js, no packages. */

const PAGES = ['/readyz', '/docs', '/docs/production', '/docs/reference', '/openapi.json', '/app'];

describe('the executable', { skip: process.platform !== 'linux' }, () => {
  let program = '';
  before(() => {
    program = buildExecutable();
  });

  it('the executable serves the API, the console and the documentation', async () => {
    await using cli = await commandLine('sqlite');
    const launcher = [program] as const;
    const service = await cli.serve({ launcher });
    for (const path of [...PAGES, '/webmessenger.js']) {
      const { status } = await call(service.url, 'GET', path);
      assert.equal(status, 200, path);
    }
    const console_ = await call(service.url, 'GET', '/app');
    const [, script = ''] = /src="([^"]+\.js)"/.exec(console_.text) ?? [];
    assert.equal((await call(service.url, 'GET', script)).status, 200, script);
    const token = await cli.run(['token'], { launcher });
    assert.deepEqual([token.code, token.stderr], [0, '']);
    // Long texts are rendered in a thread.
    const app = await makeApplication(service.url, token.stdout.trim());
    const message = {
      '@context': 'https://www.w3.org/ns/activitystreams',
      type: 'Create',
      generator: { type: 'Service' },
      to: { type: 'Person', id: '1' },
      object: { type: 'Note', mediaType: 'text/markdown', content: '**Hello** '.repeat(1_900) },
    };
    const preview = await call(service.url, 'POST', '/1/message?dry_run=true', {
      token: app.token,
      json: { message },
    });
    assert.equal(preview.status, 200, preview.text);
    assert.ok(preview.body.parts.length > 1);
    assert.equal((await service.stop('SIGKILL')).signal, 'SIGKILL');
    // After a crash, a thread checks the database file.
    const again = await cli.serve({ launcher });
    assert.equal((await call(again.url, 'GET', '/readyz')).status, 200);
    assert.equal((await again.stop()).code, 0);
    assert.doesNotMatch(again.process.stderr, /Warning|npm |npx /);
    const doctor = await cli.run(['doctor', '--json'], { launcher });
    assert.ok(Array.isArray(JSON.parse(doctor.stdout)), doctor.stderr);
  });

  // docs/upgrading.md has these steps.
  it('the executable is upgraded, rolled back with a backup, and uninstalled', async () => {
    await using cli = await commandLine('sqlite');
    const file = join(cli.folder, 'switchboard');
    const launcher = [file] as const;
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await cli.run(args, { launcher });
      assert.deepEqual([code, stderr], [0, ''], args.join(' '));
      return stdout.trim();
    };
    const install = () => {
      rmSync(file, { force: true });
      copyFileSync(program, file);
    };
    /** Runs the service, adds an application, and returns the ids of all. */
    const use = async (): Promise<number[]> => {
      const service = await cli.serve({ launcher });
      const token = await run('token');
      await makeApplication(service.url, token);
      const { body } = await call(service.url, 'GET', '/1/applications', { token });
      assert.equal((await service.stop()).code, 0);
      return body.data.map(({ id }: { id: number }) => id);
    };

    install();
    const [first] = await use();
    const backup = join(cli.folder, 'before.backup');
    await cli.run(['backup', backup], { launcher });

    install();
    const upgraded = await use();
    assert.ok(upgraded.length === 2 && upgraded.includes(Number(first)));

    // The new version migrated the store.
    const store = await openStore(readConfig(cli.environment));
    const { db } = store.engine;
    await sql`insert into migrations (name, timestamp) values ('9999-later', '2030')`.execute(db);
    await sql`update store_version set version = '9.8.7'`.execute(db);
    await store.close();

    install();
    const refused = await cli.run(['serve'], { launcher });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /9\.8\.7/);
    const restored = await cli.run(['restore', backup, '--force'], { launcher });
    assert.equal(restored.code, 0, restored.stderr);
    // What came after the backup is missing.
    const rolledBack = await use();
    assert.ok(rolledBack.length === 2 && rolledBack.includes(Number(first)));

    // Nothing is anywhere else: no unpacked program, no cache.
    rmSync(file);
    const left = readdirSync(cli.folder).filter(
      (name) => !/\.(?:db|backup|keys)\b|sign-in-link/.test(name),
    );
    assert.deepEqual(left, []);
  });

  it('the executable goes from nothing to an answered message with one command', async () => {
    await using cli = await commandLine('sqlite', { SWITCHBOARD_PORT: String(await freePort()) });
    const environment = { XDG_CONFIG_HOME: cli.folder };
    const running = cli.start(['quickstart'], { launcher: [program], environment });
    const [, url = '', chat = ''] = await running.printed('stdout', /(http:\S+)\/chat\/(\d+)\n/);
    const { body } = await call(url, 'POST', `/chat/${chat}/session`, { json: {} });
    const guest = await Guest.open(url, body);
    await until('the greeting', () => guest.texts[0]);
    await guest.say('It works');
    await running.printed('stdout', /It works[^]*Ctrl-C/);
    guest.leave();
    running.signalAll('SIGINT');
    assert.equal((await running.exited).code, 0, running.stderr);
  });
});

const OTHERS = {
  x64: { cpu: 'arm64', emulator: 'qemu-aarch64', libraries: 'aarch64-linux-gnu', debian: 'arm64' },
  arm64: { cpu: 'x64', emulator: 'qemu-x86_64', libraries: 'x86_64-linux-gnu', debian: 'amd64' },
};
const other = process.arch === 'arm64' ? OTHERS.arm64 : OTHERS.x64;
const emulator = requirement(
  other.emulator,
  `apt-get install qemu-user libc6-${other.debian}-cross libstdc++6-${other.debian}-cross`,
);

it(`the executable runs on ${other.cpu}`, { skip: emulator.skip }, () => {
  const program = buildExecutable(other.cpu);
  const version = execFileSync(
    emulator.path ?? '',
    ['-L', `/usr/${other.libraries}`, program, '--version'],
    { encoding: 'utf8', env: {} },
  );
  assert.equal(version.trim(), manifest.version);
});
