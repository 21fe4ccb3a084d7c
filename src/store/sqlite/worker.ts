import { parentPort, workerData } from 'node:worker_threads';

import { Database } from './database.ts';
import { execute } from './execute.ts';
import type { Failure, Request, Response } from './protocol.ts';

/*
 * The thread that owns the database. Everything blocks here, so that nothing blocks elsewhere: the
 * service's own thread goes on reading requests while this one waits for the disk.
 */
if (!parentPort) throw new Error('the SQLite worker runs as a worker thread only');
const port = parentPort;
const { path } = workerData as { path: string };
const db = new Database(path);

function failure(error: unknown): Failure {
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
  return { message, code, errcode };
}

port.on('message', ({ id, request }: { id: number; request: Request }) => {
  let response: Response;
  try {
    response = { id, value: execute(db, request) };
  } catch (error) {
    response = { id, failure: failure(error) };
  }
  port.postMessage(response);
  if (request.kind === 'close') port.close();
});
