import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import { sourceDate } from '../source-date.ts';

/*
 * `npm run build:deb [-- --arch x64,arm64 --from dist --out dist]`: a Debian package around the executable of
 * `npm run build:binary`.
 * dpkg-deb is enough: there is nothing to compile. Dates are those of the commit, so that two builds are equal.
 */

const ROOT = join(import.meta.dirname, '..', '..');
const DIST = join(ROOT, 'dist');
const DEBIAN = { x64: 'amd64', arm64: 'arm64' } as const;
type Architecture = keyof typeof DEBIAN;

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The unit of deploy/systemd, with the paths of the package. */
function unit(): string {
  return read('deploy/systemd/switchboard.service')
    .replace(/^#.*\n(?:#.*\n)*/, '')
    .replace('file:///opt/switchboard/docs/production.md', 'man:switchboard(1)')
    .replace('WorkingDirectory=/opt/switchboard', 'WorkingDirectory=/var/lib/switchboard')
    .replace(
      '/usr/bin/env node /opt/switchboard/bin/switchboard.js serve',
      '/usr/bin/switchboard serve',
    )
    .replace('Environment=NODE_ENV=production\n', '');
}

function copyright(): string {
  const license = read('LICENSE').trim().split('\n').slice(2);
  const indented = license.map((line) => (line.trim() === '' ? ' .' : ` ${line}`)).join('\n');
  return read('deploy/debian/copyright').replace('@LICENSE@', indented.replace(/^(?: \.\n)+/, ''));
}

function changelog(version: string, seconds: number): string {
  const date = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000');
  return `switchboard (${version}) unstable; urgency=medium

  * See CHANGELOG.md of the source.

 -- Switchboard <switchboard@example.com>  ${date}
`;
}

function build(
  architecture: Architecture,
  version: string,
  executable: string,
  out: string,
): string {
  const seconds = sourceDate();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-deb-'));
  chmodSync(folder, 0o755);
  const place = (path: string, content: string | Buffer, mode = 0o644) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, path), content);
    chmodSync(join(folder, path), mode);
  };
  try {
    mkdirSync(join(folder, 'usr/bin'), { recursive: true });
    copyFileSync(executable, join(folder, 'usr/bin/switchboard'));
    chmodSync(join(folder, 'usr/bin/switchboard'), 0o755);
    place('usr/lib/systemd/system/switchboard.service', unit());
    place('etc/switchboard/environment', read('deploy/systemd/environment'), 0o600);
    place('usr/share/doc/switchboard/copyright', copyright());
    place(
      'usr/share/doc/switchboard/changelog.gz',
      gzipSync(changelog(version, seconds), { level: 9 }),
    );
    place(
      'usr/share/man/man1/switchboard.1.gz',
      gzipSync(read('deploy/debian/switchboard.1'), { level: 9 }),
    );
    place('usr/share/lintian/overrides/switchboard', read('deploy/debian/lintian-overrides'));
    const size = Math.ceil(sizeOf(folder) / 1024);
    const fields = { VERSION: version, ARCHITECTURE: DEBIAN[architecture], SIZE: String(size) };
    const control = Object.entries(fields).reduce(
      (text, [name, value]) => text.replace(`@${name}@`, value),
      read('deploy/debian/control'),
    );
    place('DEBIAN/control', control);
    place('DEBIAN/conffiles', '/etc/switchboard/environment\n');
    for (const script of ['postinst', 'prerm', 'postrm']) {
      place(`DEBIAN/${script}`, read(`deploy/debian/${script}`), 0o755);
    }
    normalize(folder, seconds);
    const output = join(out, `switchboard_${version}_${DEBIAN[architecture]}.deb`);
    // https://reproducible-builds.org/specs/source-date-epoch/
    const program = [`SOURCE_DATE_EPOCH=${seconds}`, 'dpkg-deb', '--root-owner-group'];
    // The result depends on whether there is one thread, which depends on the machine.
    const compression = ['-Zxz', '-z1', '--threads-max=1'];
    execFileSync('/usr/bin/env', [...program, ...compression, '--build', folder, output], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return output;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(join(folder, path)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

/** Times of the commit, and modes that do not depend on the umask. */
function normalize(folder: string, seconds: number): void {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const path of ['', ...paths]) {
    const full = join(folder, path);
    if (statSync(full).isDirectory()) chmodSync(full, 0o755);
    utimesSync(full, seconds, seconds);
  }
}

const { values } = parseArgs({
  options: {
    arch: { type: 'string' },
    version: { type: 'string' },
    from: { type: 'string' },
    out: { type: 'string' },
  },
});
const { version: current } = JSON.parse(read('package.json')) as { version: string };
const wanted = values.arch?.split(',') ?? Object.keys(DEBIAN);
for (const architecture of ['x64', 'arm64'] as const) {
  if (!wanted.includes(architecture)) continue;
  const executable = join(values.from ?? DIST, `switchboard-linux-${architecture}`);
  if (!existsSync(executable)) {
    process.stderr.write(`build:deb: ${executable} is missing; run npm run build:binary first\n`);
    process.exitCode = 1;
  } else {
    process.stdout.write(
      `${build(architecture, values.version ?? current, executable, values.out ?? DIST)}\n`,
    );
  }
}
