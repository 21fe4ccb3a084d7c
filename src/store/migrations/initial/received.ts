import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Received events, delivery reports, and the addresses of people. */
export const received = ({ exact, clustered, application }: Dialect): Fragment[] => [
  // The vendors' ids of received events: one that arrives again is dropped.
  sql`create table received_keys (
    application_id bigint not null, integration_id bigint not null, key ${exact} not null,
    created_at bigint not null,
    constraint received_keys_key primary key (${application}integration_id, key))${clustered}`,
  // Removing old keys.
  sql`create index received_keys_by_age on received_keys (created_at)`,

  // Parts of sent messages by the channel's id, and delivery reports for them.
  sql`create table parts (
    application_id bigint not null, integration_id bigint not null, channel_id ${exact} not null,
    message_id bigint, recipient ${exact}, sent_at bigint, state text, code text, detail text,
    block text, pending integer not null, created_at bigint not null,
    constraint parts_key primary key (${application}integration_id, channel_id))${clustered}`,
  // The reports on the parts of a message.
  sql`create index parts_by_message on parts (${application}message_id) where message_id is not null`,
  // The parts sent to a recipient up to a time, for reports that name only the time.
  sql`create index parts_by_recipient on parts (${application}integration_id, recipient, sent_at)
    where message_id is not null`,
  // Reports that the state of their message does not reflect yet.
  sql`create index parts_pending on parts (message_id) where pending = 1 and message_id is not null`,
  // Retention.
  sql`create index parts_by_age on parts (created_at)`,

  // The time up to which a recipient has received or read all messages, for reports that name only the time.
  sql`create table watermarks (
    application_id bigint not null, integration_id bigint not null, recipient ${exact} not null,
    state text not null, up_to bigint not null,
    constraint watermarks_key primary key (${application}integration_id, recipient, state))${clustered}`,
  // Retention.
  sql`create index watermarks_by_age on watermarks (application_id, up_to) where up_to >= 0`,

  // Reports that produced no event, by type and reason.
  sql`create table ignored (
    application_id bigint not null, integration_id bigint not null, type ${exact} not null,
    reason ${exact} not null, id bigint not null, count bigint not null, created_at bigint not null,
    last_at bigint not null, primary key (${application}integration_id, type, reason))${clustered}`,
  // The kinds of reports of an integration, newest first.
  sql`create index ignored_by_first on ignored (application_id, integration_id, created_at, id)`,
  // The kinds reported least recently, which are removed beyond the maximum.
  sql`create index ignored_by_last on ignored (application_id, integration_id, last_at, id)`,

  // Other addresses of a person, so that a person who hides their number keeps their identity.
  sql`create table aliases (
    application_id bigint not null, integration_id bigint not null, alias ${exact} not null,
    address ${exact} not null, created_at bigint not null,
    primary key (${application}integration_id, alias))${clustered}`,
  // The other addresses of a person who is erased.
  sql`create index aliases_by_address on aliases (${application}integration_id, address)`,

  // The time until which vendors accept free text to an address.
  sql`create table windows (
    application_id bigint not null, integration_id bigint not null, address ${exact} not null,
    inbound_at bigint not null, open_until bigint not null, perhaps_until bigint not null,
    constraint windows_key primary key (${application}integration_id, address))${clustered}`,
  // Removing closed windows.
  sql`create index windows_by_age on windows (application_id, perhaps_until) where perhaps_until >= 0`,

  // Costs of parts of messages, as vendors report them, and the sums per hour.
  sql`create table costs (
    application_id bigint not null, integration_id bigint not null, channel_id ${exact} not null,
    amount_micros bigint, currency text not null, category text not null, billable integer not null,
    created_at bigint not null,
    constraint costs_key primary key (${application}integration_id, channel_id))${clustered}`,
  // Retention.
  sql`create index costs_by_age on costs (application_id, created_at) where created_at >= 0`,
  sql`create table cost_totals (
    application_id bigint not null, at bigint not null, integration_id bigint not null, currency text not null,
    category text not null, sandbox integer not null, channel text not null, parts bigint not null,
    amount_micros bigint not null,
    primary key (application_id, at, integration_id, currency, category, sandbox))${clustered}`,
  // Retention.
  sql`create index cost_totals_by_age on cost_totals (at)`,
];
