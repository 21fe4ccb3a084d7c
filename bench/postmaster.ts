import { setTimeout as pause } from 'node:timers/promises';

import pg from 'pg';

import { cpuSeconds, parentOf } from './cpu.ts';

/** What a PostgreSQL server has done since it was started. */
export interface ServerCosts {
  /** Seconds of processors, of all its processes. */
  cpu: number;
  /** Bytes of the write-ahead log. */
  wal: number;
  commits: number;
  /** How often the log was flushed to disk. */
  flushes: number;
}

/** Processes of the server hand in their counts once a second. */
const HANDED_IN = 1_500;

const READ = `
select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal,
  (select sum(xact_commit)::float8 from pg_stat_database) as commits,
  (select sum(fsyncs)::float8 from pg_stat_io where object = 'wal') as flushes`;

/** Gives a connection to somebody for as long as they need it. */
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

/** The process that all others of a PostgreSQL server belong to. */
export function postmasterOf(url: string): Promise<number> {
  return connected(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return parentOf(rows[0]?.pid ?? 0);
  });
}

/** What the server does while something is done. */
export async function costsWhile<Result>(
  url: string,
  work: () => Promise<Result>,
): Promise<{ result: Result; costs: ServerCosts }> {
  const server = await postmasterOf(url);
  const read = async (): Promise<ServerCosts> => {
    await pause(HANDED_IN);
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
