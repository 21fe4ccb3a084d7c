import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { type ArchivedFile, archiveOf } from './archive.ts';
import { bundleLoader, bundlePrograms } from './bundle.ts';
import { ARCHITECTURES, type Architecture, copyRuntime } from './runtime.ts';

/*
 * `npm run build:binary [-- --arch x64,arm64 --out dist]`: one executable for Linux with everything inside. It is a
 * single executable application (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html). Two builds of
 * one commit are equal. Only the executable for the architecture of the build has compiled code inside. See
 * docs/decisions/0039-packages.md.
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

/** The modules of the programs, and the files that they read. */
async function filesInside(): Promise<Map<string, ArchivedFile>> {
  const files = new Map<string, ArchivedFile>();
  const thread = await bundleLoader('scripts/binary/thread.ts');
  for (const [name, code] of [...(await bundlePrograms()), ['thread.cjs', thread] as const]) {
    files.set(name, { content: Buffer.from(code, 'latin1'), isPacked: false });
  }
  for (const path of globSync(FILES, { cwd: ROOT }).toSorted()) {
    const file = join(ROOT, path);
    if (statSync(file).isFile()) files.set(path, { content: readFileSync(file), isPacked: true });
  }
  return files;
}

/** Node.js of this architecture with the start inside it, in the form that Node.js reads. */
function writeStart(folder: string, target: string): void {
  // The blob contains the path of the program, which must not depend on the temporary folder.
  const settings = { main: 'start.cjs', output: 'blob', disableExperimentalSEAWarning: true };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(settings));
  const options = ['--experimental-sea-config', 'config.json'];
  execFileSync(process.execPath, options, { cwd: folder, stdio: 'ignore' });
  execFileSync(
    process.execPath,
    [POSTJECT, target, 'NODE_SEA_BLOB', join(folder, 'blob'), '--sentinel-fuse', FUSE],
    { stdio: 'ignore' },
  );
}

/** The compiled code of the modules that every start of the service loads. */
function compiled(folder: string, archive: string): Map<string, ArchivedFile> {
  const out = join(folder, 'code');
  mkdirSync(out);
  // On one thread and with a fixed seed, V8 writes the same code in each build. Its background threads would finish at
  // different times. The executable itself uses neither option, and accepts the code.
  const options = ['--predictable', '--random-seed=1', join(folder, 'compile.cjs'), archive, out];
  execFileSync(process.execPath, options, { env: {}, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Map(
    readdirSync(out)
      .toSorted()
      .map((name) => [
        decodeURIComponent(name),
        { content: readFileSync(join(out, name)), isPacked: false },
      ]),
  );
}

async function build(architectures: readonly Architecture[], out: string): Promise<void> {
  for (const page of ['console/dist/index.html', 'site/dist/not-found.html']) {
    if (!existsSync(join(ROOT, page))) throw new Error(`${page} is not built: run npm ci`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-binary-'));
  mkdirSync(out, { recursive: true });
  try {
    const files = await filesInside();
    writeFileSync(join(folder, 'start.cjs'), await bundleLoader('scripts/binary/start.ts'));
    writeFileSync(join(folder, 'compile.cjs'), await bundleLoader('scripts/binary/compile.ts'));
    writeFileSync(join(folder, 'archive'), archiveOf(files));
    const code = compiled(folder, join(folder, 'archive'));
    for (const architecture of architectures) {
      const file = join(out, `switchboard-linux-${architecture}`);
      copyRuntime(ROOT, architecture, file);
      chmodSync(file, 0o755);
      writeStart(folder, file);
      const isOurs = architecture === process.arch;
      appendFileSync(file, archiveOf(isOurs ? new Map([...files, ...code]) : files));
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
