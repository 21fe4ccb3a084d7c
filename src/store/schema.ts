import type { Key, Team, User } from '../model/account.ts';
import type { Application } from '../model/application.ts';
import type { Id } from '../model/id.ts';
import type { Integration } from '../model/integration.ts';
import type { Message } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';

/*
 * The tables, the same in both engines; columns are written in snake case in the database. Moments are
 * milliseconds since 1970. What is said to be sealed opens only for its table, row and field.
 */
export interface Schema {
  teams: Team;
  /** `email` is lower case and unique over all teams. */
  users: User;
  signInLinks: SignInLink;
  /** `secret` is sealed. */
  keys: Key;
  applications: Application;
  /** `credentials` is sealed JSON. */
  integrations: Omit<Integration, 'credentials'> & { credentials: string };
  messages: Message;
  idempotency: IdempotencyRow;
  purges: Purge;
  /** A sealed value that shows whether a key ring is the right one. */
  ringMarker: { id: 1; sealed: string };
}

export interface SignInLink {
  /** SHA-256 of the code in the link. */
  hash: string;
  userId: Id;
  expiresAt: Millis;
}

export interface IdempotencyRow {
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
