import { type Kysely, sql } from 'kysely';

import { createPartition, partitionFrom } from '../postgres/partition.ts';
import type { EngineName } from '../schema.ts';
import { accounts } from './initial/accounts.ts';
import { applications } from './initial/applications.ts';
import { chat } from './initial/chat.ts';
import { consents } from './initial/consents.ts';
import { delivery } from './initial/delivery.ts';
import { DIALECTS } from './initial/dialect.ts';
import { feed } from './initial/feed.ts';
import { messages } from './initial/messages.ts';
import { people } from './initial/people.ts';
import { pools } from './initial/pools.ts';
import { received } from './initial/received.ts';
import { routes } from './initial/routes.ts';
import { sandbox } from './initial/sandbox.ts';
import { templates } from './initial/templates.ts';
import { upkeep } from './initial/upkeep.ts';

const SUBJECTS = [
  accounts,
  applications,
  messages,
  routes,
  pools,
  delivery,
  feed,
  received,
  consents,
  people,
  templates,
  chat,
  sandbox,
  upkeep,
];

const PARTITIONED = ['outbox', 'attempts', 'events'];
/** The width for the default retention of 30 days; the service creates later partitions by its setting. */
const PARTITION_MS = 3 * 24 * 60 * 60 * 1000;

/** All tables. src/store/schema.ts describes their columns, src/store/tables.ts their tenants and keys. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  for (const subject of SUBJECTS) {
    for (const statement of subject(DIALECTS[engine])) await statement.execute(db);
  }
  if (engine === 'postgres') await makePartitions(db);
}

/** Creates the current partition and the next one. */
async function makePartitions(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ now: string }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db);
  const now = Number(rows[0]?.now);
  const first = Math.floor(now / PARTITION_MS) * PARTITION_MS;
  for (const table of PARTITIONED) {
    for (const from of [first, first + PARTITION_MS]) {
      await createPartition(db, partitionFrom(table, from, from + PARTITION_MS));
    }
  }
}
