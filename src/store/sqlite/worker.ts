import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

import type { Accepted, Submission } from '../engine.ts';
import type { Failure, Request, Response, Row } from './protocol.ts';

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

function accept(submissions: readonly Submission[]): Accepted[] {
  const total = submissions.reduce((sum, { messages }) => sum + messages.length, 0);
  db.exec('begin immediate');
  try {
    const last = Number(prepare(TAKE_IDS).get(total)?.['last']);
    let next = last - total + 1;
    const accepted = submissions.map((submission): Accepted => {
      const ids = submission.messages.map(() => next++);
      if (!claimKey(submission, ids)) return { repeated: true };
      const insert = prepare(INSERT_MESSAGE);
      submission.messages.forEach((message, i) => {
        const { applicationId, integrationId, recipient, activity, createdAt } = message;
        insert.run(
          ids[i] ?? null,
          applicationId,
          integrationId,
          recipient,
          activity,
          createdAt,
          createdAt,
        );
      });
      return { ids };
    });
    db.exec('commit');
    return accepted;
  } catch (error) {
    rollback();
    throw error;
  }
}

function claimKey({ idempotency, messages }: Submission, ids: number[]): boolean {
  if (!idempotency) return true;
  const { scope, key, hash } = idempotency;
  const createdAt = messages[0]?.createdAt ?? 0;
  return prepare(INSERT_KEY).run(scope, key, hash, JSON.stringify(ids), createdAt).changes === 1;
}

/** A failed commit may have rolled back by itself; a second rollback would only hide why. */
function rollback(): void {
  if (db.isTransaction) db.exec('rollback');
}

function run(request: Request): unknown {
  switch (request.kind) {
    case 'query':
      return query(request.sql, request.parameters);
    case 'accept':
      return accept(request.submissions);
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
