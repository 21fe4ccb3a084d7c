import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

import {
  type Batch,
  type BatchResult,
  type Failure,
  KEY_VALUES,
  type Request,
  type Response,
  type Row,
  VALUES,
} from './protocol.ts';

/*
 * The thread that owns the database. Everything blocks here, so that nothing blocks elsewhere: the
 * service's own thread goes on reading requests while this one waits for the disk.
 */
if (!parentPort) throw new Error('the SQLite worker runs as a worker thread only');
const port = parentPort;
const { path } = workerData as { path: string };

const db = new DatabaseSync(path);
// First, since setting the journal mode has to wait for others too.
db.exec('pragma busy_timeout = 5000');
db.exec('pragma journal_mode = wal');
// NORMAL would not fsync at commit: https://www.sqlite.org/pragma.html#pragma_synchronous
db.exec('pragma synchronous = full');
db.exec('pragma foreign_keys = on');
db.exec('pragma cache_size = -32768');
// Rarely, since moving the log into the database flushes too: every 32 MB.
db.exec('pragma wal_autocheckpoint = 8000');
db.exec('pragma journal_size_limit = 67108864');

const KEPT_STATEMENTS = 200;
const statements = new Map<string, StatementSync>();

function prepare(sql: string): StatementSync {
  const known = statements.get(sql);
  if (known) return known;
  if (statements.size >= KEPT_STATEMENTS) statements.clear();
  const statement = db.prepare(sql);
  statements.set(sql, statement);
  return statement;
}

function query(sql: string, parameters: SQLInputValue[]): { rows: Row[]; changes: number } {
  const statement = prepare(sql);
  if (statement.columns().length > 0) return { rows: statement.all(...parameters), changes: 0 };
  return { rows: [], changes: Number(statement.run(...parameters).changes) };
}

const TAKE_IDS = `update sequences set last = last + ? where name = 'message_ids' returning last`;
const INSERT_KEY = `insert into idempotency (scope, key, hash, message_ids, created_at)
  values (?, ?, ?, ?, ?) on conflict do nothing`;
const INSERT_MESSAGE = `insert into messages
  (id, application_id, integration_id, recipient, state, activity, created_at, updated_at)
  values (?, ?, ?, ?, 'queued', ?, ?, ?)`;

function accept({ sizes, values, keys }: Batch): BatchResult {
  const total = values.length / VALUES;
  db.exec('begin immediate');
  try {
    const first = Number(prepare(TAKE_IDS).get(total)?.['last']) - total + 1;
    const repeated = keys.length === 0 ? [] : claimKeys(keys, sizes, values, first);
    const insert = prepare(INSERT_MESSAGE);
    let message = 0;
    for (const [submission, size] of sizes.entries()) {
      if (repeated.includes(submission)) {
        message += size;
        continue;
      }
      for (const end = message + size; message < end; message++) {
        const [application, integration, recipient, activity, at] = slice(values, message);
        insert.run(first + message, application, integration, recipient, activity, at, at);
      }
    }
    db.exec('commit');
    return { first, repeated };
  } catch (error) {
    rollback();
    throw error;
  }
}

/** Records the idempotency keys; answers the submissions whose key was there before. */
function claimKeys(
  keys: Batch['keys'],
  sizes: number[],
  values: Batch['values'],
  first: number,
): number[] {
  const insert = prepare(INSERT_KEY);
  let next = 0;
  const starts = sizes.map((size) => (next += size) - size);
  const repeated: number[] = [];
  for (let i = 0; i < keys.length; i += KEY_VALUES) {
    const [submission, scope, key, hash] = keys.slice(i, i + KEY_VALUES) as [
      number,
      string,
      string,
      string,
    ];
    const start = starts[submission] ?? 0;
    const ids = Array.from({ length: sizes[submission] ?? 0 }, (_, j) => first + start + j);
    const [, , , , at] = slice(values, start);
    if (insert.run(scope, key, hash, JSON.stringify(ids), at).changes !== 1)
      repeated.push(submission);
  }
  return repeated;
}

type MessageValues = [number, number, string, string, number];

const slice = (values: Batch['values'], message: number) =>
  values.slice(message * VALUES, (message + 1) * VALUES) as MessageValues;

/** A failed commit may have rolled back by itself; a second rollback would only hide why. */
function rollback(): void {
  if (db.isTransaction) db.exec('rollback');
}

function run(request: Request): unknown {
  switch (request.kind) {
    case 'query':
      return query(request.sql, request.parameters);
    case 'accept':
      return accept(request.batch);
    case 'rollback':
      return rollback();
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
