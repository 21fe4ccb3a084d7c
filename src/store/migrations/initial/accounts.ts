import { sql } from 'kysely';

import type { Dialect, Fragment } from './dialect.ts';

/** Teams, users, keys, sign-in and the audit log. */
export const accounts = ({
  name,
  id,
  exact,
  clustered,
  team,
  onPostgres,
  onSqlite,
}: Dialect): Fragment[] => [
  /*
   * Ids come from sequences and are never derived from stored rows, so that none is reused. Accounts share one
   * sequence, so an id of one kind is never an id of another.
   */
  ...onPostgres(sql`create sequence account_ids`, sql`create sequence message_ids`),
  ...onSqlite(
    sql`create table sequences (name text primary key, last integer not null)`,
    sql`insert into sequences (name, last) values ('account_ids', 0), ('message_ids', 0)`,
  ),

  sql`create table teams (
    id ${id} primary key not null, created_at bigint not null, updated_at bigint not null, name text not null,
    owner_id bigint not null)`,

  // Users.
  sql`create table users (
    id ${id} not null, created_at bigint not null, updated_at bigint not null, team_id bigint not null,
    name text not null, email text not null ${name === 'sqlite' ? sql`unique` : sql``}, password text,
    state text not null, constraint users_key primary key (${team}id))`,
  // The users of a team, newest first.
  sql`create index users_by_team on users (team_id, created_at, id)`,
  // A user before the team is known: the owner of a key or a session.
  ...onPostgres(sql`create index users_by_id on users (id)`),
  // Whether any user has a password.
  sql`create index users_by_password on users (id) where password is not null`,

  // Addresses are unique over all teams; on PostgreSQL, users are distributed by team and cannot ensure that.
  sql`create table emails (
    email text not null primary key, team_id bigint not null, user_id bigint not null)`,
  // The address of a user who changes it or is deleted.
  sql`create index emails_by_user on emails (user_id)`,

  // Sign-in.
  sql`create table sign_in_links (
    hash text primary key not null, user_id bigint not null, expires_at bigint not null)`,
  // The links of a user, which end with a new password and when the user leaves.
  sql`create index sign_in_links_by_user on sign_in_links (user_id)`,
  // Removing expired links.
  sql`create index sign_in_links_by_expiry on sign_in_links (expires_at)`,
  sql`create table sign_in_attempts (slot integer primary key not null, refilled_at bigint not null)`,
  sql`create table sign_in_addresses (
    team_id bigint not null, user_id bigint not null, address ${exact} not null, refilled_at bigint not null,
    seen_at bigint not null, primary key (team_id, user_id, address))${clustered}`,
  sql`create table sessions (
    team_id bigint not null, hash ${exact} not null, user_id bigint not null, key_id bigint not null,
    created_at bigint not null, seen_at bigint not null, primary key (team_id, hash))${clustered}`,
  // Removing sessions that were not used for long.
  sql`create index sessions_by_age on sessions (seen_at)`,
  // Used tickets, until they would have expired: each opens one socket.
  sql`create table spent_tickets (hash ${exact} primary key, expires_at bigint not null)${clustered}`,
  // Removing expired tickets.
  sql`create index spent_tickets_by_expiry on spent_tickets (expires_at)`,
  sql`create table invitations (
    team_id bigint not null, id bigint not null, hash ${exact} not null, email text, invited_by bigint not null,
    created_at bigint not null, expires_at bigint not null, primary key (team_id, id))${clustered}`,
  // An invitation by the code in its link.
  sql`create unique index invitations_by_hash on invitations (team_id, hash)`,
  // Removing expired invitations.
  sql`create index invitations_by_expiry on invitations (expires_at)`,

  // Keys, whose secrets sign tokens.
  sql`create table keys (
    id ${id} not null, created_at bigint not null, updated_at bigint not null, kind text not null,
    resource_id bigint not null, team_id bigint not null, purpose text not null, secret text not null,
    state text not null, expires_at bigint, last_used_at bigint, created_by bigint, label text,
    constraint keys_key primary key (${team}id))`,
  // The keys of a team, newest first.
  sql`create index keys_by_team on keys (team_id, kind, created_at, id)`,
  // The keys of a user or an application that is disabled or deleted.
  sql`create index keys_by_resource on keys (kind, resource_id)`,
  // Removing expired keys.
  sql`create index keys_by_expiry on keys (expires_at) where expires_at is not null`,
  // A key before its team is known: a token names only the key.
  ...onPostgres(sql`create index keys_by_id on keys (id)`),
  // The keys that a user created: their list, and their removal when the user leaves.
  sql`create index keys_by_creator on keys (team_id, kind, created_by, created_at, id)
    where created_by is not null`,

  // The audit log.
  sql`create table audit_entries (
    team_id bigint not null, id bigint not null, actor_type text not null, actor_id bigint, actor_name text,
    action text not null, subject_type text not null, subject_id bigint not null, subject_name text,
    application_id bigint, changes text not null, created_at bigint not null,
    primary key (team_id, id))${clustered}`,
  // The entries of a team, newest first.
  sql`create index audit_entries_by_time on audit_entries (team_id, created_at, id)`,
  // Retention.
  sql`create index audit_entries_by_age on audit_entries (created_at)`,

  // Ids of recently changed resources; see docs/decisions/0035-change-log.md. A pruned number must not be given again.
  ...onPostgres(
    sql`create table changes (id bigint generated always as identity primary key, resource_id bigint not null)`,
  ),
  ...onSqlite(
    sql`create table changes (id integer primary key autoincrement, resource_id bigint not null)`,
  ),
];
