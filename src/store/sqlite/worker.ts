import { parentPort, workerData } from 'node:worker_threads';

import { isDamaged } from '../faults.ts';
import { damage } from './damage.ts';
import { Database, isRead } from './database.ts';
import { execute } from './execute.ts';
import { Flushing } from './flushing.ts';
import type { Request, Response } from './protocol.ts';

/*
 * The thread that owns the database. Everything but the flushes blocks here, so that nothing blocks elsewhere:
 * the service's own thread goes on reading requests while this one works.
 */
if (!parentPort) throw new Error('the SQLite worker runs as a worker thread only');
const port = parentPort;
const { path, logLimitBytes } = workerData as { path: string; logLimitBytes: number };
const db = new Database(path, logLimitBytes);
/** Once the file is known to be damaged, nothing is read from it or written to it any more. */
let damaged: Error | undefined;
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

/** After how long without a change the log is moved into the database file. */
const IDLE_MS = 1_000;
let seen = db.changes;
const idle = setInterval(() => {
  const isIdle = db.changes === seen;
  seen = db.changes;
  if (isIdle && !damaged) checkpoint();
}, IDLE_MS).unref();

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

function checkpoint(): void {
  try {
    db.checkpoint();
  } catch (error) {
    // A write that fails for the same reason says so.
    judge(error);
  }
}

function judge(error: unknown): void {
  if (error instanceof Error && isDamaged(error)) damaged ??= damage(error.message);
}

/** Nobody hears of what is not on disk yet. What is said inside a transaction is not final anyway. */
function answer(request: Request, response: Response): void {
  const isOnDisk = !flushing.running && changesNothing(request);
  if (isOnDisk || db.isInTransaction) port.postMessage([response]);
  else flushing.hold(response);
}

const changesNothing = (request: Request) =>
  request.kind === 'ping' || (request.kind === 'query' && isRead(request.sql));

function respond(id: number, request: Request): Response {
  if (damaged && request.kind !== 'rollback' && request.kind !== 'close') {
    return failed(id, damaged);
  }
  try {
    return { id, value: execute(db, request) };
  } catch (error) {
    judge(error);
    return failed(id, error);
  }
}

function failed(id: number, error: unknown): Response {
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
  return { id, failure: { message, code, errcode } };
}

async function close(id: number): Promise<void> {
  clearInterval(idle);
  await flushing.running;
  port.postMessage([respond(id, { kind: 'close' })]);
  port.close();
}
