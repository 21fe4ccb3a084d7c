import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** People and their addresses. */
export const people = ({ exact, clustered }: Dialect): Fragment[] => [
  sql`create table contacts (
    application_id bigint not null, id bigint not null, external_id ${exact}, name text, locale text, timezone text,
    fields text, created_at bigint not null, updated_at bigint not null,
    constraint contacts_key primary key (application_id, id))${clustered}`,
  // A contact by the application's own id.
  sql`create unique index contacts_by_external_id on contacts (application_id, external_id)
    where external_id is not null`,
  // The contacts of an application, newest first.
  sql`create index contacts_by_age on contacts (application_id, created_at, id)`,

  sql`create table addresses (
    application_id bigint not null, family ${exact} not null, integration_id bigint not null,
    address ${exact} not null, id bigint not null, contact_id bigint not null, label text,
    preference integer not null, state text not null, evidence text not null, last_inbound_at bigint,
    last_outbound_at bigint, created_at bigint not null,
    constraint addresses_key primary key (application_id, family, integration_id, address))${clustered}`,
  // The addresses of a contact.
  sql`create index addresses_by_contact on addresses (application_id, contact_id, id)`,

  // The beginnings of names, addresses and external ids by which contacts are found.
  sql`create table contact_terms (
    application_id bigint not null, term ${exact} not null, contact_id bigint not null,
    primary key (application_id, term, contact_id))${clustered}`,
  // The terms of a contact.
  sql`create index contact_terms_by_contact on contact_terms (application_id, contact_id, term)`,

  // What was said between an integration and a recipient; see docs/decisions/0054-conversations.md.
  sql`create table conversations (
    application_id bigint not null, integration_id bigint not null, recipient ${exact} not null, id bigint not null,
    unread bigint not null, last_at bigint not null, last_event bigint, last_message bigint,
    created_at bigint not null,
    constraint conversations_key primary key (application_id, integration_id, recipient))${clustered}`,
  // The conversations of an application, the newest message first.
  sql`create index conversations_by_last on conversations (application_id, last_at, id)`,
  // A conversation by its id.
  sql`create unique index conversations_by_id on conversations (application_id, id)`,
  // Retention.
  sql`create index conversations_by_age on conversations (last_at)`,
  sql`create table conversation_events (
    application_id bigint not null, conversation_id bigint not null, created_at bigint not null,
    event_id bigint not null,
    primary key (application_id, conversation_id, created_at, event_id))${clustered}`,
  // Retention.
  sql`create index conversation_events_by_age on conversation_events (created_at)`,
  // The last event that the conversations of an application contain.
  sql`create table projections (
    application_id bigint not null, cursor bigint not null, primary key (application_id))${clustered}`,
];
