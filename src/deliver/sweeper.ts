import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Purge } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

const EVERY = 1_000;
const BITE = 1_000;
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
/** How often all messages are looked through for those that have been kept for long enough. */
const RETENTION_EVERY = 60 * 60 * 1000;

export interface SweeperOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** How long messages are kept once they are settled, in milliseconds. */
  retention: Millis;
  /** How long a session of the console lasts that nobody uses, in milliseconds. */
  idle: Millis;
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
  readonly #wake: (integrationId: Id) => void;
  readonly #receipts: SweeperOptions['receipts'];
  /** Where looking through all messages goes on, and when it begins anew. */
  #retained: { after: Id; notBefore: Millis } = { after: 0, notBefore: 0 };
  /** Where looking through all feeds goes on, if it has begun, and when it begins anew. */
  #forgotten: { after: Id | undefined; notBefore: Millis } = { after: 0, notBefore: 0 };
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor({ store, clock, log, retention, idle, wake, receipts }: SweeperOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#retention = retention;
    this.#idle = idle;
    this.#wake = wake;
    this.#receipts = receipts;
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
    await this.#store.sessions.endIdle(now - this.#idle);
    const forgotten = await this.#store.idempotency.deleteOlder(now - IDEMPOTENCY_LIFETIME, BITE);
    await this.#receipts.apply();
    await this.#store.endpoints.forgetSecrets(now - SECRETS_OVERLAP, now);
    const expired = await this.#store.lanes.expire(now, EXPIRED_BITE);
    for (const { integrationId } of expired) this.#wake(integrationId);
    let more = forgotten === BITE || expired.length === EXPIRED_BITE;
    if (await this.#retain(now)) more = true;
    if (await this.#forget(now)) more = true;
    for (const purge of await this.#store.purges.list()) {
      if (await this.#purge(purge, now)) more = true;
    }
    return more;
  }

  /** Looks at some more messages; answers whether there are others to look at now. */
  async #retain(now: Millis): Promise<boolean> {
    const { after, notBefore } = this.#retained;
    if (now < notBefore) return false;
    const before = now - this.#retention;
    const next = await this.#store.retention.removeSettled(before, after, BITE);
    this.#retained =
      next === undefined
        ? { after: 0, notBefore: now + RETENTION_EVERY }
        : { after: next, notBefore };
    return next !== undefined;
  }

  /** Removes events and reports that have been kept for long enough; answers whether there are others. */
  async #forget(now: Millis): Promise<boolean> {
    const { after, notBefore } = this.#forgotten;
    if (now < notBefore) return false;
    const before = now - this.#retention;
    const arrivals = await this.#store.arrivals.forget(before, BITE);
    const reports = await this.#store.receipts.forget(before, BITE);
    const next =
      after === undefined ? after : await this.#store.events.removeOlder(before, after, BITE);
    const areChats = await this.#store.chatFiles.forget(before, BITE);
    const isMore = next !== undefined || areChats || arrivals === BITE || reports === BITE;
    this.#forgotten = isMore
      ? { after: next, notBefore }
      : { after: 0, notBefore: now + RETENTION_EVERY };
    return isMore;
  }

  async #purge(purge: Purge, now: number): Promise<boolean> {
    const { purges } = this.#store;
    const messages =
      purge.kind === 'application'
        ? await this.#purgeApplication(purge.applicationId)
        : await purges.cancelMessages(purge, BITE, now);
    const chats = await purges.removeChats(purge, BITE);
    const lanes = messages === BITE ? BITE : await purges.removeLanes(purge, BITE);
    const cleared = Math.max(chats, lanes);
    if (cleared < BITE && purge.createdAt + PURGE_GRACE < now) await purges.finish(purge);
    return cleared === BITE;
  }

  async #purgeApplication(applicationId: Id): Promise<number> {
    const messages = await this.#store.purges.deleteMessages(applicationId, BITE);
    return messages === BITE ? messages : this.#store.events.removeAll(applicationId, BITE);
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
