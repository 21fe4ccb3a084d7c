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

/**
 * How many milliseconds the next request waits for a flush. Answers cannot go out while this thread works, so those that a
 * quick flush has made good are not kept waiting for work that came after them; a slow one goes on beside it.
 */
const QUICK = 1;

const asked: { id: number; request: Request }[] = [];

port.on('message', (one: { id: number; request: Request }) => {
  asked.push(one);
  if (asked.length === 1) void work();
});

/** Does what is asked, in order, until nothing is left. */
async function work(): Promise<void> {
  for (let one = asked[0]; one; one = asked[0]) {
    const { id, request } = one;
    if (request.kind === 'close') await close(id);
    else answer(request, respond(id, request));
    await flushing.atRest(QUICK);
    asked.shift();
  }
}

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
