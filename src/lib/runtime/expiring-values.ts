import type { Clock } from './clock.ts';

interface Entry {
  value: string;
  until: number;
}

/** Short-lived values by name, in memory; when full, the oldest is evicted. */
export class ExpiringValues {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Pick<Clock, 'now'>;
  readonly #most: number;

  constructor(clock: Pick<Clock, 'now'>, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Replaces the note of that name. */
  write(name: string, value: string, milliseconds: number): void {
    this.#entries.delete(name);
    this.#entries.set(name, { value, until: this.#clock.now() + milliseconds });
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > this.#most) this.#entries.delete(oldest);
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

/** Notes per owner; when full, the least recently used owner is evicted. */
export class ExpiringValuesByOwner<Owner> {
  readonly #notes = new Map<Owner, ExpiringValues>();
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limits: { owners: number; each: number };

  constructor(clock: Pick<Clock, 'now'>, limits: { owners: number; each: number }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  of(owner: Owner): ExpiringValues {
    const notes = this.#notes.get(owner) ?? new ExpiringValues(this.#clock, this.#limits.each);
    this.#notes.delete(owner);
    this.#notes.set(owner, notes);
    const [oldest] = this.#notes.keys();
    if (oldest !== undefined && this.#notes.size > this.#limits.owners) this.#notes.delete(oldest);
    return notes;
  }
}
