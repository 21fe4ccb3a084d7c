import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { ARCHITECTURES } from './binary/runtime.ts';
import { notesOf } from './notes.ts';
import { writeSbom } from './sbom.ts';
import { sourceDate } from './source-date.ts';

/*
 * `npm run build:release [-- --arch x64,arm64]`: all files of a release, in dist/: npm packages, executables, Debian
 * packages, the bill of materials, the notes and the checksums of all of them. They have no date but
 * the commit's.
 */

const OUT = 'dist';
const DEBIAN = { x64: 'amd64', arm64: 'arm64' } as const;

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

const { values } = parseArgs({ options: { arch: { type: 'string' } } });
const wanted = values.arch?.split(',') ?? [...ARCHITECTURES];
const architectures = ARCHITECTURES.filter((one) => wanted.includes(one));
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

// npm packs the modes of files as they are.
process.umask(0o022);
mkdirSync(OUT, { recursive: true });
for (const page of ['console', 'docs']) run('npm', 'run', '-s', `build:${page}`);
run('npm', 'pack', '--ignore-scripts', '--pack-destination', OUT);
run('npm', 'pack', '--workspace', 'sdk', '--pack-destination', OUT);
const files = [`switchboard-${version}.tgz`, `switchboard-sdk-${version}.tgz`];
for (const kind of ['binary', 'deb']) {
  run('npm', 'run', '-s', `build:${kind}`, '--', '--arch', architectures.join(','));
}
for (const one of architectures) {
  files.push(`switchboard-linux-${one}`, `switchboard_${version}_${DEBIAN[one]}.deb`);
}
files.push(writeSbom(OUT, version, sourceDate()));
const notes = `switchboard-${version}.md`;
writeFileSync(join(OUT, notes), notesOf(readFileSync('CHANGELOG.md', 'utf8'), version));
files.push(notes);

const sums = files.toSorted().map((file) => {
  const sum = createHash('sha256').update(readFileSync(join(OUT, file)));
  return `${sum.digest('hex')}  ${file}\n`;
});
writeFileSync(join(OUT, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));
