import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';

import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';
import { accept } from './accept.ts';
import { Connections, PROMPT_TIMEOUT_MS } from './connections.ts';
import { runDispatchRound } from './dispatch-round.ts';
import { PostgresPartitions } from './partitions.ts';
import { PostgresSignals } from './signals.ts';
import type { StatementName } from './statement-name.ts';
import { areSet, setForUser } from './user-settings.ts';

const INT8 = 20;
const READ_CLOCK = `select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;

/** Our int8 columns hold ids below 2^53 and milliseconds: parse them as numbers instead of `pg`'s strings. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary'
      ? Number
      : pg.types.getTypeParser(oid, format ?? 'text')) as typeof pg.types.getTypeParser,
};

export interface PostgresOptions {
  url: string;
  /** Where to listen for notifications: a transaction pooler does not pass them on. */
  listenUrl: string;
  poolSize: number;
  /** Whether to use named prepared statements, prepared once per connection. */
  prepared: boolean;
  /** Called when an idle connection breaks; the pool replaces it. */
  onIdleError(error: Error): void;
}

export function openPostgres(options: PostgresOptions): Engine {
  const { url, listenUrl, poolSize, prepared, onIdleError } = options;
  const connection = {
    connectionString: url,
    application_name: 'switchboard',
    types,
    keepAlive: true,
    // Send statements without waiting for the previous response: see runDispatchRound.
    pipeline: true,
    connectionTimeoutMillis: PROMPT_TIMEOUT_MS,
  };
  const connections = new Connections(
    { ...connection, max: poolSize, query_timeout: 35_000 },
    onIdleError,
  );
  const { pool } = connections;
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin()],
  });
  const signals = new PostgresSignals({ url: listenUrl, onError: onIdleError });
  const named: StatementName = (name) => (prepared ? { name } : {});
  return {
    name: 'postgres',
    db,
    nextId: () => nextValue(db, 'account_ids'),
    async allocateSequences(trx, count) {
      const { rows } = await sql<{ id: number }>`
        select nextval('message_ids') as id from generate_series(1, ${count})`.execute(trx);
      return rows.map(({ id }) => id).toSorted((a, b) => a - b);
    },
    accept: (submissions) => accept(connections, named, submissions),
    // The next commit is sent while the previous one is being flushed.
    maxConcurrentAccepts: 2,
    maxConcurrentRounds: 2,
    dispatch: (round) => runDispatchRound(connections, named, round),
    databaseNow: (_, after = 0) =>
      sql<number>`((extract(epoch from clock_timestamp()) * 1000)::bigint + ${after}::bigint)`,
    async readClock() {
      const { rows } = await pool.query<{ now: number }>(READ_CLOCK);
      return Number(rows[0]?.now);
    },
    signals,
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      awaited: pool.waitingCount,
    }),
    prepare: () => setForUser(pool),
    partitions: new PostgresPartitions(db),
    async withoutTimeout(work) {
      const singlePool = new pg.Pool({ ...connection, max: 1 });
      // A lost connection fails the statement; without listeners, it would also end the process.
      singlePool.on('error', () => {});
      singlePool.on('connect', (client) => void client.on('error', () => {}));
      const unlimited = new Kysely<Schema>({
        dialect: new PostgresDialect({ pool: singlePool }),
        plugins: [new CamelCasePlugin()],
      });
      try {
        return await work(unlimited);
      } finally {
        await unlimited.destroy();
      }
    },
    // Accepts an empty batch, which a read-only server refuses.
    async ping() {
      await accept(connections, named, []);
    },
    async describe() {
      const { rows } = await sql<{ version: string; durable: boolean }>`
        select current_setting('server_version') as version,
          current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable
      `.execute(db);
      return {
        version: `PostgreSQL ${rows[0]?.version}`,
        durable: rows[0]?.durable ?? false,
        prepared: await areSet(pool),
      };
    },
    async close() {
      await signals.close();
      await db.destroy();
    },
  };
}

async function nextValue(db: Kysely<Schema>, sequence: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`select nextval(${sequence}::regclass) as id`.execute(
    db,
  );
  return Number(rows[0]?.id);
}
