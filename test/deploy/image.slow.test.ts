import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import manifest from '../../package.json' with { type: 'json' };
import { SETTINGS } from '../../src/config.ts';
import { call, note } from '../support/programs/command.ts';
import { ROOT } from '../support/sources.ts';
import { freePort } from '../support/store/postgres.ts';
import { until } from '../support/until.ts';
import { type Docker, noDocker, openDocker } from './docker.ts';
import { DOCKERFILE, argumentsOf, environmentOf, isIgnored, readStages } from './dockerfile.ts';

const stages = readStages(DOCKERFILE);
const service = stages.at(-1) ?? { name: '', instructions: [] };
const environment = environmentOf(service);
const [user = ''] = argumentsOf(service, 'USER');

describe('the Dockerfile', () => {
  it('copies only existing files that are not excluded', () => {
    const copied = stages.flatMap((stage) => argumentsOf(stage, 'COPY'));
    assert.ok(copied.length > 8);
    for (const text of copied.filter((one) => !one.startsWith('--from='))) {
      for (const path of text.split(' ').slice(0, -1)) {
        assert.ok(existsSync(join(ROOT, path)), path);
        assert.equal(isIgnored(path.replace(/\/$/, '')), false, path);
      }
    }
    for (const kept of ['.git', 'data', 'test', 'node_modules', 'console/node_modules/x', '.env']) {
      assert.equal(isIgnored(kept), true, kept);
    }
    assert.equal(isIgnored('src/config.test.ts'), true);
    assert.equal(isIgnored('src/config.ts'), false);
  });

  it('runs as an unprivileged user given by number', () => {
    assert.match(user, /^[1-9]\d+:[1-9]\d+$/);
    assert.ok(service.instructions.findLast(({ name }) => name === 'USER'));
  });

  it('sets only existing settings and exposes the port that it listens on', () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);
    for (const name of Object.keys(environment)) {
      assert.ok(name === 'NODE_ENV' || names.includes(name), name);
    }
    assert.equal(environment['SWITCHBOARD_PORT'], SETTINGS.port.default);
    assert.deepEqual(argumentsOf(service, 'EXPOSE'), [environment['SWITCHBOARD_PORT']]);
    assert.deepEqual(argumentsOf(service, 'VOLUME'), [
      dirname(environment['SWITCHBOARD_DATABASE'] ?? ''),
    ]);
  });
});

/** As docs/production.md runs it, but in the machine's network. */
const OPTIONS = ['--network=host', '--volume=data:/data', '--read-only', '--tmpfs=/tmp'];
/** What the Compose files add. */
const HARDENED = ['--cap-drop=ALL', '--security-opt=no-new-privileges', '--pids-limit=200'];
/** Far less than an orchestrator allows. */
const STOP_SECONDS = 20;

describe('the image', { skip: noDocker }, () => {
  const current = `switchboard:${manifest.version}`;
  let docker: Docker;
  /** Why containers cannot run here, or cannot reach the npm registry. Not every machine that has Docker allows it. */
  let obstacle: string | undefined;
  before(async () => {
    const [, base = ''] = /^ARG NODE_IMAGE=(.*)$/m.exec(DOCKERFILE) ?? [];
    try {
      docker = await openDocker();
      docker.importNode(base);
      docker.run('run', '--rm', '--network=host', base, 'npm', 'view', 'npm', 'version');
    } catch (error) {
      obstacle = `NOT TESTED: no container runs here with access to the npm registry: ${String(error)}`;
      process.stderr.write(`${obstacle}\n`);
      return;
    }
    docker.build(current);
  });
  // Undefined if Docker did not start.
  after(() => docker?.[Symbol.asyncDispose]());

  function inContainers(name: string, check: () => void | Promise<void>): void {
    void it(name, (test) => (obstacle === undefined ? check() : test.skip(obstacle)));
  }

  /** Starts a container, and waits until it is healthy. */
  async function start(image: string): Promise<string> {
    const port = String(await freePort());
    const setting = `--env=SWITCHBOARD_PORT=${port}`;
    docker.run('run', '--detach', '--name=node', ...OPTIONS, ...HARDENED, setting, image);
    const format = '--format={{.State.Status}} {{.State.Health.Status}}';
    await until('the container is healthy', () => {
      const state = docker.run('inspect', format, 'node');
      assert.match(state, /^running (?:starting|healthy)$/, state);
      return state.endsWith('healthy');
    });
    return `http://127.0.0.1:${port}`;
  }

  const command = (...args: string[]) => docker.run('exec', 'node', 'switchboard', ...args);

  /** Stops the container as an orchestrator does, and removes it. */
  function stop(): void {
    const began = performance.now();
    docker.run('stop', `--time=${STOP_SECONDS}`, 'node');
    assert.ok(performance.now() - began < STOP_SECONDS * 1000, 'it was not killed');
    assert.equal(docker.run('inspect', '--format={{.State.ExitCode}}', 'node'), '0');
    assert.match(docker.run('logs', 'node'), /"stopped"/);
    docker.run('rm', 'node');
  }

  inContainers('contains compiled code, and neither tests nor build tools', () => {
    const files = docker.filesOf(current);
    const own = files.filter((path) => path.startsWith('app/'));
    const below = (folder: string) => own.filter((path) => path.startsWith(`app/${folder}/`));
    assert.deepEqual(
      own.filter((path) => path.endsWith('.test.ts') && !path.includes('/node_modules/')),
      [],
    );
    assert.deepEqual([...below('node_modules/vite'), ...below('node_modules/typescript')], []);
    // A file for each module that the service loads.
    assert.ok(below('node_modules/.cache/compile').length > 1000);
  });

  inContainers(
    'runs as another user with a read-only file system, and delivers messages',
    async () => {
      const url = await start(current);
      assert.equal(docker.run('exec', 'node', 'id', '-u'), user.split(':')[0]);
      for (const path of ['/docs', '/docs/production', '/app', '/openapi.json']) {
        assert.equal((await call(url, 'GET', path)).status, 200, path);
      }
      assert.equal(await sendMessage(url, command('token')), 'It works');
      command('doctor');
      stop();
    },
  );

  // docs/upgrading.md has these steps: another version under its own tag, with the same volume.
  inContainers('is upgraded, rolled back with a backup, and removed', async () => {
    const version = '99.0.0';
    const newer = `switchboard:${version}`;
    docker.run('create', '--name=newer', current);
    docker.copy(JSON.stringify({ ...manifest, version }), 'newer:/app/package.json');
    docker.run('commit', 'newer', newer);
    docker.run('rm', 'newer');

    await start(current);
    const users = command('user', 'list');
    assert.match(users, /admin/);
    command('backup', '/data/before.backup');
    stop();

    await start(newer);
    assert.equal(command('--version'), version);
    assert.equal(command('user', 'list'), users);
    command('user', 'add', 'ada@example.com');
    assert.notEqual(command('user', 'list'), users);
    stop();

    docker.run('run', '--rm', ...OPTIONS, current, 'restore', '/data/before.backup', '--force');
    await start(current);
    assert.equal(command('--version'), manifest.version);
    assert.equal(command('user', 'list'), users);
    stop();

    docker.run('rmi', newer, current);
    assert.equal(docker.run('volume', 'ls', '--quiet', '--filter=name=data'), 'data');
  });
});

/** Sends a message to a simulated phone; returns the text that the phone shows. */
async function sendMessage(url: string, userToken: string): Promise<string> {
  const { body: me } = await call(url, 'GET', '/1/users/me', { token: userToken });
  const { body: application } = await call(url, 'POST', '/1/applications', {
    token: userToken,
    json: { team_id: me.team_id, owner_id: me.id, state: 'enable' },
  });
  const minted = await call(url, 'POST', `/1/applications/${application.id}/tokens`, {
    token: userToken,
  });
  const token = String(minted.body.token);
  const { body: integration } = await call(url, 'POST', '/1/integrations', {
    token,
    json: { application_id: application.id, name: 'telegram', state: 'enable', mode: 'sandbox' },
  });
  const sandbox = `/1/sandbox/${integration.id}/messages`;
  const sent = await call(url, 'POST', '/1/message', { token, json: note('It works') });
  assert.equal(sent.status, 202, sent.text);
  return until('the message arrives', async () => {
    const { body } = await call(url, 'GET', sandbox, { token });
    return body.data[0]?.text;
  });
}
