import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';

import type { IdempotencyKey } from '../engine.ts';
import { type FlatValue, flatFields } from '../fields.ts';
import {
  IDEMPOTENCY_KEY_FIELDS,
  NEW_MESSAGE_FIELDS,
  NEW_ROUTE_FIELDS,
} from '../messages/submission-fields.ts';
import type { FlatRound } from './dispatch-protocol.ts';

/**
 * Submissions as passed between threads. Flat arrays, because copying nested objects costs both threads more than the
 * write itself.
 */
export interface Batch {
  /** Number of messages per submission. */
  sizes: number[];
  /** The messages of all submissions, as FLAT_MESSAGE. */
  messages: FlatValue[];
  /** The routes of messages that have several, as FLAT_ROUTE. */
  routes: FlatValue[];
  /** The idempotency keys, as FLAT_KEY. */
  keys: FlatValue[];
  /** The submissions to store although recipients do not accept some of their messages. */
  withSuppressed: number[];
}

export const FLAT_MESSAGE = flatFields(NEW_MESSAGE_FIELDS);
export const FLAT_ROUTE = flatFields(NEW_ROUTE_FIELDS);

/** An idempotency key with the position of its submission. */
export type SubmissionKey = IdempotencyKey & { submission: number };
export const FLAT_KEY = flatFields<SubmissionKey>({ ...IDEMPOTENCY_KEY_FIELDS, submission: 'int' });

export interface BatchResult {
  /** The id of the first message; the others follow, including those of repeated submissions. */
  first: number;
  /** The positions of submissions whose idempotency key was already used. */
  repeated: number[];
  /** The positions, in the batch, of messages that their recipients do not accept. */
  suppressed: number[];
}

/** A request to the database thread. */
export type ThreadRequest =
  | { kind: 'query'; sql: string; parameters: SQLInputValue[] }
  /** One statement for each row of parameters, a JSON array, in one commit. */
  | { kind: 'many'; sql: string; rows: string }
  | { kind: 'accept'; batch: Batch }
  | { kind: 'dispatch'; round: FlatRound }
  /** The next id of the sequence `account_ids`. */
  | { kind: 'nextId' }
  | { kind: 'ping' }
  /** The file is damaged: refuse all further requests. */
  | { kind: 'markDamaged'; fault: string }
  | { kind: 'rollback' }
  | { kind: 'close' };

export type Row = Record<string, SQLOutputValue>;

/** An error of node:sqlite, reduced to the fields that can cross threads. */
export interface ThreadFailure {
  message: string;
  code: string | undefined;
  errcode: number | undefined;
}

export type ThreadResponse =
  | { id: number; value: unknown }
  | { id: number; failure: ThreadFailure };
