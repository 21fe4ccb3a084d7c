// The start of every worker thread; `entry` is the module to run. It is JavaScript so that the thread uses the
// compile cache and does not load the type stripper, which would cost 18 MB and 70 ms per start.
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { workerData } from 'node:worker_threads';

import { stripTypes } from '../../../bin/strip-types.js';

const { entry, compileCache } = /** @type {{ entry: string, compileCache?: string }} */ (
  workerData
);
if (compileCache !== undefined && getCompileCacheDir() === undefined)
  enableCompileCache(compileCache);
stripTypes();
await import(entry);
