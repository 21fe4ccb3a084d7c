import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Applications, their integrations and the nodes that send for them. */
export const applications = ({ id, application, onPostgres, onSqlite }: Dialect): Fragment[] => [
  sql`create table applications (
    id ${id} primary key not null, created_at bigint not null, updated_at bigint not null,
    team_id bigint not null, owner_id bigint not null, name text not null, state text not null,
    webhook_url text, uncertain text not null default 'resend', allow_transactional integer not null default 0,
    double_opt_in integer not null default 0, stop_answer text, start_answer text, help_answer text,
    quiet_hours text, create_contacts integer not null default 0)`,
  // The applications of a team, newest first.
  sql`create index applications_by_team on applications (team_id, created_at, id)`,
  // For how long an application keeps its data; not in `applications`, which every accepted message reads.
  sql`create table retentions (application_id ${id} primary key not null, days bigint)`,
  // Applications that need a partition for longer.
  sql`create index retentions_by_days on retentions (days)`,

  sql`create table integrations (
    id ${id} not null, created_at bigint not null, updated_at bigint not null, application_id bigint not null,
    name text not null, state text not null, credentials text not null, supplied text not null default '',
    options text, label text, account text, mode text not null default 'live', behaviours text, hook text,
    registered_at bigint, hook_received_at bigint, hook_refused_at bigint, hook_refusal text,
    cursor text, constraint integrations_key primary key (${application}id))`,
  // The integrations of an application, newest first.
  sql`create index integrations_by_application on integrations (application_id, created_at, id)`,
  // An integration before its application is known: the URL of a vendor's webhook names only the integration.
  ...onPostgres(sql`create index integrations_by_id on integrations (id)`),

  // Nodes, and which node sends for an integration.
  sql`create table nodes (
    id text primary key not null, host text not null, pid integer not null, started_at bigint not null,
    expires_at bigint not null, role text not null default 'all', ring text)`,
  sql`create table ownerships (
    integration_id ${id} not null, application_id bigint not null, node text, fence bigint not null default 0,
    paused_reason text, paused_detail text, paused_until bigint, failing_since bigint, failures integer,
    failed_at bigint, last_error text, last_error_reason text, last_error_at bigint, verified_at bigint,
    receiving_failures integer, receiving_failed_at bigint, receiving_failing_since bigint, receiving_error text,
    receiving_error_at bigint, connected_at bigint,
    constraint ownerships_key primary key (${application}integration_id))`,
  // The integrations of a node, or without owner, in pages.
  sql`create index ownerships_by_node on ownerships (node, application_id, integration_id)`,
  // The failing integrations: health checks, the overview and the gauges.
  sql`create index ownerships_failing on ownerships (application_id, integration_id)
    where failing_since is not null`,
  // The integrations that fail to receive: the overview and the gauges.
  sql`create index ownerships_not_receiving on ownerships (application_id, integration_id)
    where receiving_failing_since is not null`,
  // The paused integrations: the same, and resuming those of an application.
  sql`create index ownerships_paused on ownerships (application_id, integration_id)
    where paused_reason is not null`,
  // The integrations of an application that changed. On PostgreSQL, the primary key starts with the application.
  ...onSqlite(sql`create index ownerships_by_application on ownerships (application_id)`),
];
