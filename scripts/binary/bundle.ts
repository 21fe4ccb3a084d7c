import { join, relative } from 'node:path';

import { type Plugin, rolldown } from 'rolldown';

/* Bundles the service and its threads into one CommonJS program each. */

const ROOT = join(import.meta.dirname, '..', '..');
const HERE = join(ROOT, 'scripts', 'binary');

/** The programs by the asset that a thread names; `main` is the executable itself. */
const PROGRAMS: Readonly<Record<string, string>> = {
  main: 'scripts/binary/main.ts',
  'src/store/sqlite/worker.ts': 'src/store/sqlite/worker.ts',
  'src/store/sqlite/check-thread.js': 'scripts/binary/check-thread.ts',
  'src/compose/plan-worker.ts': 'src/compose/plan-worker.ts',
  'src/channels/email/reader-worker.ts': 'src/channels/email/reader-worker.ts',
};

/** Modules of Node.js that know the embedded files. */
const EMBEDDED: Readonly<Record<string, string>> = {
  'node:fs': 'fs.ts',
  'node:fs/promises': 'fs-promises.ts',
  'node:worker_threads': 'worker-threads.ts',
};

const embedding: Plugin = {
  name: 'embedding',
  resolveId(specifier, importer) {
    const file = EMBEDDED[specifier];
    const isOurs = importer?.startsWith(join(ROOT, 'src')) ?? false;
    return file !== undefined && isOurs ? join(HERE, 'embedded', file) : null;
  },
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.includes('node_modules')) return null;
    const url = `file:///switchboard-executable/${relative(ROOT, id)}`;
    return { code: code.replaceAll('import.meta.url', JSON.stringify(url)), map: null };
  },
};

/** The text of each program. */
export async function bundleAll(): Promise<Map<string, string>> {
  const programs = new Map<string, string>();
  for (const [name, input] of Object.entries(PROGRAMS)) programs.set(name, await bundle(input));
  return programs;
}

async function bundle(input: string): Promise<string> {
  await using build = await rolldown({
    input: join(ROOT, input),
    cwd: ROOT,
    platform: 'node',
    plugins: [embedding],
    logLevel: 'silent',
  });
  const { output } = await build.generate({
    format: 'cjs',
    codeSplitting: false,
    // V8 keeps the text in memory, beside the mapped pages of the file. Functions keep their names for stack traces.
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    comments: false,
  });
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`${input} became ${output.length} files`);
  return ascii(chunk.code);
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
