import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts a thread that runs the module at `entry`, with `data` as its `workerData`. */
export function startThread(
  entry: URL,
  data: Readonly<Record<string, unknown>> = {},
  options: Pick<WorkerOptions, 'resourceLimits'> = {},
): Worker {
  const compileCache = cacheAbove(getCompileCacheDir());
  return new Worker(new URL('./worker-thread.js', import.meta.url), {
    ...options,
    workerData: { ...data, entry: entry.href, compileCache },
  });
}

/** Node appends a folder for its version to the configured cache folder; this removes it again. */
function cacheAbove(folder: string | undefined): string | undefined {
  return folder && dirname(folder);
}
