import { type Kysely, sql } from 'kysely';

import type { EngineName } from '../engine.ts';

const COUNTS = [
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
  'uncertain',
  'canceled',
  'expired',
  'received',
  ...Array.from({ length: 16 }, (_unused, i) => `latency${i}`),
];

/** Message counts by integration, minute and hour. */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const clustered = engine === 'postgres' ? sql`` : sql`without rowid`;
  const counts = COUNTS.map((name) => sql`${sql.ref(name)} integer not null default 0`);
  await sql`create table statistics (
    application_id bigint not null, step text not null, at bigint not null, integration_id bigint not null,
    channel text not null, last_sent_at bigint not null default 0, ${sql.join(counts)},
    primary key (application_id, step, at, integration_id)) ${clustered}`.execute(db);
  await sql`create index statistics_by_age on statistics (step, at)`.execute(db);
}
