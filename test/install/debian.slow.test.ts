import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import manifest from '../../package.json' with { type: 'json' };
import { requirement } from '../support/requirement.ts';
import { ROOT } from '../support/sources.ts';
import { type Debian, USERS, openDebian, whyNoDebian } from './debian.ts';
import { buildExecutable } from './executable.ts';

/*
 * The Debian package, and the commands of the README, in one chroot with a minimal Debian 13. The package comes first,
 * because the commands need Node.js. There is no systemd, so the unit is only checked elsewhere. `npm run test:minimal`
 * runs all of `npm test` there.
 */

const LINTIAN = requirement('lintian', 'apt-get install lintian');
const OLDER = '0.0.1';
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const debianArch = arch === 'arm64' ? 'arm64' : 'amd64';
const why = whyNoDebian();
const skip = why !== undefined && process.env['CI'] !== '1' && why;
/** Both stores, PostgreSQL included. */
const SOME_TESTS = 'test/idempotency';
const START = `
  SWITCHBOARD_PORT=0 npm start >out 2>&1 & started=$!
  for i in $(seq 600); do grep -q 'http://127' out && break; sleep 0.1; done
  url=$(grep -o 'http://127[.0-9]*:[0-9]*' out | head -1)
  node -e 'fetch(process.argv[1] + "/readyz").then((r) => process.exit(r.status === 200 ? 0 : 1))' "$url"
  code=$?; kill $started; cat out; exit $code`;

let debian: Debian;
before(() => {
  if (skip !== false) return;
  assert.equal(why, undefined);
  debian = openDebian();
});
after(() => {
  if (skip === false) debian[Symbol.dispose]();
});

describe('the Debian package', () => {
  let newest = '';
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-packages-'));
    const script = join(ROOT, 'scripts', 'debian', 'build.ts');
    const options = ['--arch', arch, '--from', dirname(buildExecutable()), '--out', folder];
    execFileSync(process.execPath, [script, ...options], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    newest = join(folder, `switchboard_${manifest.version}_${debianArch}.deb`);
  });
  after(() => rmSync(folder, { recursive: true }));

  /** The same package as another version, not compressed. */
  function buildOlder(): string {
    const unpacked = join(folder, 'older');
    execFileSync('dpkg-deb', ['--raw-extract', newest, unpacked]);
    const control = join(unpacked, 'DEBIAN', 'control');
    const text = readFileSync(control, 'utf8');
    writeFileSync(control, text.replace(/^Version: .*$/m, `Version: ${OLDER}`));
    const file = join(folder, 'older.deb');
    execFileSync('dpkg-deb', ['-Znone', '--root-owner-group', '--build', unpacked, file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return file;
  }

  it('the Debian package passes lintian', { skip: LINTIAN.skip }, () => {
    const { status, stdout } = spawnSync(
      LINTIAN.path ?? '',
      ['--fail-on', 'error,warning', '--allow-root', newest],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stdout);
  });

  it('the Debian package is installed, upgraded, rolled back, removed and purged', { skip }, () => {
    const { root } = debian;
    const inside = (command: string) => {
      const { status, stdout, stderr } = debian.runBare(command);
      assert.equal(status, 0, `${command}: ${stdout}${stderr}`);
      return stdout.trim();
    };
    copyFileSync(buildOlder(), join(root, 'older.deb'));
    copyFileSync(newest, join(root, 'newest.deb'));
    const installed = () => inside("dpkg-query -W -f '${Version}' switchboard");
    const settings = join(root, 'etc/switchboard/environment');
    const store = join(root, 'var/lib/switchboard');
    const asService = (command: string) =>
      inside(
        `runuser -u switchboard -- env SWITCHBOARD_DATABASE=/var/lib/switchboard/switchboard.db switchboard ${command}`,
      );

    inside('dpkg --install /older.deb');
    assert.equal(installed(), OLDER);
    assert.equal(inside('switchboard --version'), manifest.version);
    assert.deepEqual(
      [statSync(settings).mode & 0o777, statSync(store).mode & 0o777],
      [0o600, 0o700],
    );
    asService('init');
    const user = asService('user list');
    assert.match(user, /admin/);
    assert.match(asService('sign-in-link'), /^http\S+$/m);

    // The administrator's settings survive.
    const own = `${readFileSync(settings, 'utf8')}SWITCHBOARD_PORT=8081\n`;
    writeFileSync(settings, own);
    inside('dpkg --install /newest.deb');
    assert.equal(installed(), manifest.version);
    assert.equal(readFileSync(settings, 'utf8'), own);
    assert.equal(asService('user list'), user);

    inside('dpkg --install --force-downgrade /older.deb');
    assert.equal(installed(), OLDER);
    assert.equal(asService('user list'), user);

    inside('dpkg --remove switchboard');
    assert.ok(!existsSync(join(root, 'usr/bin/switchboard')));
    assert.ok(existsSync(join(store, 'switchboard.db')), 'a removal keeps the store');
    assert.ok(existsSync(settings));
    inside('dpkg --purge switchboard');
    assert.ok(!existsSync(store));
    assert.ok(!existsSync(settings));
  });
});

describe('minimal Debian 13', { skip }, () => {
  before(() => debian.addProject());

  for (const user of USERS) {
    describe(`as ${user}`, () => {
      for (const [name, command] of [
        ['npm ci installs', 'npm ci'],
        ['npm start serves', START],
        ['npm test passes', `npm test -- ${SOME_TESTS}`],
      ] as const) {
        it(name, () => {
          const { status, stdout, stderr } = debian.run(user, command);
          assert.equal(status, 0, stdout + stderr);
        });
      }
    });
  }
});
