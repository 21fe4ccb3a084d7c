import type { Expression, Kysely } from 'kysely';

import type { Id } from '../model/id.ts';
import type { NewMessage } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';
import type { DispatchRound, DispatchResult } from './delivery/dispatch-round.ts';
import type { Signals } from './delivery/signals.ts';
import type { EngineName, Schema } from './schema.ts';
import type { Partitions } from './upkeep/partitions.ts';

/** Identifies a repeated request: caller, route and key. */
export interface IdempotencyKey {
  /** The calling application, or the team of the calling user. */
  tenantId: Id;
  scope: string;
  key: string;
  hash: string;
}

/** The messages of one request. They are stored together or not at all. */
export interface Submission {
  messages: readonly NewMessage[];
  idempotency?: IdempotencyKey;
  /** Whether to store a submission with messages that their recipients do not accept; otherwise nothing is stored. */
  withSuppressed?: boolean;
}

/**
 * The ids of the stored messages, with the positions of those that their recipients do not accept. Nothing was stored
 * if the idempotency key already existed (`repeated`), or if a recipient does not accept its message (`refused`, its
 * position).
 */
export type Accepted =
  | { ids: Id[]; suppressed: number[] }
  | { repeated: true }
  | { refused: number };

/** Connection counts of the pool, and the statements that wait for one. */
export interface ConnectionCounts {
  used: number;
  idle: number;
  awaited: number;
}

/** The parts that differ between the databases. All other code is shared. */
export interface Engine {
  readonly name: EngineName;
  readonly db: Kysely<Schema>;
  /** The next id of anything but messages and events. */
  nextId(): Promise<Id>;
  /** Stores all submissions in one commit; resolves when they are on disk. */
  accept(submissions: readonly Submission[]): Promise<Accepted[]>;
  /** `count` sequence numbers for messages, each larger than all before. */
  allocateSequences(trx: Kysely<Schema>, count: number): Promise<number[]>;
  /** Maximum concurrent commits of accepted messages; requests that arrive meanwhile share the next one. */
  readonly maxConcurrentAccepts: number;
  /** Maximum concurrent dispatch rounds. */
  readonly maxConcurrentRounds: number;
  /** Runs a dispatch round; resolves when it is on disk. */
  dispatch(round: DispatchRound): Promise<DispatchResult>;
  /**
   * Runs a statement once for each row of parameters, in one commit. Undefined for a database server, where one
   * statement for all rows is cheaper.
   */
  runMany?(statement: string, rows: readonly unknown[][]): Promise<void>;
  /**
   * The current time, plus `after` milliseconds, by the clock that decides about leases: the database's, if several
   * nodes share it.
   */
  databaseNow(now: Millis, after?: Millis): Expression<number>;
  /** The database's clock; undefined if it is this machine's. */
  readClock?(): Promise<Millis>;
  /** Signals between nodes; undefined if nodes must poll. */
  readonly signals?: Signals;
  /** Undefined for the embedded store. */
  connections?(): ConnectionCounts;
  /** Size of the write-ahead log; undefined for a database server. */
  logBytes?(): number;
  /** Rejects if the check after an unclean shutdown finds damage; undefined if there is no check. */
  readonly checked?: Promise<void>;
  /** Sets the database settings of our database user, if not set yet. */
  prepare?(): Promise<void>;
  /** Runs work without the usual statement timeout. */
  withoutTimeout?<Result>(work: (db: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  /** Tables that are partitioned by time; undefined if none are. */
  readonly partitions?: Partitions;
  /** Resolves if messages can be accepted. */
  ping(): Promise<void>;
  /** For the operator: version, whether commits are durable, and whether `prepare` succeeded. */
  describe(): Promise<{ version: string; durable: boolean; prepared: boolean }>;
  close(): Promise<void>;
}
