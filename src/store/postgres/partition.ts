import { type Kysely, sql } from 'kysely';

import type { Millis } from '../../model/timestamp.ts';

/** A piece of a table that is partitioned by time. */
export interface Partition {
  table: string;
  name: string;
  /** The first moment that belongs into it, and the first that does not any more. */
  from: Millis;
  to: Millis;
}

/** `messages_2026111500`: named for the hour in which it begins. */
export function partitionFrom(table: string, from: Millis, width: Millis): Partition {
  const hour = new Date(from).toISOString().slice(0, 13).replaceAll(/\D/g, '');
  return { table, name: `${table}_${hour}`, from, to: from + width };
}

/** A block takes no parameters; it reads this one. */
const give = ({ table, name, from, to }: Partition) =>
  sql`select set_config('switchboard.partition', ${[table, name, from, to].join(' ')}, true)`;

const ATTACH = sql`
do $$ declare given text[] := string_to_array(current_setting('switchboard.partition'), ' '); begin
  execute format('alter table %I attach partition %I for values from (%L) to (%L)',
    given[1], given[2], given[3], given[4]);
end $$`;

/**
 * Makes it one with the indexes of the partition that the rest is in. It is attached when it is there, and not made
 * as a partition from the start, for which nobody could use the table meanwhile.
 */
export async function makePartition<DB>(
  trx: Kysely<DB>,
  partition: Partition,
  fill?: () => Promise<void>,
): Promise<void> {
  const rest = sql.table(`${partition.table}_rest`);
  await sql`create table ${sql.table(partition.name)} (like ${rest} including all)`.execute(trx);
  await fill?.();
  await give(partition).execute(trx);
  await ATTACH.execute(trx);
}
