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
export function partitionFrom(table: string, from: Millis, width: Millis): Partition {
  const hour = new Date(from).toISOString().slice(0, 13).replaceAll(/\D/g, '');
  return { table, name: `${table}_${hour}`, from, to: from + width };
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
 * Creates a partition with the indexes of the rest partition. It is created as a table and then attached, because
 * creating it as a partition would lock the parent table.
 */
export async function createPartition<DB>(
  trx: Kysely<DB>,
  partition: Partition,
  fill?: () => Promise<void>,
): Promise<void> {
  const rest = sql.table(`${partition.table}_rest`);
  await sql`create table ${sql.table(partition.name)} (like ${rest} including all)`.execute(trx);
  await fill?.();
  await passToBlock(partition).execute(trx);
  await ATTACH.execute(trx);
}
