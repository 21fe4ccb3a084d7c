import { parentPort, workerData } from 'node:worker_threads';

import { freeMemory } from '../../lib/runtime/memory.ts';
import { isDamaged, isUnavailable } from '../faults.ts';
import { damage } from './damage.ts';
import { Database, isDelete, isRead } from './database.ts';
import { execute } from './execute.ts';
import { Flushing } from './flushing.ts';
import type { ThreadRequest, ThreadResponse } from './protocol.ts';

/*
 * The thread that owns the database. Everything except flushes blocks here, so that the main thread can go on reading
 * requests.
 */
if (!parentPort) throw new Error('this module must run in a worker thread');
const port = parentPort;
const { path, logLimitBytes } = workerData as { path: string; logLimitBytes: number };
const db = new Database(path, logLimitBytes);
/** The error of the last write, until one succeeds: a store that cannot write is not ready. */
let writeFault: Error | undefined;
/** Set once the file is known to be damaged; then nothing is read or written any more. */
let damaged: Error | undefined;
const flushing = new Flushing<ThreadResponse>(
  () => db.flush(),
  (responses, fault) => {
    if (fault instanceof Error) writeFault = fault;
    port.postMessage(fault ? responses.map(({ id }) => failed(id, fault)) : responses);
  },
);

/**
 * How long the next request waits for a running flush. This thread cannot send responses while it works, so responses
 * that a quick flush has completed should not wait for later work. A slow flush continues in the background.
 */
const QUICK_FLUSH_MS = 1;

/** Idle time after which the log is moved into the database file. */
const IDLE_MS = 1_000;
let lastChanges = db.changes;
/** Whether the log may contain more than renewed leases, which are not worth a checkpoint every few seconds. */
let hasNews = true;
/** Long enough after the start that the main thread, which frees its memory too, does not do it at the same time. */
const LOADED_AFTER_MS = 2_500;
let isFreed = false;
const idle = setInterval(() => {
  const isIdle = db.changes === lastChanges;
  lastChanges = db.changes;
  if (isIdle && !isFreed && performance.now() > LOADED_AFTER_MS) {
    freeMemory();
    isFreed = true;
  }
  // A reader can prevent it; the next interval tries again.
  if (isIdle && hasNews && !damaged) hasNews = !checkpoint();
}, IDLE_MS).unref();

const queue: { id: number; request: ThreadRequest }[] = [];

port.on('message', (entry: { id: number; request: ThreadRequest }) => {
  queue.push(entry);
  if (queue.length === 1) void processQueue();
});

/** Processes requests in order until none are left. */
async function processQueue(): Promise<void> {
  for (let entry = queue[0]; entry; entry = queue[0]) {
    const { id, request } = entry;
    if (request.kind === 'close') await close(id);
    else answer(request, respond(id, request));
    await flushing.waitIdle(QUICK_FLUSH_MS);
    queue.shift();
  }
}

/** Returns whether the log is empty now. */
function checkpoint(): boolean {
  try {
    return db.checkpoint();
  } catch (error) {
    // A write that fails for the same reason reports it.
    noteDamage(error);
    return false;
  }
}

function noteDamage(error: unknown): void {
  if (error instanceof Error && isDamaged(error)) damaged ??= damage(error.message);
}

/**
 * Holds responses until their commits are on disk. Responses inside a transaction are not final yet; and an id means
 * nothing until a later commit stores something under it, which reaches the disk after this one.
 */
function answer(request: ThreadRequest, response: ThreadResponse): void {
  const isOnDisk = !flushing.running && changedNothing(request, response);
  if (isOnDisk || db.isInTransaction || request.kind === 'nextId') port.postMessage([response]);
  else flushing.hold(response);
}

function changedNothing(request: ThreadRequest, response: ThreadResponse): boolean {
  if (request.kind === 'ping') return true;
  if (request.kind !== 'query') return false;
  return isRead(request.sql) || (isDelete(request.sql) && isEmpty(response));
}

/** Most deletes find no rows. */
function isEmpty(response: ThreadResponse): boolean {
  if ('failure' in response) return false;
  const { rows, changes } = response.value as ReturnType<Database['query']>;
  return rows.length === 0 && changes === 0;
}

function respond(id: number, request: ThreadRequest): ThreadResponse {
  if (damaged && request.kind !== 'rollback' && request.kind !== 'close') {
    return failed(id, damaged);
  }
  if (writeFault && request.kind === 'ping') return failed(id, writeFault);
  try {
    const value = execute(db, request);
    if (isWrite(request)) {
      hasNews ||= !isRenewal(request);
      if (!db.isInTransaction) writeFault = undefined;
    }
    return { id, value };
  } catch (error) {
    noteDamage(error);
    if (error instanceof Error && isWrite(request) && isUnavailable(error)) writeFault = error;
    return failed(id, error);
  }
}

const isWrite = (request: ThreadRequest) =>
  request.kind === 'query'
    ? !isRead(request.sql)
    : !['ping', 'rollback', 'close'].includes(request.kind);

const isRenewal = (request: ThreadRequest) =>
  request.kind === 'query' && request.sql.startsWith('insert into "nodes"');

function failed(id: number, error: unknown): ThreadResponse {
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
  return { id, failure: { message, code, errcode } };
}

async function close(id: number): Promise<void> {
  clearInterval(idle);
  await flushing.running;
  port.postMessage([respond(id, { kind: 'close' })]);
  port.close();
}
