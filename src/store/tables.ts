import type { EngineName } from './engine.ts';
import type { Schema } from './schema.ts';

/** How the rows of a table are told apart, and spread. */
interface Layout<Row> {
  /**
   * The column that says whose a row is: the application, or the team of what belongs to no application. Null for
   * what is nobody's: every part of a database that is spread over machines has all of it.
   */
  tenant: (keyof Row & string) | null;
  /** What tells the rows of a tenant apart. In the embedded store it tells all rows apart. */
  key: readonly (keyof Row & string)[];
  /** The moment that says in which partition a row is, on PostgreSQL. */
  time?: keyof Row & string;
}

type Layouts = { [Table in keyof Schema]: Layout<Schema[Table]> };

/**
 * Every table, so that whoever goes through the whole store forgets none: one that is in the schema and not here
 * is an error of types, and one in a database and not here fails a test.
 */
export const TABLES = {
  teams: { tenant: 'id', key: ['id'] },
  users: { tenant: 'teamId', key: ['id'] },
  emails: { tenant: null, key: ['email'] },
  signInLinks: { tenant: null, key: ['hash'] },
  spentTickets: { tenant: null, key: ['hash'] },
  guesses: { tenant: null, key: ['slot'] },
  signInAddresses: { tenant: 'teamId', key: ['teamId', 'userId', 'address'] },
  keys: { tenant: 'teamId', key: ['id'] },
  sessions: { tenant: 'teamId', key: ['teamId', 'hash'] },
  invitations: { tenant: 'teamId', key: ['teamId', 'id'] },
  auditEntries: { tenant: 'teamId', key: ['teamId', 'id'] },
  applications: { tenant: 'id', key: ['id'] },
  integrations: { tenant: 'applicationId', key: ['id'] },
  messages: { tenant: 'applicationId', key: ['id'], time: 'settledAt' },
  attempts: { tenant: 'applicationId', key: ['messageId', 'number'], time: 'startedAt' },
  lanes: { tenant: 'applicationId', key: ['integrationId', 'recipient'] },
  nodes: { tenant: null, key: ['id'] },
  ownerships: { tenant: 'applicationId', key: ['integrationId'] },
  feeds: { tenant: 'applicationId', key: ['applicationId'] },
  events: { tenant: 'applicationId', key: ['applicationId', 'id'], time: 'createdAt' },
  endpoints: { tenant: 'applicationId', key: ['applicationId'] },
  arrivals: { tenant: 'applicationId', key: ['integrationId', 'key'] },
  parts: { tenant: 'applicationId', key: ['integrationId', 'channelId'] },
  watermarks: { tenant: 'applicationId', key: ['integrationId', 'recipient', 'state'] },
  ignored: { tenant: 'applicationId', key: ['integrationId', 'type', 'reason'] },
  aliases: { tenant: 'applicationId', key: ['integrationId', 'alias'] },
  chatVisitors: { tenant: 'applicationId', key: ['integrationId', 'visitor'] },
  chatEntries: { tenant: 'applicationId', key: ['integrationId', 'visitor', 'number'] },
  chatFiles: { tenant: 'applicationId', key: ['id'] },
  statistics: { tenant: 'applicationId', key: ['applicationId', 'step', 'at', 'integrationId'] },
  jobs: { tenant: 'applicationId', key: ['applicationId', 'id'] },
  idempotency: { tenant: 'tenantId', key: ['scope', 'key'] },
  purges: { tenant: 'applicationId', key: ['kind', 'resourceId'] },
  ringMarker: { tenant: null, key: ['id'] },
} as const satisfies Layouts;

/** What migrations keep for themselves, and how SQLite hands out numbers. */
export const INTERNAL_TABLES = [
  'migrations',
  'migrations_lock',
  'sequences',
  'store_version',
] as const;

/** The columns that no two rows of a table share, in the order of the index that sees to it. */
export function keyIn<Table extends keyof Schema>(
  engine: EngineName,
  table: Table,
): (keyof Schema[Table] & string)[] {
  const layouts: Layouts = TABLES;
  const { tenant, key } = layouts[table];
  return [...new Set(engine === 'sqlite' || tenant === null ? key : [tenant, ...key])];
}

/** A name as it is written in the database. */
export function inDatabase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
