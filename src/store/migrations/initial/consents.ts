import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Consents, and every change of them. */
export const consents = ({ exact, clustered }: Dialect): Fragment[] => [
  sql`create table consents (
    application_id bigint not null, key ${exact} not null, scope text not null, id bigint not null,
    state text not null, source text not null, evidence text, created_at bigint not null,
    updated_at bigint not null, primary key (application_id, key, scope))${clustered}`,
  // The consents of an application, newest first.
  sql`create index consents_by_application on consents (application_id, created_at, id)`,
  // The proof: changes are never overwritten.
  sql`create table consent_changes (
    application_id bigint not null, id bigint not null, key ${exact} not null, scope text not null,
    state text not null, source text not null, evidence text, created_at bigint not null,
    primary key (application_id, id))${clustered}`,
  // The changes of an address, in order.
  sql`create index consent_changes_by_key on consent_changes (application_id, key, id)`,
];
