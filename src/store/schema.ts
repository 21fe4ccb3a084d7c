import type { ColumnType, Generated } from 'kysely';

import type { Invitation, Key, Session, Team, User } from '../model/account.ts';
import type { Application } from '../model/application.ts';
import type { Attempt } from '../model/attempt.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { Event } from '../model/event.ts';
import type { FailureReason } from '../model/health.ts';
import type { Id } from '../model/id.ts';
import type { IgnoredReport } from '../model/ignored.ts';
import type { Integration, IntegrationMode } from '../model/integration.ts';
import type { Job } from '../model/job.ts';
import type { Message } from '../model/message.ts';
import type { Consent, ConsentBlock } from '../model/sending/consent.ts';
import type { MessageRoute } from '../model/sending/message-route.ts';
import type { Statistic } from '../model/statistics.ts';
import type { Millis } from '../model/timestamp.ts';
import type { PolicyRow } from './accounts/policy-row.ts';
import type { SignInAddress, SignInLink } from './accounts/sign-in-rows.ts';
import type { CostRow, CostTotal } from './messages/cost-rows.ts';
import type { WindowRow } from './messages/window-row.ts';
import type { PeopleTables } from './people/rows.ts';
import type { PoolMemberRow, PoolRecipient, PoolRow } from './pools/rows.ts';
import type { TemplateRow, TemplateVersion, VendorTemplateRow } from './templates/rows.ts';

export type EngineName = 'sqlite' | 'postgres';

/** Everything that queries can name. */
export type Schema = Tables & Views;

/** The two kinds of rows in the outbox, for reading: a query on a view cannot mistake one kind for the other. */
interface Views {
  /** The messages of applications. */
  messages: ReadOnly<Message>;
  /** Events on their way to webhooks. `objectId` is the number of the event. */
  webhookDeliveries: ReadOnly<Message>;
}

type ReadOnly<Row> = { [Name in keyof Row]: ColumnType<Row[Name], never, never> };

/*
 * The tables, the same on both engines; columns are in snake case in the database. Times are milliseconds since 1970.
 * Sealed values are bound to their table, row and field.
 */
export interface Tables extends PeopleTables {
  teams: Team;
  /** `email` is lower case. */
  users: User;
  /** Makes email addresses unique across teams. Each user has one row. */
  emails: { email: string; teamId: Id; userId: Id };
  signInLinks: SignInLink;
  /** Wrong passwords from unknown addresses; buckets share rows by hash. */
  signInAttempts: { slot: number; refilledAt: Millis };
  signInAddresses: SignInAddress;
  /** `secret` is sealed. */
  keys: Key;
  sessions: Session;
  invitations: Invitation;
  auditEntries: AuditEntry;
  applications: Application & PolicyRow;
  /** Applications that have, or had, their own retention. */
  retentions: { applicationId: Id; days: number | null };
  /** `supplied` has the names of the credentials, separated by spaces: routing needs no more, and decrypting costs time. */
  integrations: IntegrationRow & { supplied: Generated<string>; mode: Generated<IntegrationMode> };
  /**
   * Everything sent or waiting to be sent: messages and webhook deliveries, which share lanes, attempts and the dispatch round.
   * Only code that treats both alike names it; see docs/decisions/0036-outbox.md.
   */
  outbox: Message;
  attempts: AttemptRow;
  /** The routes of messages that have several. */
  routes: MessageRoute;
  pools: PoolRow;
  poolMembers: PoolMemberRow;
  poolRecipients: PoolRecipient;
  lanes: Lane;
  nodes: Node;
  ownerships: Ownership;
  /** The number and time of the last event. */
  feeds: { applicationId: Id; last: number; lastAt: Millis };
  events: Event;
  endpoints: Endpoint;
  /** The vendors' ids of received events, which identify repeated ones. */
  receivedKeys: { applicationId: Id; integrationId: Id; key: string; createdAt: Millis };
  parts: Part;
  watermarks: Watermark;
  ignored: IgnoredReport;
  aliases: Alias;
  windows: WindowRow;
  costs: CostRow;
  costTotals: CostTotal;
  templates: TemplateRow;
  templateVersions: TemplateVersion;
  vendorTemplates: VendorTemplateRow;
  /** When the list of templates was last read. */
  templateSyncs: { applicationId: Id; integrationId: Id; syncedAt: Millis; nextAt: Millis };
  consents: Consent;
  /** Every state that a consent ever had. */
  consentChanges: ConsentChangeRow;
  chatVisitors: ChatVisitor;
  chatEntries: ChatEntry;
  chatFiles: ChatFile;
  sandboxMessages: SandboxMessage;
  sandboxFiles: SandboxFile;
  sandboxReports: SandboxReport;
  statistics: Statistic;
  jobs: Job;
  idempotency: IdempotencyRow;
  purges: Purge;
  spentTickets: { hash: string; expiresAt: Millis };
  /** A sealed value that tells whether a key ring is the right one. */
  ringMarker: { id: 1; sealed: string };
}

/** `id` is the number of the change. */
export type ConsentChangeRow = Omit<Consent, 'updatedAt'>;

export interface AttemptRow extends Attempt {
  /** Whether the request ended with the message's activity, which is not stored again. */
  withActivity: 0 | 1;
}

export type IntegrationRow = Omit<Integration, 'credentials' | 'options'> & {
  credentials: string;
  /** The standing faults of a sandbox integration, as JSON. */
  behaviours: string | null;
  /** JSON; null if there are none. */
  options: string | null;
  /** Sealed. The random part of the webhook URL, created on first use. */
  hook: string | null;
  /** When the URL was registered with the vendor. */
  registeredAt: Millis | null;
  /** When the vendor's last webhook request was accepted, and when and why one was last refused. */
  hookReceivedAt: Millis | null;
  hookRefusedAt: Millis | null;
  hookRefusal: string | null;
  /** The position from which listening continues. */
  cursor: string | null;
};

/**
 * The webhook of an application. A hidden integration delivers for it; events up to the cursor were copied to the
 * outbox as its deliveries.
 */
export interface Endpoint {
  applicationId: Id;
  integrationId: Id;
  cursor: number;
  /** When the secret was rotated, as long as the previous one still signs. */
  rotatedAt: Millis | null;
}

/**
 * A part of a message by the channel's id, or a delivery report for such an id. Whichever arrives first waits for the
 * other.
 */
export interface Part {
  applicationId: Id;
  integrationId: Id;
  channelId: string;
  messageId: Id | null;
  recipient: string | null;
  /** When the attempt began; compared with watermarks, which may arrive before the vendor's response. */
  sentAt: Millis | null;
  state: 'delivered' | 'read' | 'failed' | null;
  code: string | null;
  detail: string | null;
  /** Why the address must get no more messages, according to the report. */
  block: ConsentBlock | null;
  /** Whether the message's state does not reflect this yet. */
  pending: 0 | 1;
  createdAt: Millis;
}

/** Everything sent to a recipient up to a time has reached this state. */
export interface Watermark {
  applicationId: Id;
  integrationId: Id;
  recipient: string;
  state: 'delivered' | 'read';
  upTo: Millis;
}

/** Another address of the person known by `address`. */
interface Alias {
  applicationId: Id;
  integrationId: Id;
  alias: string;
  address: string;
  createdAt: Millis;
}

/** A person who opened the web chat or was written to there. */
export interface ChatVisitor {
  applicationId: Id;
  integrationId: Id;
  visitor: string;
  /** The last number assigned in this conversation, to an entry or a change. */
  last: number;
  /** The last entry that the browser received, and the last that the visitor saw. */
  delivered: number;
  read: number;
  /** When the application last reported that it is typing. */
  typingAt: Millis | null;
  createdAt: Millis;
  seenAt: Millis;
}

/** An entry of a web chat conversation. */
export interface ChatEntry {
  applicationId: Id;
  integrationId: Id;
  visitor: string;
  /** The position in the conversation. */
  number: number;
  /** The number of its creation or last change; a reader asks for entries after the last version it knows. */
  version: number;
  /** The public id, which stays the same if the entry is added again. */
  id: string;
  author: 'application' | 'visitor';
  /** The number of the entry that it answers. */
  reply: number | null;
  /** JSON; null once deleted. */
  body: string | null;
  changedAt: Millis | null;
  createdAt: Millis;
}

/** A file that a visitor uploaded to the web chat. */
export interface ChatFile {
  id: string;
  applicationId: Id;
  integrationId: Id;
  visitor: string;
  name: string;
  mediaType: string;
  size: number;
  createdAt: Millis;
  bytes: Uint8Array;
}

/** A message or an action on the phone of a simulated person. */
export interface SandboxMessage {
  applicationId: Id;
  integrationId: Id;
  id: Id;
  /** The address of the person or room. */
  person: string;
  author: 'application' | 'person';
  /** The id that the simulated vendor gave it. */
  vendorId: string;
  createdAt: Millis;
  updatedAt: Millis;
  /** JSON. */
  body: string;
}

/** Reports that the simulated vendor has not yet sent to the application. */
export interface SandboxReport {
  applicationId: Id;
  integrationId: Id;
  id: Id;
  createdAt: Millis;
  /** When it is due; null for a report that waits for a session. */
  dueAt: Millis | null;
  /** JSON. */
  body: string;
}

/** A file that was sent or received in the sandbox. */
export interface SandboxFile {
  applicationId: Id;
  integrationId: Id;
  id: string;
  name: string;
  mediaType: string;
  size: number;
  createdAt: Millis;
  bytes: Uint8Array;
}

interface IdempotencyRow {
  /** The calling application, or the team of the calling user. */
  tenantId: Id;
  /** The caller and the route. */
  scope: string;
  key: string;
  /** SHA-256 of the request. */
  hash: string;
  /** JSON array of the messages that the request created; the response is rebuilt from them. */
  messageIds: string | null;
  /** Sealed. */
  response: string | null;
  createdAt: Millis;
}

/** A deleted resource whose data must still be removed. */
export interface Purge {
  kind: 'application' | 'integration';
  resourceId: Id;
  applicationId: Id;
  createdAt: Millis;
}

/** Why a lane is not due yet. `order`: an earlier message of another lane goes first. */
export type LaneReason = 'retry' | 'rate_limit' | 'processing' | 'order';

/**
 * The messages of one integration to one recipient, which are sent one after the other. A lane exists while any of
 * them is queued or being sent, and during a pause that the channel requires after the last.
 */
export interface Lane {
  applicationId: Id;
  integrationId: Id;
  recipient: string;
  /** When its first message may be sent; null while one is being sent. */
  dueAt: Millis | null;
  /** The message that is being sent or waits for a retry. */
  messageId: Id | null;
  reason: LaneReason | null;
  /** Incremented when a message joins: a transaction that has not seen the message must not delete the lane as empty. */
  version: number;
}

/**
 * `api` serves requests, `deliver` owns integrations, `all` does both. A `leaving` node owns what it has not released
 * yet and claims nothing more.
 */
export const NODE_ROLES = ['all', 'api', 'deliver', 'leaving'] as const;

export type NodeRole = (typeof NODE_ROLES)[number];

/** A process of the service. It counts as dead when its lease has expired. */
export interface Node {
  id: string;
  role: NodeRole;
  host: string;
  pid: number;
  startedAt: Millis;
  expiresAt: Millis;
  /** The names of its ring keys, starting with the one that it seals with; null until it is known. */
  ring: string | null;
}

/** Which node sends for an integration, and its health. */
export interface Ownership {
  integrationId: Id;
  applicationId: Id;
  node: string | null;
  /** Incremented with each change of owner; results of earlier owners are refused. */
  fence: number;
  /** Why it is paused: a rate limit, refused credentials, and so on. */
  pausedReason: PauseReason | null;
  pausedDetail: string | null;
  /** End of the pause; null until someone corrects the integration. */
  pausedUntil: Millis | null;
  /** Start of the current failing period: set once per period, null while the integration is healthy. */
  failingSince: Millis | null;
  /** Consecutive failed attempts; null means none. Faults of a recipient or of content do not count. */
  failures: number | null;
  /** Start of the first of them. */
  failedAt: Millis | null;
  /** The last failure, redacted. It stays after a recovery. */
  lastError: string | null;
  lastErrorReason: FailureReason | null;
  lastErrorAt: Millis | null;
  /** When an attempt or check last ended a failing period, or a check last passed. */
  verifiedAt: Millis | null;
  /** The same for live sessions that receive messages: consecutive failed sessions, the first of them, and the period. */
  receivingFailures: number | null;
  receivingFailedAt: Millis | null;
  receivingFailingSince: Millis | null;
  receivingError: string | null;
  receivingErrorAt: Millis | null;
  /** Start of the first session that lasted, or of the first after a failure; null without one. */
  connectedAt: Millis | null;
}

/**
 * `gone` and `failing`: a webhook that answered 410, or has failed for five days. `unavailable`: the node cannot
 * decrypt the credentials or does not know the channel.
 */
export type PauseReason = 'rate_limit' | 'credentials' | 'unavailable' | 'gone' | 'failing';
