import type { Clock } from './clock.ts';

interface Entry {
  value: string;
  until: number;
}

/** Short-lived values by name, in memory; when full, the oldest is evicted. */
export class ExpiringValues {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Pick<Clock, 'now'>;
  readonly #maxEntries: number;

  constructor(clock: Pick<Clock, 'now'>, maxEntries: number) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
  }

  /** Replaces the value of that name. */
  write(name: string, value: string, milliseconds: number): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, until: this.#clock.now() + milliseconds });
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > this.#maxEntries) this.#entries.delete(oldest);
  }

  /** Undefined if missing or expired. */
  read(name: string): string | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    if (entry.until > this.#clock.now()) return entry.value;
    this.#entries.delete(name);
    return undefined;
  }

  erase(name: string): void {
    this.#entries.delete(name);
  }
}

/** Values per owner; when full, the least recently used owner is evicted. */
export class ExpiringValuesByOwner<Owner> {
  readonly #values = new Map<Owner, ExpiringValues>();
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: { owners: number; each: number };

  constructor(clock: Pick<Clock, 'now'>, limits: { owners: number; each: number }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  of(owner: Owner): ExpiringValues {
    const values = this.#values.get(owner) ?? new ExpiringValues(this.#clock, this.#limits.each);
    this.#values.delete(owner);
    this.#values.set(owner, values);
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size > this.#limits.owners)
      this.#values.delete(oldest);
    return values;
  }
}
