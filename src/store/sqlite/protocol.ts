import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

import type { Submission } from '../engine.ts';

/** What the service's thread asks of the thread that owns the database. */
export type Request =
  | { kind: 'query'; sql: string; parameters: SQLInputValue[] }
  | { kind: 'accept'; submissions: readonly Submission[] }
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
