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
    preference integer not null, state text not null, evidence text not null, attested_by bigint,
    signed_id ${exact}, last_inbound_at bigint, created_at bigint not null,
    constraint addresses_key primary key (application_id, family, integration_id, address))${clustered}`,
  // The addresses of a contact.
  sql`create index addresses_by_contact on addresses (application_id, contact_id, id)`,

  // The beginnings of names, addresses and external ids by which contacts are found.
  sql`create table contact_terms (
    application_id bigint not null, term ${exact} not null, contact_id bigint not null,
    primary key (application_id, term, contact_id))${clustered}`,
  // The terms of a contact.
  sql`create index contact_terms_by_contact on contact_terms (application_id, contact_id, term)`,

  // Messages between an integration and a recipient; see docs/decisions/0054-conversations.md.
  sql`create table conversations (
    application_id bigint not null, integration_id bigint not null, recipient ${exact} not null, id bigint not null,
    recipient_term ${exact} not null, name text, name_term ${exact}, unread bigint not null, last_at bigint not null, last_event bigint, last_message bigint,
    created_at bigint not null,
    constraint conversations_key primary key (application_id, integration_id, recipient))${clustered}`,
  // The conversations of an application, the newest message first; and retention.
  sql`create index conversations_by_last on conversations (application_id, last_at, id)`,
  // Conversations by the beginning of their recipient or name.
  sql`create index conversations_by_recipient on conversations (application_id, recipient_term, id)`,
  sql`create index conversations_by_name on conversations (application_id, name_term, id) where name_term is not null`,
  // A conversation by its id.
  sql`create unique index conversations_by_id on conversations (application_id, id)`,
  sql`create table conversation_events (
    application_id bigint not null, conversation_id bigint not null, created_at bigint not null,
    event_id bigint not null,
    primary key (application_id, conversation_id, created_at, event_id))${clustered}`,
  // Retention.
  sql`create index conversation_events_by_age on conversation_events (application_id, created_at)
    where created_at >= 0`,
  // The last event that the conversations of an application contain.
  sql`create table projections (
    application_id bigint not null, cursor bigint not null, primary key (application_id))${clustered}`,

  // Contacts that were merged into others, and the data that unmerging needs.
  sql`create table contact_merges (
    application_id bigint not null, merged_id bigint not null, contact_id bigint not null, evidence text not null,
    attested_by bigint, signed_id ${exact}, merged text not null, created_at bigint not null,
    primary key (application_id, merged_id))${clustered}`,
  sql`create index contact_merges_by_contact on contact_merges (application_id, contact_id, created_at, merged_id)`,
  // Pairs that vendors must not merge.
  sql`create table contact_separations (
    application_id bigint not null, first_id bigint not null, second_id bigint not null, reported_at bigint,
    primary key (application_id, first_id, second_id))${clustered}`,

  // Messages to a former address that wait to move to the new one; see docs/decisions/0058-address-changes.md.
  sql`create table address_moves (
    application_id bigint not null, integration_id bigint not null, former ${exact} not null,
    recipient ${exact} not null, consent_key ${exact}, contact_ids text, due_at bigint not null,
    primary key (application_id, integration_id, former))${clustered}`,
  // Moves to retry.
  sql`create index address_moves_due on address_moves (due_at)`,

  // Imports of contacts from files, and the rows not imported yet; see docs/decisions/0055-imports-and-merges.md.
  sql`create table contact_imports (
    application_id bigint not null, id bigint not null, state text not null, total integer not null,
    created integer not null, updated integer not null, unchanged integer not null, failed integer not null,
    blocks integer not null, next_block integer not null, node text, created_at bigint not null,
    updated_at bigint not null, finished_at bigint, primary key (application_id, id))${clustered}`,
  // Unfinished imports.
  sql`create index contact_imports_open on contact_imports (created_at, id) where finished_at is null`,
  sql`create index contact_imports_by_application on contact_imports (application_id, created_at, id)`,
  // Retention.
  sql`create index contact_imports_by_age on contact_imports (application_id, finished_at) where finished_at >= 0`,
  sql`create table import_blocks (
    application_id bigint not null, import_id bigint not null, number integer not null, rows text not null,
    primary key (application_id, import_id, number))${clustered}`,
  sql`create table import_errors (
    application_id bigint not null, import_id bigint not null, line bigint not null, detail text not null,
    primary key (application_id, import_id, line))${clustered}`,
  // The secret of the digests of erased people, sealed. Few applications have one.
  sql`create table digest_keys (
    application_id bigint not null, secret text not null, primary key (application_id))${clustered}`,
  // People whose data is being erased, or was; see docs/decisions/0056-erasure.md. `subject` is sealed.
  sql`create table erasures (
    application_id bigint not null, id bigint not null, phase text not null, subject text, after_at bigint not null,
    after_id bigint not null, messages bigint not null, events bigint not null,
    created_at bigint not null, finished_at bigint,
    constraint erasures_key primary key (application_id, id))${clustered}`,
  // The erasures to continue.
  sql`create index erasures_open on erasures (created_at) where finished_at is null`,
  // Retention.
  sql`create index erasures_by_age on erasures (finished_at) where finished_at is not null`,
];
