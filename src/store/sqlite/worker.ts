import { parentPort, workerData } from 'node:worker_threads';

import { accept } from './accept.ts';
import { Database } from './database.ts';
import type { Failure, Request, Response } from './protocol.ts';
import { turn } from './turn.ts';

/*
 * The thread that owns the database. Everything blocks here, so that nothing blocks elsewhere: the
 * service's own thread goes on reading requests while this one waits for the disk.
 */
if (!parentPort) throw new Error('the SQLite worker runs as a worker thread only');
const port = parentPort;
const { path } = workerData as { path: string };
const db = new Database(path);

function run(request: Request): unknown {
  switch (request.kind) {
    case 'query':
      return db.query(request.sql, request.parameters);
    case 'accept':
      return accept(db, request.batch);
    case 'turn':
      return turn(db, request.turn);
    case 'rollback':
      return db.rollback();
    case 'close':
      return db.close();
  }
}

function failure(error: unknown): Failure {
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
  return { message, code, errcode };
}

port.on('message', ({ id, request }: { id: number; request: Request }) => {
  let response: Response;
  try {
    response = { id, value: run(request) };
  } catch (error) {
    response = { id, failure: failure(error) };
  }
  port.postMessage(response);
  if (request.kind === 'close') port.close();
});
