import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import { MINUTE_STATS_TTL_MS } from '../model/statistics.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Purge } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { StatsCollector } from './stats-collector.ts';

const INTERVAL_MS = 1_000;
/** Expired rows count as gone before they are deleted. */
const TIDY_INTERVAL_MS = 10_000;
const MAX_BATCH = 1_000;
/** Messages removed or canceled at once. Smaller, because each touches half a dozen indexes. */
const MAX_MESSAGES_BATCH = 200;
/** Messages expired at once. Smaller, because each may touch its own lane. */
const MAX_EXPIRED_BATCH = 200;
const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * How long a purge keeps looking for messages after the deletion: another node accepts some until it notices the
 * deletion.
 */
const PURGE_GRACE_MS = 60_000;

/** How long the phones of the sandbox keep messages and files. */
const SANDBOX_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** How long a replaced webhook secret still signs. */
const SECRETS_OVERLAP_MS = 24 * 60 * 60 * 1000;
/** The interval between two searches for rows past their retention. */
const RETENTION_INTERVAL_MS = 60 * 60 * 1000;

export interface SweeperOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Retention of settled messages, unless their application has its own. */
  retention: Millis;
  /** Idle timeout of console sessions. */
  sessionIdle: Millis;
  /** Retention of hourly statistics. */
  statisticsRetention: Millis;
  /** Retention of the audit log. */
  auditRetention: Millis;
  stats: Pick<StatsCollector, 'count'>;
  /** Called for integrations whose lanes may continue. */
  wake(integrationId: Id): void;
  /** Applies delivery reports that are still pending. */
  receipts: { apply(): Promise<void> };
  /** Erases people; returns whether there is more to do at once. */
  erasures: { run(now: Millis): Promise<boolean> };
}

/** Deletes expired data in the background, in batches small enough not to delay other work. */
export class Sweeper {
  readonly #options: SweeperOptions;
  /** When the next search for old messages starts, and when the current one started. */
  #retainAt: Millis = 0;
  #retaining: Millis | undefined;
  #forgetAt: Millis = 0;
  #tidyAt: Millis = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule(INTERVAL_MS);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }

  /** Runs one round; returns whether there is more to do at once. */
  async sweep(): Promise<boolean> {
    const { clock, receipts, store, wake, stats, erasures } = this.#options;
    const now = clock.now();
    await receipts.apply();
    const expired = await store.lanes.expire(now, MAX_EXPIRED_BATCH);
    for (const message of expired) {
      wake(message.integrationId);
      stats.count(message, 'expired');
    }
    let hasMore = expired.length === MAX_EXPIRED_BATCH;
    if (await this.#tidy(now)) hasMore = true;
    if (await this.#removeOld(now)) hasMore = true;
    if (await this.#removeOldRecords(now)) hasMore = true;
    if (await erasures.run(now)) hasMore = true;
    for (const purge of await store.purges.list()) {
      if (await this.#purge(purge, now)) hasMore = true;
    }
    return hasMore;
  }

  /** Deletes expired rows; returns whether there may be more. */
  async #tidy(now: Millis): Promise<boolean> {
    if (now < this.#tidyAt) return false;
    const { store, sessionIdle } = this.#options;
    await store.keys.deleteExpired(now);
    await store.users.deleteExpiredLinks(now);
    await store.tickets.forgetSpent(now);
    await store.changes.prune();
    await store.invitations.deleteExpired(now);
    await store.sessions.endIdle(now - sessionIdle);
    await store.endpoints.forgetSecrets(now - SECRETS_OVERLAP_MS, now);
    const deletedKeys = await store.idempotency.deleteOlder(
      now - IDEMPOTENCY_LIFETIME_MS,
      MAX_BATCH,
    );
    if (deletedKeys === MAX_BATCH) return true;
    this.#tidyAt = now + TIDY_INTERVAL_MS;
    return false;
  }

  /** Removes a batch of messages, events and the like past their retention; returns whether there may be more. */
  async #removeOld(now: Millis): Promise<boolean> {
    if (now < this.#retainAt) return false;
    const { store, retention } = this.#options;
    if (this.#retaining === undefined) await store.retention.prepare(now, retention);
    this.#retaining ??= now;
    if (await store.retention.removeOld(now, retention, MAX_MESSAGES_BATCH)) return true;
    this.#retainAt = this.#retaining + RETENTION_INTERVAL_MS;
    this.#retaining = undefined;
    return false;
  }

  /** Like `#removeOld`, for records whose retention applications cannot set, such as statistics and the audit log. */
  async #removeOldRecords(now: Millis): Promise<boolean> {
    if (now < this.#forgetAt) return false;
    const { retention, store, statisticsRetention, auditRetention } = this.#options;
    const before = now - retention;
    const inboundEvents = await store.inboundEvents.forget(before, MAX_BATCH);
    const reports = await store.receipts.forget(before, MAX_BATCH);
    const hasMoreInSandbox = await store.sandboxFiles.forget(now - SANDBOX_RETENTION_MS, MAX_BATCH);
    const totalsBefore = now - statisticsRetention;
    const costs = await store.costs.forgetTotals(totalsBefore, MAX_BATCH);
    const counts = await this.#forgetCounts(now);
    const hasMoreImports = await store.contactImports.removeAbandoned(now);
    const erasures = await store.erasures.forget(before, MAX_BATCH);
    const auditEntries = await store.audit.removeOlder(now - auditRetention, MAX_BATCH);
    const hasMore =
      hasMoreInSandbox ||
      hasMoreImports ||
      [inboundEvents, reports, costs, counts, erasures, auditEntries].includes(MAX_BATCH);
    if (!hasMore) this.#forgetAt = now + RETENTION_INTERVAL_MS;
    return hasMore;
  }

  async #forgetCounts(now: Millis): Promise<number> {
    const { store, statisticsRetention } = this.#options;
    const { statistics } = store;
    const minutes = await statistics.removeOlder('minute', now - MINUTE_STATS_TTL_MS, MAX_BATCH);
    const hours = await statistics.removeOlder('hour', now - statisticsRetention, MAX_BATCH);
    return Math.max(minutes, hours);
  }

  async #purge(purge: Purge, now: number): Promise<boolean> {
    const { purges } = this.#options.store;
    const messages =
      purge.kind === 'application'
        ? await this.#purgeApplication(purge.applicationId)
        : await this.#cancelAll(purge, now);
    const chats = await purges.removeChats(purge, MAX_BATCH);
    const lanes = messages === MAX_BATCH ? MAX_BATCH : await purges.removeLanes(purge, MAX_BATCH);
    const reports = await purges.removeReports(purge, MAX_BATCH);
    const consents = await purges.removeConsents(purge, MAX_BATCH);
    const people = await purges.purgePeople(purge, MAX_BATCH);
    const cleared = Math.max(chats, lanes, reports, consents, people);
    if (cleared < MAX_BATCH && purge.createdAt + PURGE_GRACE_MS < now) await purges.finish(purge);
    return cleared === MAX_BATCH;
  }

  async #cancelAll(purge: Purge, now: number): Promise<number> {
    const { store, stats } = this.#options;
    const { purges } = store;
    const scheduled = await purges.cancelScheduled(purge, MAX_MESSAGES_BATCH, now);
    const queued = await purges.cancelMessages(purge, MAX_MESSAGES_BATCH, now);
    const count = scheduled + queued;
    const { applicationId, resourceId: integrationId } = purge;
    if (count > 0) stats.count({ applicationId, integrationId }, 'canceled', count);
    return Math.max(scheduled, queued) === MAX_MESSAGES_BATCH ? MAX_BATCH : count;
  }

  async #purgeApplication(applicationId: Id): Promise<number> {
    const { purges, events, statistics } = this.#options.store;
    const messages = await purges.deleteMessages(applicationId, MAX_MESSAGES_BATCH);
    if (messages === MAX_MESSAGES_BATCH) return MAX_BATCH;
    const removedEvents = await events.removeAll(applicationId, MAX_BATCH);
    return removedEvents === MAX_BATCH
      ? removedEvents
      : statistics.removeAll(applicationId, MAX_BATCH);
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.sweep().then(
        (hasMore) => this.#reschedule(hasMore ? 0 : INTERVAL_MS),
        (error: unknown) => {
          this.#options.log.warn({ err: error }, 'deleting expired data failed, retrying');
          this.#reschedule(INTERVAL_MS);
        },
      );
    }, delay).unref();
  }

  #reschedule(delay: number): void {
    if (this.#timer !== undefined) this.#schedule(delay);
  }
}
