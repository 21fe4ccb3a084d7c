import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

import type { Id } from '../model/id.ts';
import { type MessageState, isSent, isSettled } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import { OPEN } from './moving.ts';
import type { Schema } from './schema.ts';

/** Which of the messages of an application are meant: those that all of this is true of. */
export interface MessageFilter {
  /** In one of these states. */
  states?: readonly MessageState[];
  /** Through one of these integrations. */
  integrationIds?: readonly Id[];
  recipient?: string;
  /** What the number begins with, as digits. */
  idPrefix?: string;
  createdAfter?: Millis;
  createdBefore?: Millis;
}

/**
 * In this state, in such words that both planners see that the index over states holds it, if it does: PostgreSQL by
 * the literal, SQLite because the condition of the index is repeated. And in which partitions it may be: by `> 0`, PostgreSQL
 * would not rule out the one of what is open, which ends before 1.
 */
export function inState(state: MessageState): RawBuilder<boolean> {
  const is = inStateAnyway(state);
  // Most are: the index leaves them out.
  if (isSent(state)) return is;
  return sql<boolean>`${is} and state <> 'sent' and state <> 'delivered' and state <> 'read'`;
}

/** The same, in words that do not lead SQLite to that index: for where another one leaves fewer to look at. */
export function inStateAnyway(state: MessageState): RawBuilder<boolean> {
  const where = isSettled(state) ? sql`settled_at >= 1` : OPEN;
  return sql<boolean>`state = ${sql.lit(state)} and ${where}`;
}

/** Those that the filter means, and that are in this state if one is named: a state at a time is found by an index. */
export function matching<Row>(
  { name }: Engine,
  all: SelectQueryBuilder<Schema, 'messages', Row>,
  { integrationIds, recipient, idPrefix, createdAfter, createdBefore }: MessageFilter,
  state: MessageState | undefined,
): SelectQueryBuilder<Schema, 'messages', Row> {
  let query = all;
  // What one recipient was sent is less than what is in a state.
  const within = recipient === undefined ? inState : inStateAnyway;
  if (state !== undefined) query = query.where(within(state));
  if (integrationIds !== undefined) query = query.where('integrationId', 'in', integrationIds);
  if (recipient !== undefined) query = query.where('recipient', '=', recipient);
  if (idPrefix !== undefined) {
    // SQLite would go through the ranges of all applications, by the primary key, instead of the rows of this one.
    const id = sql<Id>`${sql.raw(name === 'sqlite' ? '+' : '')}id`;
    const ranges = idRanges(idPrefix);
    query = query.where(({ eb, or }) => or(ranges.map(([low, high]) => eb.between(id, low, high))));
  }
  if (createdAfter !== undefined) query = query.where('createdAt', '>', createdAfter);
  if (createdBefore !== undefined) query = query.where('createdAt', '<', createdBefore);
  return query;
}

/** The numbers that begin with these digits: 12, 120 to 129, 1200 to 1299, and so on. */
function idRanges(prefix: string): [Id, Id][] {
  const ranges: [Id, Id][] = [];
  const start = prefix.startsWith('0') ? Infinity : Number(prefix);
  for (let low = start, high = start; low <= Number.MAX_SAFE_INTEGER; high = high * 10 + 9) {
    ranges.push([low, Math.min(high, Number.MAX_SAFE_INTEGER)]);
    low *= 10;
  }
  return ranges;
}
