import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { type MessageState, isSent, isSettled } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';
import { IN_SCHEDULE, OPEN } from './transitions.ts';

/** Selects messages of an application; all conditions must match. */
export interface MessageFilter {
  states?: readonly MessageState[];
  integrationIds?: readonly Id[];
  recipient?: string;
  /** Leading digits of the id. */
  idPrefix?: string;
  createdAfter?: Millis;
  createdBefore?: Millis;
}

/**
 * Matches a state in a form that lets both planners use the partial index over states: PostgreSQL needs the literal,
 * SQLite needs the condition of the index repeated. `settled_at` selects the partitions: with `> 0` instead,
 * PostgreSQL would not rule out the partition of open messages, which ends before 1. test/store/plans.test.ts and
 * test/store/sqlite-plans.test.ts check both.
 */
export function inState(state: MessageState): RawBuilder<boolean> {
  const is = hasState(state);
  // Sent messages are the majority, so the index omits them.
  if (isSent(state)) return is;
  return sql<boolean>`${is} and state <> 'sent' and state <> 'delivered' and state <> 'read'`;
}

/** Like inState, but keeps SQLite from that index, for when another one is more selective. */
export function hasState(state: MessageState): RawBuilder<boolean> {
  const settled = sql`settled_at >= 1`;
  const where = isSettled(state) ? settled : state === 'scheduled' ? IN_SCHEDULE : OPEN;
  return sql<boolean>`state = ${sql.lit(state)} and ${where}`;
}

/** A part of the messages that a filter matches. With one part at a time, an index finds them. */
export interface FilterPart {
  state: MessageState | undefined;
  /** Whether they have, or had, a time at which they leave; undefined for both. */
  isScheduled: boolean | undefined;
}

/**
 * The parts whose results together match the filter, for these states if it names none. On SQLite, messages to a
 * recipient are in two indexes: outbox_by_recipient and outbox_scheduled_to.
 */
export function partsOf(
  { name }: Pick<Engine, 'name'>,
  { states, recipient }: MessageFilter,
  defaultStates: readonly (MessageState | undefined)[] = [undefined],
): FilterPart[] {
  const isSplit = name === 'sqlite' && recipient !== undefined;
  const times = isSplit ? [false, true] : [undefined];
  return (states ?? defaultStates).flatMap((state) =>
    times.map((isScheduled) => ({ state, isScheduled })),
  );
}

/** The messages that match the filter, in one of its parts. */
export function matching<Row>(
  { name }: Engine,
  all: SelectQueryBuilder<Schema, 'messages', Row>,
  { integrationIds, recipient, idPrefix, createdAfter, createdBefore }: MessageFilter,
  { state, isScheduled }: FilterPart,
): SelectQueryBuilder<Schema, 'messages', Row> {
  let query = all;
  // The messages of one recipient are fewer than those in a state, so prefer the index by recipient.
  const within = recipient === undefined ? inState : hasState;
  if (state !== undefined) query = query.where(within(state));
  if (isScheduled !== undefined) query = query.where('dueAt', isScheduled ? 'is not' : 'is', null);
  if (integrationIds !== undefined) query = query.where('integrationId', 'in', integrationIds);
  if (recipient !== undefined) query = query.where('recipient', '=', recipient);
  if (idPrefix !== undefined) {
    // The `+` keeps SQLite from searching the id ranges of all applications by primary key instead of this one's
    // rows.
    const id = name === 'sqlite' ? sql<Id>`+id` : sql<Id>`id`;
    const ranges = idRanges(idPrefix);
    query = query.where(({ eb, or }) => or(ranges.map(([low, high]) => eb.between(id, low, high))));
  }
  if (createdAfter !== undefined) query = query.where('createdAt', '>', createdAfter);
  if (createdBefore !== undefined) query = query.where('createdAt', '<', createdBefore);
  return query;
}

/** The ranges of ids that start with these digits: 12, 120 to 129, 1200 to 1299, and so on. */
function idRanges(prefix: string): [Id, Id][] {
  const ranges: [Id, Id][] = [];
  const start = prefix.startsWith('0') ? Infinity : Number(prefix);
  for (let low = start, high = start; low <= Number.MAX_SAFE_INTEGER; high = high * 10 + 9) {
    ranges.push([low, Math.min(high, Number.MAX_SAFE_INTEGER)]);
    low *= 10;
  }
  return ranges;
}
