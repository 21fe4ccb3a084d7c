import { setTimeout as pause } from 'node:timers/promises';

import pg from 'pg';

import { cpuSeconds, parentOf } from './cpu.ts';

/** Resources used by a PostgreSQL server. */
export interface ServerCosts {
  /** CPU seconds of all its processes. */
  cpu: number;
  /** Bytes of the write-ahead log. */
  wal: number;
  commits: number;
  /** Flushes of the log to disk. */
  flushes: number;
}

/** Backends report their statistics once a second, so this long after the work all of it is counted. */
const REPORTED_AFTER_MS = 1_500;

const READ = `
select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal,
  (select sum(xact_commit)::float8 from pg_stat_database) as commits,
  (select sum(fsyncs)::float8 from pg_stat_io where object = 'wal') as flushes`;

/** Runs some work with a connection. */
export async function connected<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The parent process of all others of a PostgreSQL server. */
export function postmasterOf(url: string): Promise<number> {
  return connected(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return parentOf(rows[0]?.pid ?? 0);
  });
}

/** The resources that the server uses during some work. */
export async function costsWhile<Result>(
  url: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; costs: ServerCosts }> {
  const server = await postmasterOf(url);
  const read = async (): Promise<ServerCosts> => {
    await pause(REPORTED_AFTER_MS);
    return connected(url, async (client) => {
      const { rows } = await client.query<Omit<ServerCosts, 'cpu'>>(READ);
      const { wal = 0, commits = 0, flushes = 0 } = rows[0] ?? {};
      return { cpu: cpuSeconds(server), wal, commits, flushes };
    });
  };
  const before = await read();
  const result = await work();
  const after = await read();
  return {
    result,
    costs: {
      cpu: after.cpu - before.cpu,
      wal: after.wal - before.wal,
      commits: after.commits - before.commits,
      flushes: after.flushes - before.flushes,
    },
  };
}
