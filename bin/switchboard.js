#!/usr/bin/env node
// The command line, on any Node.js: hands over to the one that came with the package where this one is too old.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

import { isSupported, runNode } from './node.js';
import { stripTypes } from './strip-types.js';

// Names are looked up on these threads; those whose servers do not answer must not take all of them.
// oxlint-disable-next-line node/no-process-env -- it is Node's own, and read before anything of ours runs
process.env.UV_THREADPOOL_SIZE ??= '16';

if (isSupported()) {
  // Types are stripped and modules compiled once; later starts find the result here. The folder is our own:
  // what lies in a shared one could be anybody's.
  module.enableCompileCache(
    fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)),
  );
  stripTypes();
  await import('../src/main.ts');
} else {
  runNode([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
}
