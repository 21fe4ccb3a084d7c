import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Id } from '../model/id.ts';
import { MINUTES_KEPT } from '../model/statistics.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Purge } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { Tally } from './tally.ts';

const EVERY = 1_000;
const BITE = 1_000;
/** Messages removed or canceled at once: each touches half a dozen indexes. */
const MESSAGES_BITE = 200;
/** Each of them may touch a lane of its own. */
const EXPIRED_BITE = 200;
const IDEMPOTENCY_LIFETIME = 24 * 60 * 60 * 1000;

/**
 * How long after a deletion its purge goes on looking for messages: another node may still accept some
 * for as long as it has not noticed.
 */
const PURGE_GRACE = 60_000;

/** How long a webhook's secret that was replaced still signs. */
const SECRETS_OVERLAP = 24 * 60 * 60 * 1000;
/** How often it is looked for what has been kept for long enough. */
const RETENTION_EVERY = 60 * 60 * 1000;

export interface SweeperOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** How long messages are kept once they are settled, in milliseconds. */
  retention: Millis;
  /** How long a session of the console lasts that nobody uses, in milliseconds. */
  idle: Millis;
  /** How long counts are kept by the hour, in milliseconds. */
  counted: Millis;
  /** How long it is kept who changed what, in milliseconds. */
  audited: Millis;
  tally: Pick<Tally, 'count'>;
  /** Told of integrations whose lanes may go on. */
  wake(integrationId: Id): void;
  /** Sees to reports of channels that nobody has seen to. */
  receipts: { apply(): Promise<void> };
}

/** Clears away in the background what nobody needs any more, in bites that hold nobody up. */
export class Sweeper {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #retention: Millis;
  readonly #idle: Millis;
  readonly #counted: Millis;
  readonly #audited: Millis;
  readonly #tally: Pick<Tally, 'count'>;
  readonly #wake: (integrationId: Id) => void;
  readonly #receipts: SweeperOptions['receipts'];
  /** When it is looked again for what has been kept for long enough, and when the look began that goes on. */
  #retainAt: Millis = 0;
  #retaining: Millis | undefined;
  #forgetAt: Millis = 0;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#retention = options.retention;
    this.#idle = options.idle;
    this.#counted = options.counted;
    this.#audited = options.audited;
    this.#tally = options.tally;
    this.#wake = options.wake;
    this.#receipts = options.receipts;
  }

  start(): void {
    this.#schedule(EVERY);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#underWay;
  }

  /** One round; answers whether there is more of it to be done at once. */
  async sweep(): Promise<boolean> {
    const now = this.#clock.now();
    await this.#store.keys.deleteExpired(now);
    await this.#store.users.deleteExpiredLinks(now);
    await this.#store.tickets.forgetSpent(now);
    await this.#store.invitations.deleteExpired(now);
    await this.#store.sessions.endIdle(now - this.#idle);
    const forgotten = await this.#store.idempotency.deleteOlder(now - IDEMPOTENCY_LIFETIME, BITE);
    await this.#receipts.apply();
    await this.#store.endpoints.forgetSecrets(now - SECRETS_OVERLAP, now);
    const expired = await this.#store.lanes.expire(now, EXPIRED_BITE);
    for (const message of expired) {
      this.#wake(message.integrationId);
      this.#tally.count(message, 'expired');
    }
    let more = forgotten === BITE || expired.length === EXPIRED_BITE;
    if (await this.#retain(now)) more = true;
    if (await this.#forget(now)) more = true;
    for (const purge of await this.#store.purges.list()) {
      if (await this.#purge(purge, now)) more = true;
    }
    return more;
  }

  /** Removes some of the messages and events that have been kept for long enough; answers whether to go on. */
  async #retain(now: Millis): Promise<boolean> {
    if (now < this.#retainAt) return false;
    const { retention } = this.#store;
    if (this.#retaining === undefined) await retention.prepare(now, this.#retention);
    this.#retaining ??= now;
    if (await retention.removeOld(now, this.#retention, MESSAGES_BITE)) return true;
    this.#retainAt = this.#retaining + RETENTION_EVERY;
    this.#retaining = undefined;
    return false;
  }

  /** The same for what came in, reports and chats. */
  async #forget(now: Millis): Promise<boolean> {
    if (now < this.#forgetAt) return false;
    const before = now - this.#retention;
    const arrivals = await this.#store.arrivals.forget(before, BITE);
    const reports = await this.#store.receipts.forget(before, BITE);
    const areChats = await this.#store.chatFiles.forget(before, BITE);
    const counts = await this.#forgetCounts(now);
    const jobs = await this.#store.jobs.removeOlder(before, BITE);
    const audited = await this.#store.audit.removeOlder(now - this.#audited, BITE);
    const isMore = areChats || [arrivals, reports, counts, jobs, audited].includes(BITE);
    if (!isMore) this.#forgetAt = now + RETENTION_EVERY;
    return isMore;
  }

  async #forgetCounts(now: Millis): Promise<number> {
    const { statistics } = this.#store;
    const minutes = await statistics.removeOlder('minute', now - MINUTES_KEPT, BITE);
    const hours = await statistics.removeOlder('hour', now - this.#counted, BITE);
    return Math.max(minutes, hours);
  }

  async #purge(purge: Purge, now: number): Promise<boolean> {
    const { purges } = this.#store;
    const messages =
      purge.kind === 'application'
        ? await this.#purgeApplication(purge.applicationId)
        : await this.#cancelAll(purge, now);
    const chats = await purges.removeChats(purge, BITE);
    const lanes = messages === BITE ? BITE : await purges.removeLanes(purge, BITE);
    const reports = await purges.removeReports(purge, BITE);
    const cleared = Math.max(chats, lanes, reports);
    if (cleared < BITE && purge.createdAt + PURGE_GRACE < now) await purges.finish(purge);
    return cleared === BITE;
  }

  async #cancelAll(purge: Purge, now: number): Promise<number> {
    const count = await this.#store.purges.cancelMessages(purge, MESSAGES_BITE, now);
    const { applicationId, resourceId: integrationId } = purge;
    if (count > 0) this.#tally.count({ applicationId, integrationId }, 'canceled', count);
    return count === MESSAGES_BITE ? BITE : count;
  }

  async #purgeApplication(applicationId: Id): Promise<number> {
    const { purges, events, statistics } = this.#store;
    const messages = await purges.deleteMessages(applicationId, MESSAGES_BITE);
    if (messages === MESSAGES_BITE) return BITE;
    const told = await events.removeAll(applicationId, BITE);
    return told === BITE ? told : statistics.removeAll(applicationId, BITE);
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.sweep().then(
        (more) => this.#again(more ? 0 : EVERY),
        (error: unknown) => {
          this.#log.warn({ err: error }, 'sweeping failed; it is tried again');
          this.#again(EVERY);
        },
      );
    }, delay).unref();
  }

  #again(delay: number): void {
    if (this.#timer !== undefined) this.#schedule(delay);
  }
}
