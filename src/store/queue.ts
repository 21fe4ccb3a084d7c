import { type RawBuilder, sql } from 'kysely';

import type { Message } from '../model/message.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import { IN_LANE } from './moving.ts';

/*
 * What is asked of all that is queued, whoever it is for: it must not go through all of it. PostgreSQL is asked for the
 * partition of what is open by its name: by `settled_at = 0` it would read an index of it from end to end, as long as it
 * does not know yet how much is there.
 */
type Named = Pick<Engine, 'name'>;

const openMessages = ({ name }: Named) =>
  name === 'postgres' ? sql`messages_open` : sql`messages`;

export type Late = Pick<Message, 'id' | 'applicationId' | 'integrationId' | 'recipient'>;

/** Those that are not worth sending any more, the first of them first. */
export function lateMessages(engine: Named, now: Millis, limit: number): RawBuilder<Late> {
  return sql`select id, application_id, integration_id, recipient from ${openMessages(engine)}
    where state = 'queued' and expires_at is not null and expires_at <= ${now}
    order by expires_at limit ${limit}`;
}

/** A place in the queue, whose order is that of lanes. */
export type Spot = Pick<Message, 'applicationId' | 'integrationId' | 'recipient' | 'sequence'>;

/** How many messages are queued for integrations of that channel. */
export interface Depth {
  name: string | null;
  count: number;
}

/** Where the next so many end after that place; nothing when there are no more than that. */
export function endOfBite(engine: Named, after: Spot, size: number): RawBuilder<Spot> {
  return sql`select application_id, integration_id, recipient, sequence from ${openMessages(engine)}
    where ${queued(engine, after)} order by ${order(engine)} limit 1 offset ${size}`;
}

/** How many there are after one place, and not after another. */
export function countBite(engine: Named, after: Spot, end: Spot | undefined): RawBuilder<Depth> {
  const upTo = end ? sql`and (${order(engine)}) <= ${tuple(engine, end)}` : sql``;
  return sql`select i.name, cast(sum(own.count) as bigint) as count
    from (select application_id, integration_id, count(*) as count from ${openMessages(engine)}
      where ${queued(engine, after)} ${upTo}
      group by application_id, integration_id) own
    left join integrations i on i.application_id = own.application_id and i.id = own.integration_id
    group by i.name`;
}

function queued(engine: Named, after: Spot): RawBuilder<boolean> {
  return sql`state = 'queued' and ${IN_LANE} and (${order(engine)}) > ${tuple(engine, after)}`;
}

/** In the order of the index that they are found by. */
function order({ name }: Named): RawBuilder<unknown> {
  const lane = sql`integration_id, recipient, sequence`;
  return name === 'postgres' ? lane : sql`application_id, ${lane}`;
}

function tuple(
  { name }: Named,
  { applicationId, integrationId, recipient, sequence }: Spot,
): RawBuilder<unknown> {
  const lane = sql`${integrationId}, ${recipient}, ${sequence}`;
  return name === 'postgres' ? sql`(${lane})` : sql`(${applicationId}, ${lane})`;
}
