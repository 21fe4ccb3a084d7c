import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { CamelCasePlugin, Kysely, sql } from 'kysely';

import type { Accepted, Engine, Submission } from '../engine.ts';
import type { Schema } from '../schema.ts';
import { Connection } from './connection.ts';
import { quickCheck, wasLeftOpen } from './damage.ts';
import { DEFAULT_LOG_LIMIT_BYTES } from './database.ts';
import type { DbQueue } from './db-queue.ts';
import { SqliteThreadDialect } from './dialect.ts';
import { type FlatResult, flattenRound, unflattenResult } from './dispatch-protocol.ts';
import { type Batch, type BatchResult, FLAT_KEY, FLAT_MESSAGE, FLAT_ROUTE } from './protocol.ts';

export interface SqliteOptions {
  /** Maximum size of the write-ahead log. */
  logLimitBytes?: number;
  /** Whether to check the file after an unclean shutdown. */
  isCheckedAfterCrash?: boolean;
}

/** Opens or creates the embedded store. Only this user can read its files. */
export function openSqlite(path: string, options: SqliteOptions = {}): Engine {
  const { logLimitBytes = DEFAULT_LOG_LIMIT_BYTES, isCheckedAfterCrash = false } = options;
  const isSuspect = isCheckedAfterCrash && wasLeftOpen(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives -wal and -shm the mode of the database file.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const connection = new Connection(path, logLimitBytes);
  const engine = sqliteEngine(connection);
  return {
    ...engine,
    logBytes: () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    ...(isSuspect && { checked: check(engine, connection, path) }),
  };
}

/** Rejects if the file is damaged, as does every request from then on. */
async function check(engine: Engine, connection: DbQueue, path: string): Promise<void> {
  // Opening the database recovers the log; check only afterwards.
  await sql`select 1`.execute(engine.db);
  const fault = await quickCheck(path);
  if (fault !== undefined) await connection.once({ kind: 'markDamaged', fault });
}

export function sqliteEngine(connection: DbQueue): Engine {
  const db = new Kysely<Schema>({
    dialect: new SqliteThreadDialect(connection),
    plugins: [new CamelCasePlugin()],
  });
  return {
    name: 'sqlite',
    db,
    nextId: () => connection.once<number>({ kind: 'nextId' }),
    async allocateSequences(trx, count) {
      const last = await takeIds(trx, count);
      return Array.from({ length: count }, (_, i) => last - count + 1 + i);
    },
    async accept(submissions) {
      const batch = toBatch(submissions);
      const result = await connection.once<BatchResult>({ kind: 'accept', batch });
      return fromResult(submissions, result);
    },
    // A single thread makes all commits and flushes them in the background.
    maxConcurrentAccepts: 1,
    maxConcurrentRounds: 2,
    async dispatch(round) {
      const request = { kind: 'dispatch', round: flattenRound(round) } as const;
      return unflattenResult(await connection.once<FlatResult>(request));
    },
    runMany: (statement, rows) =>
      connection.once({ kind: 'many', sql: statement, rows: JSON.stringify(rows) }),
    databaseNow: (now, after = 0) => sql<number>`${now + after}`,
    ping: () => connection.once({ kind: 'ping' }),
    async describe() {
      const version = await sql<{ v: string }>`select sqlite_version() as v`.execute(db);
      return {
        version: `SQLite ${version.rows[0]?.v}`,
        durable: true,
        prepared: true,
      };
    },
    close: () => db.destroy(),
  };
}

async function takeIds(db: Kysely<Schema>, count: number): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    update sequences set last = last + ${count} where name = 'message_ids' returning last`.execute(
    db,
  );
  return Number(rows[0]?.last);
}

function toBatch(submissions: readonly Submission[]): Batch {
  const batch: Batch = { sizes: [], messages: [], routes: [], keys: [], withSuppressed: [] };
  let position = 0;
  for (const [submission, { messages, idempotency, withSuppressed }] of submissions.entries()) {
    batch.sizes.push(messages.length);
    if (withSuppressed) batch.withSuppressed.push(submission);
    for (const message of messages) {
      FLAT_MESSAGE.append(batch.messages, message);
      for (const route of message.routes ?? []) {
        FLAT_ROUTE.append(batch.routes, { ...route, message: position });
      }
      position++;
    }
    if (idempotency) FLAT_KEY.append(batch.keys, { ...idempotency, submission });
  }
  return batch;
}

function fromResult(
  submissions: readonly Submission[],
  { first, repeated, suppressed }: BatchResult,
): Accepted[] {
  let next = 0;
  return submissions.map(({ messages, withSuppressed }, i): Accepted => {
    const start = next;
    next += messages.length;
    if (repeated.includes(i)) return { repeated: true };
    const positions = suppressed
      .filter((position) => position >= start && position < next)
      .map((position) => position - start);
    const [refused] = positions;
    if (refused !== undefined && !withSuppressed) return { refused };
    return { ids: messages.map((_, position) => first + start + position), suppressed: positions };
  });
}
