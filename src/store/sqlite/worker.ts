import { parentPort, workerData } from 'node:worker_threads';

import { Database } from './database.ts';
import { execute } from './execute.ts';
import { Flushing } from './flushing.ts';
import type { Request, Response } from './protocol.ts';

/*
 * The thread that owns the database. Everything but the flushes blocks here, so that nothing blocks elsewhere:
 * the service's own thread goes on reading requests while this one works.
 */
if (!parentPort) throw new Error('the SQLite worker runs as a worker thread only');
const port = parentPort;
const { path } = workerData as { path: string };
const db = new Database(path);
const flushing = new Flushing<Response>(
  () => db.flush(),
  (responses, fault) =>
    port.postMessage(fault ? responses.map(({ id }) => failed(id, fault)) : responses),
);

port.on('message', ({ id, request }: { id: number; request: Request }) => {
  if (request.kind === 'close') void close(id);
  else answer(request, respond(id, request));
});

/** Nobody hears of what is not on disk yet. What is said inside a transaction is not final anyway. */
function answer(request: Request, response: Response): void {
  const isOnDisk = !flushing.running && request.kind === 'query' && isRead(request.sql);
  if (isOnDisk || db.isInTransaction) port.postMessage([response]);
  else flushing.hold(response);
}

const isRead = (sql: string) => sql.startsWith('select ');

function respond(id: number, request: Request): Response {
  try {
    return { id, value: execute(db, request) };
  } catch (error) {
    return failed(id, error);
  }
}

function failed(id: number, error: unknown): Response {
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
  return { id, failure: { message, code, errcode } };
}

async function close(id: number): Promise<void> {
  await flushing.running;
  port.postMessage([respond(id, { kind: 'close' })]);
  port.close();
}
