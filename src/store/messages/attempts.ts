import { storable } from '../../lib/text/storable.ts';
import { type Attempt, MAX_RECORDED_LENGTH } from '../../model/attempt.ts';
import type { Id } from '../../model/id.ts';
import type { CountedMessage, Message } from '../../model/message.ts';
import type { Engine } from '../engine.ts';
import { Repository } from '../repository.ts';
import type { AttemptRow } from '../schema.ts';
import { recentFirst } from './recent-first.ts';

/** A node's clock may move backwards, so an attempt may seem to start before its message was accepted. */
const MAX_CLOCK_SKEW_MS = 48 * 60 * 60 * 1000;

/**
 * Adds the number of recorded attempts to each message, computed on read so that sending does not pay for it. A lower
 * bound on time keeps PostgreSQL out of partitions older than all these messages.
 */
export async function countAttempts<
  Counted extends Pick<Message, 'applicationId' | 'id' | 'createdAt' | 'updatedAt'>,
>(engine: Engine, messages: readonly Counted[]): Promise<(Counted & { attemptCount: number })[]> {
  const [first] = messages;
  if (!first) return [];
  const oldest = Math.min(
    ...messages.map(({ createdAt, updatedAt }) => Math.min(createdAt, updatedAt)),
  );
  const since = engine.partitions ? oldest - MAX_CLOCK_SKEW_MS : Number.MIN_SAFE_INTEGER;
  const rows = await engine.db
    .selectFrom('attempts')
    .select(['messageId', ({ fn }) => fn.countAll<number>().as('count')])
    .where('applicationId', '=', first.applicationId)
    .where(
      'messageId',
      'in',
      messages.map(({ id }) => id),
    )
    .where('startedAt', '>=', since)
    .groupBy('messageId')
    .execute();
  const counts = new Map(rows.map(({ messageId, count }) => [messageId, count]));
  return messages.map((message) => ({ ...message, attemptCount: counts.get(message.id) ?? 0 }));
}

/** The message or webhook delivery with this id. */
export async function findCounted(
  engine: Engine,
  view: 'messages' | 'webhookDeliveries',
  applicationId: Id,
  id: Id,
): Promise<CountedMessage | undefined> {
  const all = engine.db.selectFrom(view).selectAll();
  const byId = all.where((eb) => eb.and({ applicationId, id }));
  const found = await recentFirst(engine, (where) => byId.where(where).executeTakeFirst());
  const [counted] = await countAttempts(engine, found ? [found] : []);
  return counted;
}

/** Attempts to send a message. The dispatch round that records a result stores them. */
export class Attempts extends Repository {
  /** The last attempts, in the order in which they were made. */
  async list({
    applicationId,
    id,
    activity,
  }: Pick<Message, 'applicationId' | 'id' | 'activity'>): Promise<Attempt[]> {
    const rows = await this.db
      .selectFrom('attempts')
      .selectAll()
      .where((eb) => eb.and({ applicationId, messageId: id }))
      .orderBy('number')
      .execute();
    return rows.map((row) => toAttempt(row, activity));
  }

  async last({
    applicationId,
    id,
    activity,
  }: Pick<Message, 'applicationId' | 'id' | 'activity'>): Promise<Attempt | undefined> {
    const row = await this.db
      .selectFrom('attempts')
      .selectAll()
      .where((eb) => eb.and({ applicationId, messageId: id }))
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row && toAttempt(row, activity);
  }
}

function toAttempt({ withActivity, ...attempt }: AttemptRow, activity: string): Attempt {
  if (withActivity === 0) return attempt;
  const request = `${attempt.request}${activity}`.slice(0, MAX_RECORDED_LENGTH);
  return { ...attempt, request: storable(request) };
}
