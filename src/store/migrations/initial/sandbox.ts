import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** The entries on the phones of sandbox integrations, and the files of both sides. */
export const sandbox = ({ exact, bytes, clustered, application }: Dialect): Fragment[] => [
  sql`create table sandbox_messages (
    application_id bigint not null, integration_id bigint not null, id bigint not null, person ${exact} not null,
    author text not null, vendor_id ${exact} not null, created_at bigint not null, updated_at bigint not null,
    body text not null, constraint sandbox_messages_key primary key (${application}integration_id, id))${clustered}`,
  // The message that is edited, deleted, answered or reported on.
  sql`create index sandbox_messages_by_vendor_id
    on sandbox_messages (application_id, integration_id, vendor_id, id)`,
  // A conversation, newest first.
  sql`create index sandbox_messages_by_person
    on sandbox_messages (application_id, integration_id, person, created_at, id)`,
  // The phones of an integration, newest first.
  sql`create index sandbox_messages_by_time
    on sandbox_messages (application_id, integration_id, created_at, id)`,
  // Retention.
  sql`create index sandbox_messages_by_age on sandbox_messages (created_at)`,

  // Reports of a simulated vendor: late ones, and those that wait for a session.
  sql`create table sandbox_reports (
    application_id bigint not null, integration_id bigint not null, id bigint not null, created_at bigint not null,
    due_at bigint, body text not null,
    constraint sandbox_reports_key primary key (${application}integration_id, id))${clustered}`,
  sql`create index sandbox_reports_due on sandbox_reports (due_at) where due_at is not null`,
  // Retention.
  sql`create index sandbox_reports_by_age on sandbox_reports (created_at)`,

  // The bytes come last, so that reading the other columns does not read past them.
  sql`create table sandbox_files (
    application_id bigint not null, integration_id bigint not null, id ${exact} not null, name text not null,
    media_type text not null, size bigint not null, created_at bigint not null, bytes ${bytes} not null,
    constraint sandbox_files_key primary key (${application}integration_id, id))`,
  // Retention.
  sql`create index sandbox_files_by_age on sandbox_files (created_at)`,
];
