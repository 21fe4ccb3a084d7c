import type { Schema } from './schema.ts';

/**
 * Every table with the columns of its key, so that whoever goes through the whole store forgets none: one that is
 * in the schema and not here is an error of types, and one in a database and not here fails a test.
 */
export const TABLES = {
  teams: ['id'],
  users: ['id'],
  signInLinks: ['hash'],
  keys: ['id'],
  sessions: ['teamId', 'hash'],
  applications: ['id'],
  integrations: ['id'],
  messages: ['id'],
  attempts: ['messageId', 'number'],
  lanes: ['integrationId', 'recipient'],
  nodes: ['id'],
  ownerships: ['integrationId'],
  feeds: ['applicationId'],
  events: ['applicationId', 'id'],
  endpoints: ['applicationId'],
  arrivals: ['integrationId', 'key'],
  parts: ['integrationId', 'channelId'],
  watermarks: ['integrationId', 'recipient', 'state'],
  chatVisitors: ['integrationId', 'visitor'],
  chatEntries: ['integrationId', 'visitor', 'number'],
  chatFiles: ['id'],
  statistics: ['applicationId', 'step', 'at', 'integrationId'],
  idempotency: ['scope', 'key'],
  purges: ['kind', 'resourceId'],
  ringMarker: ['id'],
} as const satisfies { [Table in keyof Schema]: readonly (keyof Schema[Table])[] };

/** What migrations keep for themselves, and how SQLite hands out numbers. */
export const INTERNAL_TABLES = ['migrations', 'migrations_lock', 'sequences'] as const;

/** A name as it is written in the database. */
export function inDatabase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
