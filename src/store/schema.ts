import type { Invitation, Key, Session, Team, User } from '../model/account.ts';
import type { Application } from '../model/application.ts';
import type { Attempt } from '../model/attempt.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { Event } from '../model/event.ts';
import type { FailureReason } from '../model/health.ts';
import type { Id } from '../model/id.ts';
import type { IgnoredReport } from '../model/ignored.ts';
import type { Integration } from '../model/integration.ts';
import type { Job } from '../model/job.ts';
import type { Message } from '../model/message.ts';
import type { Statistic } from '../model/statistics.ts';
import type { Millis } from '../model/timestamp.ts';
import type { LaneReason } from './turn.ts';

/*
 * The tables, the same in both engines; columns are written in snake case in the database. Moments are
 * milliseconds since 1970. What is said to be sealed opens only for its table, row and field.
 */
export interface Schema {
  teams: Team;
  /** `email` is lower case. */
  users: User;
  /** Whose an address is: no two users have the same, whatever their teams. A row of each user goes with it. */
  emails: { email: string; teamId: Id; userId: Id };
  signInLinks: SignInLink;
  /** Guesses of strangers: a row is shared by all whose hash leads there. */
  guesses: { slot: number; until: Millis };
  signInAddresses: SignInAddress;
  /** `secret` is sealed. */
  keys: Key;
  sessions: Session;
  invitations: Invitation;
  auditEntries: AuditEntry;
  applications: Application;
  /** `credentials` is sealed JSON. */
  integrations: IntegrationRow;
  messages: Message;
  attempts: AttemptRow;
  lanes: Lane;
  nodes: Node;
  ownerships: Ownership;
  /** The number of the last event, and when it happened. */
  feeds: { applicationId: Id; last: number; lastAt: Millis };
  events: Event;
  endpoints: Endpoint;
  arrivals: { applicationId: Id; integrationId: Id; key: string; createdAt: Millis };
  parts: Part;
  watermarks: Watermark;
  ignored: IgnoredReport;
  aliases: Alias;
  chatVisitors: ChatVisitor;
  chatEntries: ChatEntry;
  chatFiles: ChatFile;
  statistics: Statistic;
  jobs: Job;
  idempotency: IdempotencyRow;
  purges: Purge;
  /** A sealed value that shows whether a key ring is the right one. */
  spentTickets: { hash: string; expiresAt: Millis };
  ringMarker: { id: 1; sealed: string };
}

export interface SignInLink {
  /** SHA-256 of the code in the link. */
  hash: string;
  userId: Id;
  expiresAt: Millis;
}

/** An address that a user signed in from, with the guesses that were made there since. */
export interface SignInAddress {
  teamId: Id;
  userId: Id;
  /** SHA-256 of the address, or of the /64 of an IPv6 address. */
  address: string;
  /** When all guesses are there again. */
  until: Millis;
  seenAt: Millis;
}

export interface AttemptRow extends Attempt {
  /** Whether the message's own activity follows `request`: it is not stored a second time. */
  withActivity: 0 | 1;
}

export type IntegrationRow = Omit<Integration, 'credentials'> & {
  credentials: string;
  /** Sealed: the part of its hook's address that nobody can guess; made when it is first asked for. */
  hook: string | null;
  /** When the vendor was told that address. */
  registeredAt: Millis | null;
  /** Where listening was left. */
  cursor: string | null;
};

/**
 * Where an application wants its events. It is sent for as an integration is, by a row there that nobody
 * sees; the events up to the cursor are among the messages of that integration.
 */
export interface Endpoint {
  applicationId: Id;
  integrationId: Id;
  cursor: number;
  /** When its secret was changed, while the one before it still signs as well. */
  rotatedAt: Millis | null;
}

/**
 * A part of a message by the id that the channel gave it; or what the channel reported of such an id. Whichever
 * of the two comes first waits for the other.
 */
export interface Part {
  applicationId: Id;
  integrationId: Id;
  channelId: string;
  messageId: Id | null;
  recipient: string | null;
  sentAt: Millis | null;
  state: 'delivered' | 'read' | 'failed' | null;
  code: string | null;
  detail: string | null;
  /** Whether the message has not been moved on by what is known here. */
  pending: 0 | 1;
  createdAt: Millis;
}

/** Everything sent to a recipient until then has come to this state. */
export interface Watermark {
  applicationId: Id;
  integrationId: Id;
  recipient: string;
  state: 'delivered' | 'read';
  upTo: Millis;
}

/** Another address of somebody who is known by `address`. */
export interface Alias {
  applicationId: Id;
  integrationId: Id;
  alias: string;
  address: string;
  createdAt: Millis;
}

/** Somebody who has opened the web chat, or was written to there. */
export interface ChatVisitor {
  applicationId: Id;
  integrationId: Id;
  visitor: string;
  /** The last number that was given in this conversation, to an entry or to a change of one. */
  last: number;
  /** How far the browser has the entries of the application, and how far the visitor saw them. */
  delivered: number;
  read: number;
  /** When the application last said that it is writing. */
  typingAt: Millis | null;
  createdAt: Millis;
  seenAt: Millis;
}

/** What was said in a conversation of the web chat. */
export interface ChatEntry {
  applicationId: Id;
  integrationId: Id;
  visitor: string;
  /** Its place in the conversation. */
  number: number;
  /** Its number, or that of its last change: whoever knows all up to a version asks for what is after it. */
  version: number;
  /** What it is called outside; the same when it is put there again. */
  id: string;
  author: 'application' | 'visitor';
  /** The number of the entry that it answers. */
  reply: number | null;
  /** JSON; null once it was taken back. */
  body: string | null;
  changedAt: Millis | null;
  createdAt: Millis;
}

/** A file that a visitor has put into the web chat. */
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

export interface IdempotencyRow {
  /** The application that asked, or the team of the user who did. */
  tenantId: Id;
  /** Whose key it is, and for which route. */
  scope: string;
  key: string;
  /** SHA-256 of the request. */
  hash: string;
  /** The messages that the request made, as a JSON array: its answer is made anew from them. */
  messageIds: string | null;
  /** Sealed: the answer that was given. */
  answer: string | null;
  createdAt: Millis;
}

/** What was deleted, and has messages that are still to be cleared away. */
export interface Purge {
  kind: 'application' | 'integration';
  resourceId: Id;
  applicationId: Id;
  createdAt: Millis;
}

/**
 * The messages of one integration to one recipient, which leave one after the other. A lane is there while
 * any of them is queued or being sent, and for as long as the channel wants a pause after the last.
 */
export interface Lane {
  applicationId: Id;
  integrationId: Id;
  recipient: string;
  /** When its first message may be sent; null while one is being sent. */
  dueAt: Millis | null;
  /** The message that is being sent, or is to be tried again. */
  messageId: Id | null;
  /** Why it is not due yet. */
  reason: LaneReason | null;
  /** Grows whenever a message joins it, so that nobody takes it for empty who has not seen that message. */
  version: number;
}

/**
 * What a node is there for: `api` serves requests, `deliver` owns integrations, `all` does both. One that is
 * `leaving` owns what it has not let go of yet, and takes nothing more.
 */
export const NODE_ROLES = ['all', 'api', 'deliver', 'leaving'] as const;

export type NodeRole = (typeof NODE_ROLES)[number];

/** A process of the service. It is taken for dead when it has not been heard of for as long as its lease. */
export interface Node {
  id: string;
  role: NodeRole;
  host: string;
  pid: number;
  startedAt: Millis;
  expiresAt: Millis;
  /** The ids of its keys, the one that it seals with first, each with a fingerprint; null of an older version. */
  ring: string | null;
}

/** Which node alone sends for an integration. */
export interface Ownership {
  integrationId: Id;
  applicationId: Id;
  node: string | null;
  /** Grows with each change of owner: what an earlier owner still has to say is then refused. */
  fence: number;
  /** Why it sends nothing for now: the channel's limit, or credentials that the channel refused. */
  pausedReason: PauseReason | null;
  pausedDetail: string | null;
  /** Until when; null until somebody corrects the integration. */
  pausedUntil: Millis | null;
  /** Start of the current failing period: set once per period, null while the integration is healthy. */
  failingSince: Millis | null;
  /** Consecutive failed attempts; null means none. Faults of a recipient or of content do not count. */
  failures: number | null;
  /** When the first of them started. */
  failedAt: Millis | null;
  /** The last failure, redacted. It stays after a recovery. */
  lastError: string | null;
  lastErrorReason: FailureReason | null;
  lastErrorAt: Millis | null;
  /** When an attempt or a check last ended a failing period, or a check last passed. */
  verifiedAt: Millis | null;
}

/**
 * `gone` and `failing` are said of an endpoint that has not taken events, or wants no more. `unavailable`: the node cannot
 * open the credentials, or does not know the channel.
 */
export type PauseReason = 'rate_limit' | 'credentials' | 'unavailable' | 'gone' | 'failing';
