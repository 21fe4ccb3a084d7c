import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

import type { FlatTurn } from './turn-protocol.ts';

/**
 * Submissions as they go between threads: flat, because what is copied there is mostly structure
 * otherwise, and that costs both threads more than the writing itself.
 */
export interface Batch {
  /** How many messages each submission has. */
  sizes: number[];
  /** Application, integration, recipient, activity, object, type, expiry, moment and trace of each in turn. */
  values: (number | string | null)[];
  /** Submission, tenant, scope, key and hash of each submission that has an idempotency key in turn. */
  keys: (number | string)[];
}

export const VALUES = 9;
export const KEY_VALUES = 5;

/** The number of the first message; the others follow. Submissions that were repeated took theirs too. */
export interface BatchResult {
  first: number;
  repeated: number[];
}

/** What the service's thread asks of the thread that owns the database. */
export type Request =
  | { kind: 'query'; sql: string; parameters: SQLInputValue[] }
  | { kind: 'accept'; batch: Batch }
  | { kind: 'turn'; turn: FlatTurn }
  | { kind: 'ping' }
  /** The file was found to be damaged. */
  | { kind: 'condemn'; fault: string }
  | { kind: 'rollback' }
  | { kind: 'close' };

export type Row = Record<string, SQLOutputValue>;

/** An error of node:sqlite, as far as it survives the way between threads. */
export interface Failure {
  message: string;
  code: string | undefined;
  errcode: number | undefined;
}

export type Response = { id: number; value: unknown } | { id: number; failure: Failure };
