import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';

import manifest from '../../package.json' with { type: 'json' };
import { SETTINGS } from '../../src/config.ts';
import { ROOT } from '../support/sources.ts';
import { freePort } from '../support/store/postgres.ts';
import { until } from '../support/until.ts';
import {
  DOCKERFILE,
  type Stage,
  commandOf,
  environmentOf,
  isIgnored,
  readStages,
  argumentsOf,
} from './dockerfile.ts';

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

const skip = process.getuid?.() !== 0 && 'NOT TESTED: only root can run something as another user';

it(
  'the image runs as another user from a read-only folder, and is upgraded and rolled back',
  { skip },
  async () => {
    await using image = await build(service);
    const { data } = image;
    const port = String(await freePort());
    const own = { SWITCHBOARD_DATABASE: join(data, 'switchboard.db'), SWITCHBOARD_PORT: port };
    await serving(image, own, async () => {
      const health = await fetch(`http://127.0.0.1:${port}/healthz`);
      assert.equal(health.status, 200);
      const start = await fetch(`http://127.0.0.1:${port}/docs`);
      assert.equal(start.status, 200, 'the documentation is included');
      assert.equal(check(image, own), 0);
      assert.equal(String(statSync(join(data, 'switchboard.db')).uid), user.split(':')[0]);
    });
    assert.equal(check(image, own), 1, 'no process is left');

    // docs/upgrading.md has these steps: another version under its own tag, with the same volume.
    const newer = { ...image, app: join(image.app, '..', 'newer') };
    cpSync(image.app, newer.app, { recursive: true, preserveTimestamps: true });
    const newest = { ...manifest, version: '99.0.0' };
    writeFileSync(join(newer.app, 'package.json'), JSON.stringify(newest));
    const users = outputOf(image, own, 'user', 'list');
    assert.match(users, /admin/);
    for (const [one, version] of [
      [newer, newest.version],
      [image, manifest.version],
    ] as const) {
      assert.equal(outputOf(one, own, '--version').trim(), version);
      await serving(one, own, () => assert.equal(check(one, own), 0));
      assert.equal(outputOf(one, own, 'user', 'list'), users);
    }
  },
);

/** Runs the image's command while `use` does, and stops it as an orchestrator does. */
async function serving(
  image: Image,
  own: Record<string, string>,
  use: () => Promise<void> | void,
): Promise<void> {
  const { app, run } = image;
  // The writable places of a container with a read-only file system.
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  const isolated = ['unshare', '--mount', 'sh', '-c', script, app];
  const [program = '', ...args] = [...isolated, ...run, ...entry()];
  const child = spawn(program, args, { cwd: app, env: { ...image.env, ...own }, stdio: 'pipe' });
  const exited = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  try {
    await until('the service listens', () => {
      assert.equal(child.exitCode, null, output);
      return output.includes('"listening"');
    });
    await use();
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null], output);
    assert.match(output, /"stopped"/);
  } finally {
    child.kill('SIGKILL');
  }
}

/** The output of a command of the command line in the image. */
function outputOf(
  { app, run, env }: Image,
  own: Record<string, string>,
  ...args: string[]
): string {
  const [entrypoint = '[]'] = argumentsOf(service, 'ENTRYPOINT');
  const [program = '', ...rest] = [...run, ...commandOf(entrypoint), ...args];
  return execFileSync(program, rest, { cwd: app, env: { ...env, ...own }, encoding: 'utf8' });
}

function entry(): string[] {
  const [entrypoint = '[]'] = argumentsOf(service, 'ENTRYPOINT');
  const [command = '[]'] = argumentsOf(service, 'CMD');
  return [...commandOf(entrypoint), ...commandOf(command)];
}

/** The exit code of the health check. */
function check({ app, run, env }: Image, own: Record<string, string>): number {
  const [healthcheck = ''] = argumentsOf(service, 'HEALTHCHECK');
  const [program = '', ...args] = [...run, ...commandOf(healthcheck.replace(/.* CMD /, ''))];
  try {
    execFileSync(program, args, { cwd: app, env: { ...env, ...own }, stdio: 'pipe' });
    return 0;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

interface Image extends AsyncDisposable {
  app: string;
  data: string;
  /** Runs a command as the image's user. */
  run: string[];
  env: Record<string, string>;
}

/** Performs the instructions of a stage in a separate folder. */
async function build(stage: Stage): Promise<Image> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-image-'));
  chmodSync(folder, 0o755);
  const app = join(folder, 'app');
  const bin = join(folder, 'bin');
  const tmp = join(folder, 'tmp');
  for (const path of [app, bin, tmp]) mkdirSync(path);
  chmodSync(tmp, 0o1777);
  // The image's user may have no access to this checkout.
  cpSync(process.execPath, join(bin, 'node'));
  const env: Record<string, string> = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: process.env['HOME'] ?? '/root',
    // Already installed.
    npm_config_prefer_offline: 'true',
  };
  const as = { run: [] as string[] };
  const inside = (text: string) =>
    text.replaceAll(/(?<![\w.])\/(data|tmp)\b/g, (_match, name: string) => join(folder, name));
  for (const { name, text } of stage.instructions) {
    if (name === 'ENV')
      Object.assign(env, environmentOf({ name: '', instructions: [{ name, text }] }));
    if (name === 'USER') as.run = asUser(text);
    if (name === 'COPY') copy(text, app);
    if (name === 'RUN') {
      // The machine's cache, which is needed again.
      const command = inside(text.replace(' && npm cache clean --force', ''));
      const [program, ...args] = [...as.run, 'sh', '-c', command];
      execFileSync(program ?? '', args, { cwd: app, env, stdio: 'pipe', timeout: 240_000 });
    }
  }
  return {
    app,
    data: join(folder, 'data'),
    run: as.run,
    env,
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function asUser(text: string): string[] {
  const [uid, gid] = text.split(':');
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--bounding-set=-all'];
}

/** Files from other stages were made here by `npm ci` where possible. */
function copy(text: string, app: string): void {
  const words = text.split(' ');
  const from = words[0]?.startsWith('--from=') ? words.shift() : undefined;
  const target = words.pop() ?? '';
  for (const word of words) {
    const source = join(ROOT, from ? word.replace('/app/', '') : word);
    if (from && !existsSync(source)) continue;
    const isFolder = statSync(source).isDirectory();
    const place =
      isFolder || !target.endsWith('/') ? target : join(target, word.split('/').at(-1) ?? '');
    cpSync(source, join(app, place), {
      recursive: true,
      filter: (path) =>
        from !== undefined || !isIgnored(relative(ROOT, path).replaceAll('\\', '/')),
    });
  }
}
