import pg from 'pg';

import { parentOf } from './cpu.ts';

/** The process that all others of a PostgreSQL server belong to. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return parentOf(rows[0]?.pid ?? 0);
  } finally {
    await client.end();
  }
}
