import type { Expression, Kysely } from 'kysely';

import type { Id } from '../model/id.ts';
import type { NewMessage } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Partitions } from './partitions.ts';
import type { Schema } from './schema.ts';
import type { Signals } from './signals.ts';
import type { Turn, TurnResult } from './turn.ts';

export type EngineName = 'sqlite' | 'postgres';

/** Who asks, with which key, for what: what makes a repeated request the same one. */
export interface IdempotencyKey {
  /** The application that asks, or the team of the user who does. */
  tenantId: Id;
  scope: string;
  key: string;
  hash: string;
}

/** The messages of one request. They are stored together or not at all. */
export interface Submission {
  messages: readonly NewMessage[];
  idempotency?: IdempotencyKey;
}

/**
 * What became of a submission: the numbers of its messages, or `repeated` when its idempotency key
 * was there before, in which case nothing of it was stored.
 */
export type Accepted = { ids: Id[] } | { repeated: true };

/** The connections to a database server, and how many statements wait for one. */
export interface ConnectionCounts {
  used: number;
  idle: number;
  awaited: number;
}

/** What each database does in its own way. All else is written once, for both. */
export interface Engine {
  readonly name: EngineName;
  readonly db: Kysely<Schema>;
  /** The next number for an account, application, integration or key. */
  nextId(): Promise<Id>;
  /** Stores all submissions in one durable commit; resolves when they are on disk. */
  accept(submissions: readonly Submission[]): Promise<Accepted[]>;
  /** So many numbers for messages, each larger than all that were given before. */
  takeSequences(trx: Kysely<Schema>, count: number): Promise<number[]>;
  /** How many commits of accepted messages are under way at the most; what comes meanwhile shares the next. */
  readonly acceptsAtOnce: number;
  /** How many turns it can make at once. */
  readonly turnsAtOnce: number;
  /** Records results and starts messages; resolves when all of it is on disk. */
  turn(turn: Turn): Promise<TurnResult>;
  /**
   * The present, or so many milliseconds after it, by the clock that leases are judged by: that of the
   * database, where several nodes share it.
   */
  present(now: Millis, after?: Millis): Expression<number>;
  /** What its own clock says; undefined where it is that of this machine. */
  readClock?(): Promise<Millis>;
  /** How nodes wake each other; undefined where there is nothing for it but to look. */
  readonly signals?: Signals;
  /** How its connections are used; undefined where it has none. */
  connections?(): ConnectionCounts;
  /** How large the write-ahead log is; undefined where the store is a server. */
  logBytes?(): number;
  /** Rejects when a check after an unclean end finds that the store is damaged; undefined where none is made. */
  readonly checked?: Promise<void>;
  /** Sets what the database is to know of whoever connects as this user, wherever that is not set yet. */
  prepare?(): Promise<void>;
  /** Does what takes longer than statements usually may. */
  unhurried?<Result>(work: (db: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  /** Tables that are kept in partitions by time; undefined where each is one. */
  readonly partitions?: Partitions;
  /** Answers when messages could be accepted. */
  ping(): Promise<void>;
  /** What an operator should know: version, whether commits are durable, and whether `prepare` has done its work. */
  describe(): Promise<{ version: string; durable: boolean; prepared: boolean }>;
  close(): Promise<void>;
}
