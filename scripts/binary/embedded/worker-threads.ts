import { Worker as NodeWorker, type WorkerOptions } from 'node:worker_threads';

import { archivedFile } from './archive.ts';
import { assetName } from './assets.ts';

/* Replaces `node:worker_threads` in src/: threads run programs that are embedded in the executable. */

export * from 'node:worker_threads';

/** The archive has the loader of threads under this name. */
const LOADER = 'thread.cjs';

export class Worker extends NodeWorker {
  constructor(file: URL | string, options: WorkerOptions = {}) {
    const program = assetName(programOf(file, options));
    if (program === undefined) super(file, options);
    else {
      const data = options.workerData as object;
      const loader = archivedFile(LOADER)?.toString('latin1') ?? '';
      super(loader, { ...options, eval: true, workerData: { ...data, program } });
    }
  }
}

/** The module that the thread runs; worker-thread.js only loads the one that it is given. */
function programOf(file: URL | string, { workerData }: WorkerOptions): URL | string {
  const isStarter = assetName(file)?.endsWith('/worker-thread.js') ?? false;
  const { entry } = (workerData ?? {}) as { entry?: string };
  return isStarter && entry !== undefined ? new URL(entry) : file;
}
