import { type Kysely, sql } from 'kysely';

import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import type { Job } from '../../model/job.ts';
import type { Message, MessageState } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { type JobKey, isFree, takeJobs } from '../delivery/job-claims.ts';
import type { Engine } from '../engine.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { type IdempotencyRecord, recordAnswer } from './idempotency.ts';
import { type MessageFilter, matching, partsOf } from './message-filter.ts';
import { RESENDABLE, type Resendable, resendAll } from './resending.ts';

/** Messages counted per statement, and messages resent per transaction. */
const COUNT_BATCH = 1_000;
const RESEND_BATCH = 50;

type FoundMessage = Resendable & Pick<Message, 'createdAt'>;

/**
 * Bulk operations on the messages of an application, in batches. Each batch and the job's progress commit in one
 * transaction, so after a crash nothing is repeated or skipped.
 */
export class Jobs extends Repository {
  async insert(job: Job, answer?: IdempotencyRecord, audit?: AuditEntry): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      await trx.insertInto('jobs').values(job).execute();
      await recordAudit(trx, audit);
    });
  }

  get(applicationId: Id, id: Id): Promise<Job | undefined> {
    return this.db
      .selectFrom('jobs')
      .selectAll()
      .where((eb) => eb.and({ applicationId, id }))
      .executeTakeFirst();
  }

  /** The jobs of an application, newest first. */
  list(applicationId: Id, request: PageRequest): Promise<Page<Job>> {
    const query = this.db.selectFrom('jobs').selectAll().where('applicationId', '=', applicationId);
    return page(query, request);
  }

  /** The number of messages that would be resent, by state, counting up to `limit` of each. */
  async countByState(
    applicationId: Id,
    filter: MessageFilter,
    limit: number,
  ): Promise<Map<MessageState, number>> {
    const counts = new Map<MessageState, number>();
    for (const part of partsOf(this.engine, filter, RESENDABLE)) {
      const all = ofApplication(this.db, applicationId).select('id');
      const matched = matching(this.engine, all, filter, part).limit(limit);
      const { count } = await this.db
        .selectFrom(matched.as('matched'))
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      const { state } = part;
      if (count === 0 || state === undefined) continue;
      counts.set(state, Math.min(limit, (counts.get(state) ?? 0) + count));
    }
    return counts;
  }

  async countOpen(applicationId: Id): Promise<number> {
    const { count } = await this.db
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('applicationId', '=', applicationId)
      .where('finishedAt', 'is', null)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Cancels a job; completed work stays. A finished job is unchanged. */
  async cancel(
    { applicationId, id }: JobKey,
    now: Millis,
    audit: AuditEntry | undefined,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('jobs')
        .set({ state: 'canceled', updatedAt: now, finishedAt: now })
        .where((eb) => eb.and({ applicationId, id }))
        .where('finishedAt', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await recordAudit(trx, audit);
    });
  }

  /** Claims up to `limit` jobs without a live node; returns all jobs of this node. */
  async claim(node: string, limit: number, now: Millis): Promise<JobKey[]> {
    const free = await this.db
      .selectFrom('jobs')
      .select(['applicationId', 'id', 'node'])
      .where('finishedAt', 'is', null)
      .where(isFree(this.engine, 'node', node, now))
      .orderBy('createdAt')
      .limit(limit)
      .execute();
    return takeJobs(this.engine, 'jobs', free, node);
  }

  /**
   * Processes the next batch of a job of this node. Returns whether there is more, and the integrations that have
   * messages to send.
   */
  runBatch(
    { applicationId, id }: JobKey,
    node: string,
    now: Millis,
  ): Promise<{ hasMore: boolean; woken: Set<Id> }> {
    return this.db.transaction().execute(async (trx) => {
      let query = trx
        .selectFrom('jobs')
        .selectAll()
        .where((eb) => eb.and({ applicationId, id, node }))
        .where('finishedAt', 'is', null);
      if (this.engine.name === 'postgres') query = query.forUpdate();
      const job = await query.executeTakeFirst();
      if (!job) return { hasMore: false, woken: new Set() };
      return job.state === 'counting' ? this.#count(trx, job, now) : this.#resend(trx, job, now);
    });
  }

  async #count(trx: Kysely<Schema>, job: Job, now: Millis) {
    const found = await nextMessages(this.engine, trx, job, COUNT_BATCH);
    const last = found.length < COUNT_BATCH ? undefined : found.at(-1);
    await write(trx, job, {
      total: job.total + found.length,
      ...(last
        ? { afterAt: last.createdAt, afterId: last.id }
        : { state: 'running', afterAt: 0, afterId: 0 }),
      updatedAt: now,
    });
    return { hasMore: true, woken: new Set<Id>() };
  }

  async #resend(trx: Kysely<Schema>, job: Job, now: Millis) {
    const found = await nextMessages(this.engine, trx, job, RESEND_BATCH);
    const { resent, orphaned } = await resendAll(this.engine, trx, job.applicationId, found, now);
    const hasMore = found.length === RESEND_BATCH;
    const last = found.at(-1);
    const done = job.done + resent.length;
    const lost = job.orphaned + orphaned.length;
    const changed = job.changed + found.length - resent.length - orphaned.length;
    // Messages that were counted but not found have changed in the meantime.
    const gone = hasMore ? 0 : Math.max(0, job.total - done - lost - changed);
    await write(trx, job, {
      done,
      orphaned: lost,
      changed: changed + gone,
      total: Math.max(job.total, done + lost + changed),
      ...(last && { afterAt: last.createdAt, afterId: last.id }),
      ...(!hasMore && { state: 'done', finishedAt: now }),
      updatedAt: now,
    });
    return { hasMore, woken: new Set(resent.map(({ integrationId }) => integrationId)) };
  }
}

async function write(
  trx: Kysely<Schema>,
  { applicationId, id }: JobKey,
  change: Partial<Job>,
): Promise<void> {
  await trx
    .updateTable('jobs')
    .set(change)
    .where((eb) => eb.and({ applicationId, id }))
    .execute();
}

const ofApplication = (db: Kysely<Schema>, applicationId: Id) =>
  db.selectFrom('messages').where('applicationId', '=', applicationId);

/** The next messages of the job, oldest first, so that they are sent in their original order. */
async function nextMessages(
  engine: Engine,
  trx: Kysely<Schema>,
  job: Job,
  limit: number,
): Promise<FoundMessage[]> {
  const { applicationId, wanted, afterAt, afterId } = job;
  const filter = JSON.parse(wanted) as MessageFilter;
  const found: FoundMessage[] = [];
  for (const part of partsOf(engine, filter, RESENDABLE)) {
    const all = ofApplication(trx, applicationId)
      .select(['id', 'integrationId', 'recipient', 'settledAt', 'route', 'createdAt'])
      .where(sql<boolean>`(created_at, id) > (${afterAt}, ${afterId})`);
    const matched = await matching(engine, all, filter, part)
      .orderBy('createdAt')
      .orderBy('id')
      .limit(limit)
      .execute();
    found.push(...matched);
  }
  return found.toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id).slice(0, limit);
}
