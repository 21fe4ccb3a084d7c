import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Deleted resources, the key ring and the version. */
export const upkeep = ({ application }: Dialect): Fragment[] => [
  // Deleted applications and integrations whose data must still be removed.
  sql`create table purges (
    application_id bigint not null, kind text not null, resource_id bigint not null, created_at bigint not null,
    constraint purges_key primary key (${application}kind, resource_id))`,
  // The next resource to purge.
  sql`create index purges_by_age on purges (created_at)`,

  sql`create table ring_marker (id integer primary key not null, sealed text not null)`,

  // The version that last migrated the store; an older one is refused.
  sql`create table store_version (id integer primary key, version text not null)`,
];
