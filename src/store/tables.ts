import type { EngineName, Tables } from './schema.ts';

/** The key and the partitioning of a table. */
interface Layout<Row> {
  /**
   * The column with the owner of a row: the application, or the team for rows without one. Null for global tables,
   * which a sharded database replicates to every shard.
   */
  tenant: (keyof Row & string) | null;
  /** The key within a tenant. In the embedded store it is unique overall. */
  key: readonly (keyof Row & string)[];
  /** The time column by which PostgreSQL partitions the table. */
  time?: keyof Row & string;
}

type Layouts = { [Table in keyof Tables]: Layout<Tables[Table]> };

/**
 * Every table, so that code that processes the whole store misses none: a table in the schema that is missing here is
 * a type error, and one in a database that is missing here fails a test.
 */
export const TABLES = {
  teams: { tenant: 'id', key: ['id'] },
  users: { tenant: 'teamId', key: ['id'] },
  emails: { tenant: null, key: ['email'] },
  signInLinks: { tenant: null, key: ['hash'] },
  spentTickets: { tenant: null, key: ['hash'] },
  signInAttempts: { tenant: null, key: ['slot'] },
  signInAddresses: { tenant: 'teamId', key: ['teamId', 'userId', 'address'] },
  keys: { tenant: 'teamId', key: ['id'] },
  sessions: { tenant: 'teamId', key: ['teamId', 'hash'] },
  invitations: { tenant: 'teamId', key: ['teamId', 'id'] },
  auditEntries: { tenant: 'teamId', key: ['teamId', 'id'] },
  applications: { tenant: 'id', key: ['id'] },
  retentions: { tenant: 'applicationId', key: ['applicationId'] },
  integrations: { tenant: 'applicationId', key: ['id'] },
  outbox: { tenant: 'applicationId', key: ['id'], time: 'settledAt' },
  attempts: { tenant: 'applicationId', key: ['messageId', 'number'], time: 'startedAt' },
  routes: { tenant: 'applicationId', key: ['messageId', 'number'] },
  pools: { tenant: 'applicationId', key: ['applicationId', 'id'] },
  poolMembers: { tenant: 'applicationId', key: ['integrationId'] },
  poolRecipients: { tenant: 'applicationId', key: ['applicationId', 'poolId', 'recipient'] },
  lanes: { tenant: 'applicationId', key: ['integrationId', 'recipient'] },
  nodes: { tenant: null, key: ['id'] },
  ownerships: { tenant: 'applicationId', key: ['integrationId'] },
  feeds: { tenant: 'applicationId', key: ['applicationId'] },
  events: { tenant: 'applicationId', key: ['applicationId', 'id'], time: 'createdAt' },
  endpoints: { tenant: 'applicationId', key: ['applicationId'] },
  receivedKeys: { tenant: 'applicationId', key: ['integrationId', 'key'] },
  parts: { tenant: 'applicationId', key: ['integrationId', 'channelId'] },
  watermarks: { tenant: 'applicationId', key: ['integrationId', 'recipient', 'state'] },
  ignored: { tenant: 'applicationId', key: ['integrationId', 'type', 'reason'] },
  consents: { tenant: 'applicationId', key: ['applicationId', 'key', 'scope'] },
  consentChanges: { tenant: 'applicationId', key: ['applicationId', 'id'] },
  contacts: { tenant: 'applicationId', key: ['applicationId', 'id'] },
  addresses: {
    tenant: 'applicationId',
    key: ['applicationId', 'family', 'integrationId', 'address'],
  },
  contactTerms: { tenant: 'applicationId', key: ['applicationId', 'term', 'contactId'] },
  conversations: { tenant: 'applicationId', key: ['applicationId', 'integrationId', 'recipient'] },
  conversationEvents: {
    tenant: 'applicationId',
    key: ['applicationId', 'conversationId', 'createdAt', 'eventId'],
  },
  contactMerges: { tenant: 'applicationId', key: ['applicationId', 'mergedId'] },
  contactSeparations: {
    tenant: 'applicationId',
    key: ['applicationId', 'firstId', 'secondId'],
  },
  addressMoves: {
    tenant: 'applicationId',
    key: ['applicationId', 'integrationId', 'former'],
  },
  contactImports: { tenant: 'applicationId', key: ['applicationId', 'id'] },
  importBlocks: { tenant: 'applicationId', key: ['applicationId', 'importId', 'number'] },
  importErrors: { tenant: 'applicationId', key: ['applicationId', 'importId', 'line'] },
  projections: { tenant: 'applicationId', key: ['applicationId'] },
  digestKeys: { tenant: 'applicationId', key: ['applicationId'] },
  erasures: { tenant: 'applicationId', key: ['applicationId', 'id'] },
  aliases: { tenant: 'applicationId', key: ['integrationId', 'alias'] },
  windows: { tenant: 'applicationId', key: ['integrationId', 'address'] },
  costs: { tenant: 'applicationId', key: ['integrationId', 'channelId'] },
  costTotals: {
    tenant: 'applicationId',
    key: ['applicationId', 'at', 'integrationId', 'currency', 'category', 'sandbox'],
  },
  templates: { tenant: 'applicationId', key: ['applicationId', 'id'] },
  templateVersions: { tenant: 'applicationId', key: ['applicationId', 'templateId', 'version'] },
  vendorTemplates: {
    tenant: 'applicationId',
    key: ['integrationId', 'name', 'language', 'vendorId'],
  },
  templateSyncs: { tenant: 'applicationId', key: ['integrationId'] },
  chatVisitors: { tenant: 'applicationId', key: ['integrationId', 'visitor'] },
  chatEntries: { tenant: 'applicationId', key: ['integrationId', 'visitor', 'number'] },
  chatFiles: { tenant: 'applicationId', key: ['id'] },
  sandboxMessages: { tenant: 'applicationId', key: ['integrationId', 'id'] },
  sandboxReports: { tenant: 'applicationId', key: ['integrationId', 'id'] },
  sandboxFiles: { tenant: 'applicationId', key: ['integrationId', 'id'] },
  statistics: {
    tenant: 'applicationId',
    key: ['applicationId', 'step', 'at', 'integrationId', 'sandbox'],
  },
  jobs: { tenant: 'applicationId', key: ['applicationId', 'id'] },
  idempotency: { tenant: 'tenantId', key: ['scope', 'key'] },
  purges: { tenant: 'applicationId', key: ['kind', 'resourceId'] },
  ringMarker: { tenant: null, key: ['id'] },
} as const satisfies Layouts;

/** Tables of the migrations, SQLite's sequences, and the log of changes. */
export const INTERNAL_TABLES = [
  'changes',
  'migrations',
  'migrations_lock',
  'sequences',
  'store_version',
] as const;

/** The columns of the unique key, in the order of its index. */
export function keyIn<Table extends keyof Tables>(
  engine: EngineName,
  table: Table,
): (keyof Tables[Table] & string)[] {
  const layouts: Layouts = TABLES;
  const { tenant, key } = layouts[table];
  return [...new Set(engine === 'sqlite' || tenant === null ? key : [tenant, ...key])];
}

/** The database's spelling of a name. */
export function inDatabase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
