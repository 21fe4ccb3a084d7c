import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Web chat conversations and uploaded files. */
export const chat = ({ exact, bytes, clustered, application }: Dialect): Fragment[] => [
  sql`create table chat_visitors (
    application_id bigint not null, integration_id bigint not null, visitor ${exact} not null,
    last bigint not null, delivered bigint not null, read bigint not null, typing_at bigint,
    created_at bigint not null, seen_at bigint not null,
    constraint chat_visitors_key primary key (${application}integration_id, visitor))${clustered}`,
  // Retention; see store/upkeep/aged-rows.ts.
  sql`create index chat_visitors_by_age on chat_visitors (application_id, seen_at) where seen_at >= 0`,

  sql`create table chat_entries (
    application_id bigint not null, integration_id bigint not null, visitor ${exact} not null,
    number bigint not null, version bigint not null, id ${exact} not null, author text not null, reply bigint,
    changed_at bigint, created_at bigint not null, body text,
    constraint chat_entries_key primary key (${application}integration_id, visitor, number))${clustered}`,
  // The entry that is added again, edited or answered.
  sql`create unique index chat_entries_by_id on chat_entries (${application}integration_id, visitor, id)`,
  // The entries that a browser does not know yet.
  sql`create unique index chat_entries_by_version
    on chat_entries (${application}integration_id, visitor, version)`,
  // Retention.
  sql`create index chat_entries_by_age on chat_entries (application_id, created_at) where created_at >= 0`,

  // The bytes come last, so that reading the other columns does not read past them.
  sql`create table chat_files (
    application_id bigint not null, id ${exact} not null, integration_id bigint not null,
    visitor ${exact} not null, name text not null, media_type text not null, size bigint not null,
    created_at bigint not null, bytes ${bytes} not null,
    constraint chat_files_key primary key (${application}id))`,
  // The total size of a visitor's files.
  sql`create index chat_files_by_visitor on chat_files (${application}integration_id, visitor, size)`,
  // Retention.
  sql`create index chat_files_by_age on chat_files (application_id, created_at) where created_at >= 0`,
];
