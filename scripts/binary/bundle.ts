import { join, relative } from 'node:path';

import { type Plugin, rolldown } from 'rolldown';

import { ARCHIVE, wrapped } from './embedded/programs.ts';

/* Bundles the service and its threads into one CommonJS program each. */

const ROOT = join(import.meta.dirname, '..', '..');
const HERE = join(ROOT, 'scripts', 'binary');

/** The programs by the name that the archive gives them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'main/main.js': 'scripts/binary/main.ts',
  'src/store/sqlite/worker.ts': 'src/store/sqlite/worker.ts',
  'src/store/sqlite/check-thread.js': 'scripts/binary/check-thread.ts',
  'src/compose/plan-worker.ts': 'src/compose/plan-worker.ts',
  'src/accept/templates/content-worker.ts': 'src/accept/templates/content-worker.ts',
  'src/channels/email/reader-worker.ts': 'src/channels/email/reader-worker.ts',
};

/** Modules of Node.js that know the embedded files. */
const EMBEDDED: Readonly<Record<string, string>> = {
  'node:fs': 'fs.ts',
  'node:fs/promises': 'fs-promises.ts',
  'node:worker_threads': 'worker-threads.ts',
};

const embedding = (isLoader: boolean): Plugin => ({
  name: 'embedding',
  resolveId(specifier, importer) {
    if (!isLoader && specifier === './archive.ts' && importer?.startsWith(HERE)) {
      return { id: ARCHIVE, external: true };
    }
    const file = EMBEDDED[specifier];
    const isOurs = importer?.startsWith(join(ROOT, 'src')) ?? false;
    return file !== undefined && isOurs ? join(HERE, 'embedded', file) : null;
  },
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.includes('node_modules')) return null;
    const url = `file:///switchboard-executable/${relative(ROOT, id)}`;
    return { code: code.replaceAll('import.meta.url', JSON.stringify(url)), map: null };
  },
});

/** The modules of each program, by their names in the archive. Those of the main program are loaded as they are needed. */
export async function bundlePrograms(): Promise<Map<string, string>> {
  const modules = new Map<string, string>();
  for (const [name, input] of Object.entries(PROGRAMS)) {
    for (const [file, code] of await bundle(input, name === 'main/main.js' ? 'split' : 'whole')) {
      modules.set(file === 'main.js' ? name : `main/${file}`, wrapped(code));
    }
  }
  return modules;
}

/** A program that Node.js loads itself. */
export async function bundleLoader(input: string): Promise<string> {
  const code = (await bundle(input, 'loader')).get('main.js');
  if (code === undefined) throw new Error(`${input} is empty`);
  return code;
}

async function bundle(
  input: string,
  as: 'split' | 'whole' | 'loader',
): Promise<Map<string, string>> {
  await using build = await rolldown({
    input: { main: join(ROOT, input) },
    cwd: ROOT,
    platform: 'node',
    plugins: [embedding(as === 'loader')],
    logLevel: 'silent',
  });
  const { output } = await build.generate({
    format: 'cjs',
    codeSplitting: as === 'split',
    dynamicImportInCjs: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // V8 keeps the text in memory. Functions keep their names for stack traces.
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    comments: false,
  });
  return new Map(
    output.map((file) => {
      if (file.type !== 'chunk') throw new Error(`${input} has the file ${file.fileName}`);
      return [file.fileName, ascii(file.code)];
    }),
  );
}

/** V8 keeps a program with any other character in twice the memory. */
function ascii(code: string): string {
  // The only place where an escape means something else.
  if (/String\.raw`[^`]*[^\0-\x7F`][^`]*`/.test(code)) throw new Error('String.raw is not ASCII');
  return code.replaceAll(
    /[^\0-\x7F]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
