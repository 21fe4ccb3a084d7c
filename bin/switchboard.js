#!/usr/bin/env node
// The command line, for any Node.js: starts the one installed with the package if this one is too old.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

import { isSupported, runNode } from './node.js';
import { stripTypes } from './strip-types.js';

// DNS lookups run on these threads. With the default of 4, a few unresponsive name servers could block all of them.
// oxlint-disable-next-line node/no-process-env -- a setting of Node itself, read before the configuration
process.env.UV_THREADPOOL_SIZE ??= '16';

if (isSupported()) {
  // Caches compiled modules for later starts. The folder belongs to the package: another user could plant code in a
  // shared one.
  module.enableCompileCache(
    fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)),
  );
  stripTypes();
  await import('../src/main.ts');
} else {
  runNode(process.argv.slice(1));
}
