import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Pools of integrations, and the member assigned to each recipient. */
export const pools = ({ exact, clustered, application }: Dialect): Fragment[] => [
  sql`create table pools (
    application_id bigint not null, id bigint not null, name ${exact} not null, strategy text not null,
    failover_ms bigint not null, created_at bigint not null, updated_at bigint not null,
    constraint pools_key primary key (application_id, id))${clustered}`,
  // A pool by its name, which is unique in its application.
  sql`create unique index pools_by_name on pools (application_id, name)`,
  // The pools of an application, newest first.
  sql`create index pools_by_age on pools (application_id, created_at, id)`,
  // An integration is in one pool at most.
  sql`create table pool_members (
    application_id bigint not null, integration_id bigint not null, pool_id bigint not null,
    position integer not null, weight integer not null, price_micros bigint,
    constraint pool_members_key primary key (${application}integration_id))${clustered}`,
  // The members of a pool.
  sql`create index pool_members_by_pool on pool_members (application_id, pool_id, position)`,
  sql`create table pool_recipients (
    application_id bigint not null, pool_id bigint not null, recipient ${exact} not null,
    integration_id bigint not null, updated_at bigint not null,
    constraint pool_recipients_key primary key (application_id, pool_id, recipient))${clustered}`,
  // Retention.
  sql`create index pool_recipients_by_age on pool_recipients (application_id, updated_at)
    where updated_at >= 0`,
];
