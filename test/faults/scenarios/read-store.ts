import { DatabaseSync } from 'node:sqlite';

import pg from 'pg';

import type { CommandLine } from '../../support/programs/command.ts';

/** Reads one number from the store directly with SQL. */
export async function readStore(cli: CommandLine, statement: string): Promise<number> {
  const database = cli.environment['SWITCHBOARD_DATABASE'] ?? '';
  if (!database.startsWith('postgres')) {
    using db = new DatabaseSync(database);
    return Number(Object.values(db.prepare(statement).get() ?? {})[0]);
  }
  const client = new pg.Client(database);
  await client.connect();
  try {
    return Number(Object.values((await client.query(statement)).rows[0])[0]);
  } finally {
    await client.end();
  }
}
