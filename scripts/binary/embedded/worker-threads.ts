import { Worker as NodeWorker, type WorkerOptions } from 'node:worker_threads';

import { assetName, embeddedFile } from './assets.ts';

/* Replaces `node:worker_threads` in src/: threads run programs that are embedded in the executable. */

export * from 'node:worker_threads';

export class Worker extends NodeWorker {
  constructor(file: URL | string, options: WorkerOptions = {}) {
    const program = embeddedFile(programOf(file, options));
    if (program) super(program.toString('utf8'), { ...options, eval: true });
    else super(file, options);
  }
}

/** The module that the thread runs; worker-thread.js only loads the one that it is given. */
function programOf(file: URL | string, { workerData }: WorkerOptions): URL | string {
  const isStarter = assetName(file)?.endsWith('/worker-thread.js') ?? false;
  const { entry } = (workerData ?? {}) as { entry?: string };
  return isStarter && entry !== undefined ? new URL(entry) : file;
}
