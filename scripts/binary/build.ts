import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { archiveOf } from './archive.ts';
import { bundleAll } from './bundle.ts';
import { ARCHIVE } from './embedded/archive-name.ts';
import { ARCHITECTURES, type Architecture, copyRuntime } from './runtime.ts';

/*
 * `npm run build:binary [-- --arch x64,arm64 --out dist]`: one executable for Linux with everything inside. It is a
 * single executable application (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html). Two builds of
 * one commit are equal. Only the executable for the architecture of the build has compiled code inside, which saves
 * 25 MB of memory and a quarter of the start.
 */

const ROOT = join(import.meta.dirname, '..', '..');
const POSTJECT = join(ROOT, 'node_modules', 'postject', 'dist', 'cli.js');
/** Marks the place in Node.js that says that it carries a program. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const FILES = [
  'LICENSE',
  'package.json',
  'console/dist/**/*',
  'docs/channels/setup/*.md',
  'site/dist/**/*',
  'webchat/*.{css,js,svg}',
];

/** Writes the program and the archive of the files that it reads. */
async function prepare(folder: string): Promise<void> {
  const files = new Map<string, Buffer>();
  for (const [name, code] of await bundleAll()) {
    if (name === 'main') writeFileSync(join(folder, 'main.cjs'), code);
    else files.set(name, Buffer.from(code));
  }
  for (const path of globSync(FILES, { cwd: ROOT }).toSorted()) {
    const file = join(ROOT, path);
    if (statSync(file).isFile()) files.set(path, readFileSync(file));
  }
  writeFileSync(join(folder, ARCHIVE), archiveOf(files));
}

/** The program and its files in the form that Node.js reads; returns the path. */
function writeBlob(folder: string, useCodeCache: boolean): string {
  // The blob contains the path of the program, which must not depend on the temporary folder.
  const settings = { main: 'main.cjs', output: 'blob', disableExperimentalSEAWarning: true };
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ ...settings, assets: { [ARCHIVE]: ARCHIVE }, useCodeCache }),
  );
  // The seed makes compiled code equal in each build; the executable itself has a random one.
  const options = ['--random-seed=1', '--experimental-sea-config', 'config.json'];
  execFileSync(process.execPath, options, { cwd: folder, stdio: 'ignore' });
  return join(folder, 'blob');
}

async function build(architectures: readonly Architecture[], out: string): Promise<void> {
  for (const page of ['console/dist/index.html', 'site/dist/not-found.html']) {
    if (!existsSync(join(ROOT, page))) throw new Error(`${page} is not built: run npm ci`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-binary-'));
  mkdirSync(out, { recursive: true });
  try {
    await prepare(folder);
    for (const architecture of architectures) {
      const file = join(out, `switchboard-linux-${architecture}`);
      copyRuntime(ROOT, architecture, file);
      chmodSync(file, 0o755);
      const blob = writeBlob(folder, architecture === process.arch);
      execFileSync(
        process.execPath,
        [POSTJECT, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE],
        { stdio: 'ignore' },
      );
      process.stdout.write(`${file}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const { values } = parseArgs({
  options: { arch: { type: 'string' }, out: { type: 'string' } },
});
const wanted = values.arch?.split(',') ?? ARCHITECTURES;
const known = ARCHITECTURES.filter((one) => wanted.includes(one));
if (known.length !== wanted.length) {
  process.stderr.write(`build:binary: --arch takes ${ARCHITECTURES.join(', ')}\n`);
  process.exitCode = 2;
} else {
  await build(known, values.out ?? join(ROOT, 'dist'));
}
