import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { MessageState } from '../model/message.ts';
import {
  COUNTED,
  type CountedState,
  type Counts,
  STEPS,
  type Statistic,
  type Step,
  addCounts,
  latencyOf,
  noCounts,
} from '../model/statistics.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';

const FLUSH_INTERVAL_MS = 1_000;
/** The pause after a flush, as a multiple of the time it took: flushing uses at most a tenth of the store's time. */
const REST_FACTOR = 9;
const MAX_CACHED_NAMES = 10_000;
/** Rows kept for the next flush while the store is unavailable. */
const MAX_PENDING = 20_000;

/** The application and integration that an event is counted for. */
export interface Place {
  applicationId: Id;
  integrationId: Id;
}

interface Entry {
  applicationId: Id;
  counts: Counts;
  lastSentAt: Millis;
}

/**
 * Counts message events in memory and adds them to the store once a second, so accepting and sending pay almost
 * nothing. A killed process loses the counts of its last second; message states do not depend on them.
 */
export class StatsCollector {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  #minute = 0;
  #entries = new Map<Id, Entry>();
  /** Rows to add, by key. */
  #pending = new Map<string, Statistic>();
  /** Channel names of live integrations by id. Sandbox integrations are not cached, because they may go live. */
  readonly #channels = new Map<Id, string>();
  #cancel: (() => void) | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  count(place: Place, what: CountedState, times = 1): void {
    this.#entryOf(place).counts[what] += times;
  }

  /** Counts a delivery result; `took` is the time since the message was accepted, or due if it was scheduled. */
  settled(place: Place, state: MessageState, took: Millis): void {
    const what = COUNTED.find((counted) => counted === state);
    if (what === undefined) return;
    const entry = this.#entryOf(place);
    entry.counts[what]++;
    if (state !== 'sent') return;
    entry.counts[latencyOf(took)]++;
    entry.lastSentAt = this.#clock.now();
  }

  start(): void {
    this.#schedule(FLUSH_INTERVAL_MS);
  }

  /** Flushes the last counts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
    await this.flush();
  }

  /** Never rejects: rows that could not be added wait for the next flush. */
  async flush(): Promise<void> {
    this.#close();
    if (this.#pending.size === 0) return;
    const rows = [...this.#pending.values()];
    this.#pending = new Map();
    try {
      await this.#nameChannels(rows);
      const { left, fault } = await this.#store.statistics.add(rows);
      if (left.length > 0) this.#keep(left, fault);
    } catch (error) {
      this.#keep(rows, error);
    }
  }

  #keep(rows: readonly Statistic[], fault: unknown): void {
    this.#log.warn({ err: fault }, 'adding statistics failed, retrying');
    for (const row of rows) if (this.#pending.size < MAX_PENDING) this.#put(row);
  }

  #entryOf({ applicationId, integrationId }: Place): Entry {
    const minute = Math.floor(this.#clock.now() / STEPS.minute);
    if (minute !== this.#minute) {
      this.#close();
      this.#minute = minute;
    }
    let entry = this.#entries.get(integrationId);
    if (!entry) {
      entry = { applicationId, counts: noCounts(), lastSentAt: 0 };
      this.#entries.set(integrationId, entry);
    }
    return entry;
  }

  /** Turns the counts of the current minute into rows. */
  #close(): void {
    const minute = this.#minute * STEPS.minute;
    for (const [integrationId, { applicationId, counts, lastSentAt }] of this.#entries) {
      for (const step of Object.keys(STEPS) as Step[]) {
        const at = minute - (minute % STEPS[step]);
        const channel = this.#channels.get(integrationId) ?? '';
        const row = { applicationId, step, at, integrationId, channel, lastSentAt, ...counts };
        this.#put({ ...row, sandbox: 0 });
      }
    }
    this.#entries = new Map();
  }

  #put(row: Statistic): void {
    const key = `${row.integrationId} ${row.step} ${row.at} ${row.channel} ${row.sandbox}`;
    const known = this.#pending.get(key);
    if (!known) {
      this.#pending.set(key, { ...row });
      return;
    }
    addCounts(known, row);
    known.lastSentAt = Math.max(known.lastSentAt, row.lastSentAt);
  }

  async #nameChannels(rows: readonly Statistic[]): Promise<void> {
    const unknown = new Set(
      rows.filter(({ channel }) => channel === '').map(({ integrationId }) => integrationId),
    );
    if (unknown.size === 0) return;
    if (this.#channels.size > MAX_CACHED_NAMES) this.#channels.clear();
    const found = await this.#store.integrations.namesOf([...unknown]);
    for (const [id, { name, mode }] of found) if (mode === 'live') this.#channels.set(id, name);
    for (const row of rows) {
      if (row.channel !== '') continue;
      const { name = 'unknown', mode = 'live' } = found.get(row.integrationId) ?? {};
      row.channel = name;
      row.sandbox = mode === 'sandbox' ? 1 : 0;
    }
  }

  #schedule(delay: Millis): void {
    this.#cancel = this.#clock.after(delay, () => {
      const began = this.#clock.elapsed();
      this.#running = this.flush().then(() => {
        if (this.#isStopped) return;
        this.#schedule(Math.max(FLUSH_INTERVAL_MS, (this.#clock.elapsed() - began) * REST_FACTOR));
      });
    });
  }
}
