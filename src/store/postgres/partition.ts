import { type Kysely, sql } from 'kysely';

import type { Millis } from '../../model/timestamp.ts';

/** A partition by time. */
export interface Partition {
  table: string;
  name: string;
  /** Bounds: inclusive and exclusive. */
  from: Millis;
  to: Millis;
}

/** `outbox_2026111500`: named after the hour of its start. */
export function partitionFrom(table: string, from: Millis, to: Millis): Partition {
  const hour = new Date(from).toISOString().slice(0, 13).replaceAll(/\D/g, '');
  return { table, name: `${table}_${hour}`, from, to };
}

/** A DO block takes no parameters; it reads this setting. */
const passToBlock = ({ table, name, from, to }: Partition) =>
  sql`select set_config('switchboard.partition', ${[table, name, from, to].join(' ')}, true)`;

const ATTACH = sql`
do $$ declare given text[] := string_to_array(current_setting('switchboard.partition'), ' '); begin
  execute format('alter table %I attach partition %I for values from (%L) to (%L)',
    given[1], given[2], given[3], given[4]);
end $$`;

/**
 * Creates a partition with the indexes of the rest partition, and attaches it. Attaching does not wait for running
 * statements that use other partitions, but these know only the partitions that existed when they were planned, and
 * would miss a message that is settled into the new one before they read. The lock of the table waits for them, and
 * keeps others from being planned. It comes last, so it is held for milliseconds.
 */
export async function createPartition<DB>(trx: Kysely<DB>, partition: Partition): Promise<void> {
  const { table, name } = partition;
  const rest = sql.table(`${table}_rest`);
  await sql`create table ${sql.table(name)} (like ${rest} including all)`.execute(trx);
  await sql`lock table only ${sql.table(table)} in access exclusive mode`.execute(trx);
  await passToBlock(partition).execute(trx);
  await ATTACH.execute(trx);
}
