import { Script } from 'node:vm';

import * as archive from './archive.ts';

/*
 * Runs the programs of the archive. Each is one or more CommonJS modules, which are loaded when they are required. The
 * loader of the executable and that of each thread is a bundle with this module.
 */

/** The archive has the compiled code of a module under its name and this suffix, if it is worth it. */
export const CODE = '.code';

/** The text of a module as the archive has it: a function, which V8 compiles as it is. */
export const wrapped = (code: string): string =>
  `(function(exports,require,module,__filename,__dirname){${code}\n})`;

interface Module {
  exports: Record<string, unknown>;
}

type Wrapped = (
  exports: Module['exports'],
  require: (id: string) => unknown,
  module: Module,
  filename: string,
  dirname: string,
) => void;

const modules = new Map<string, Module>();
/** The scripts of the loaded modules, for the build, which keeps their compiled code. */
export const scripts = new Map<string, Script>();

export function load(name: string): Module['exports'] {
  const loaded = modules.get(name);
  if (loaded) return loaded.exports;
  const text = archive.archivedFile(name)?.toString('latin1');
  if (text === undefined) throw new Error(`the executable has no ${name}`);
  const cachedData = archive.archivedFile(name + CODE);
  const script = new Script(text, { filename: name, ...(cachedData && { cachedData }) });
  scripts.set(name, script);
  const module: Module = { exports: {} };
  modules.set(name, module);
  const run = script.runInThisContext() as Wrapped;
  run(module.exports, (id) => required(id, name), module, name, '.');
  return module.exports;
}

/** Programs share the archive of their loader under this name. */
export const ARCHIVE = 'switchboard:archive';

/** Names are relative to the folder of a program, which has no others below it. */
function required(id: string, from: string): unknown {
  if (id === ARCHIVE) return archive;
  if (id.startsWith('./')) return load(from.replace(/[^/]*$/, id.slice(2)));
  const builtin: unknown = process.getBuiltinModule(id);
  if (builtin !== undefined) return builtin;
  // Libraries try to load packages that may not be there.
  throw Object.assign(new Error(`Cannot find module '${id}'`), { code: 'MODULE_NOT_FOUND' });
}
