import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
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
import { buildExecutable } from './executable.ts';
import { debianMirror, whyNoMinimalDebian } from './minimal-debian.ts';

/* The Debian package: lintian, and its life in a chroot. There is no systemd, so the unit is only checked elsewhere. */

const LINTIAN = requirement('lintian', 'apt-get install lintian');
const OLDER = '0.0.1';
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const debian = arch === 'arm64' ? 'arm64' : 'amd64';
const skip = whyNoMinimalDebian() ?? false;

describe('the Debian package', () => {
  let newest = '';
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-packages-'));
    newest = buildPackage(manifest.version);
  });
  after(() => rmSync(folder, { recursive: true }));

  function buildPackage(version: string): string {
    const script = join(ROOT, 'scripts', 'debian', 'build.ts');
    const from = dirname(buildExecutable());
    execFileSync(
      process.execPath,
      [script, '--arch', arch, '--version', version, '--from', from, '--out', folder],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    return join(folder, `switchboard_${version}_${debian}.deb`);
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
    const root = mkdtempSync(join(tmpdir(), 'switchboard-deb-root-'));
    // The service's user must get in.
    chmodSync(root, 0o755);
    after(() => rmSync(root, { recursive: true, force: true }));
    const bootstrap = [
      '--variant=minbase',
      '--include=adduser',
      'bookworm',
      root,
      ...debianMirror(),
    ];
    execFileSync('debootstrap', bootstrap, { stdio: 'ignore' });
    const older = buildPackage(OLDER);
    const inside = (command: string) => {
      const { status, stdout, stderr } = spawnSync(
        'chroot',
        [
          root,
          'env',
          '-i',
          'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
          'DEBIAN_FRONTEND=noninteractive',
          'sh',
          '-c',
          command,
        ],
        { encoding: 'utf8' },
      );
      assert.equal(status, 0, `${command}: ${stdout}${stderr}`);
      return stdout.trim();
    };
    copyFileSync(older, join(root, 'older.deb'));
    copyFileSync(newest, join(root, 'newest.deb'));
    const installed = () => inside("dpkg-query -W -f '${Version}' switchboard");
    const settings = join(root, 'etc/switchboard/environment');
    const store = join(root, 'var/lib/switchboard');
    const asService = (command: string) =>
      inside(
        `cd /var/lib/switchboard && setpriv --reuid switchboard --regid switchboard --clear-groups env SWITCHBOARD_DATABASE=/var/lib/switchboard/switchboard.db switchboard ${command}`,
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
