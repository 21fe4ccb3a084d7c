import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, it } from 'node:test';

import manifest from '../../package.json' with { type: 'json' };
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
