import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Templates of applications, in all versions, and those of vendors as of the last sync. */
export const templates = ({ exact, clustered, application }: Dialect): Fragment[] => [
  sql`create table templates (
    application_id bigint not null, id bigint not null, name ${exact} not null, version bigint not null,
    created_at bigint not null, constraint templates_key primary key (application_id, id))${clustered}`,
  // A template by its name, which is unique in its application.
  sql`create unique index templates_by_name on templates (application_id, name)`,
  // The templates of an application, newest first.
  sql`create index templates_by_age on templates (application_id, created_at, id)`,
  sql`create table template_versions (
    application_id bigint not null, template_id bigint not null, version bigint not null,
    content text not null, created_at bigint not null,
    primary key (application_id, template_id, version))${clustered}`,

  sql`create table vendor_templates (
    application_id bigint not null, integration_id bigint not null, name ${exact} not null,
    language ${exact} not null, vendor_id ${exact} not null, definition text not null,
    primary key (${application}integration_id, name, language, vendor_id))${clustered}`,
  // A template by the id that the vendor gave it.
  sql`create index vendor_templates_by_id on vendor_templates (${application}integration_id, vendor_id)`,
  // When the list of an integration was last read, and when it will be read again.
  sql`create table template_syncs (
    application_id bigint not null, integration_id bigint not null, synced_at bigint not null,
    next_at bigint not null, primary key (${application}integration_id))${clustered}`,
  // The lists to read next.
  sql`create index template_syncs_by_due on template_syncs (next_at)`,
];
