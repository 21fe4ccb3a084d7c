import { randomBytes } from 'node:crypto';

import type { Clock } from '../lib/runtime/clock.ts';
import { storable } from '../lib/text/storable.ts';
import type { SandboxPlace } from '../store/sandbox/sandbox-messages.ts';
import type { SandboxMessage, SandboxReport } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { type Phone, type PhoneFile, type PolledReceipt, edited } from './phone.ts';
import type { ReportSignals } from './report-signals.ts';
import type { WaitingReport } from './session.ts';
import type { PhoneEntry, ShownContent, ShownEntry } from './shown.ts';

const MAX_ACTIONS = 100;

/** The phones of an integration, in the store. */
export class StoredPhone implements Phone {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #place: SandboxPlace;
  readonly #reportSignals: ReportSignals;
  /** The last message that `show` added. */
  lastShown: PhoneEntry | undefined;

  constructor(store: Store, clock: Clock, place: SandboxPlace, reportSignals: ReportSignals) {
    this.#store = store;
    this.#clock = clock;
    this.#place = place;
    this.#reportSignals = reportSignals;
  }

  now(): number {
    return this.#clock.now();
  }

  nextNumber(): Promise<number> {
    return this.#store.sandboxMessages.nextId();
  }

  async show(
    person: string,
    content: ShownContent,
    vendorId: (number: number) => string,
  ): Promise<PhoneEntry> {
    const number = await this.nextNumber();
    this.lastShown = await this.add({
      number,
      person,
      author: 'application',
      vendorId: vendorId(number),
      entry: { kind: 'message', ...content },
    });
    return this.lastShown;
  }

  async add(entry: Omit<PhoneEntry, 'createdAt'>): Promise<PhoneEntry> {
    const createdAt = this.#clock.now();
    await this.#store.sandboxMessages.insert({
      ...this.#place,
      id: entry.number,
      person: storable(entry.person),
      author: entry.author,
      vendorId: storable(entry.vendorId),
      createdAt,
      updatedAt: createdAt,
      body: storable(JSON.stringify(entry.entry)),
    });
    return { ...entry, createdAt };
  }

  async get(number: number): Promise<PhoneEntry | undefined> {
    const row = await this.#store.sandboxMessages.get(this.#place, number);
    return row && entryOf(row);
  }

  async find(vendorId: string): Promise<PhoneEntry | undefined> {
    const row = await this.#store.sandboxMessages.findByVendorId(this.#place, storable(vendorId));
    const found = row && entryOf(row);
    return found?.entry.deleted ? undefined : found;
  }

  edit({ number, entry }: PhoneEntry, content: ShownContent): Promise<void> {
    return this.change(number, edited(entry, content));
  }

  remove({ number, entry }: PhoneEntry): Promise<void> {
    return this.change(number, { kind: entry.kind, deleted: true });
  }

  change(number: number, entry: ShownEntry): Promise<void> {
    const { sandboxMessages } = this.#store;
    const body = storable(JSON.stringify(entry));
    return sandboxMessages.update(this.#place, number, body, this.#clock.now());
  }

  async actionsAfter(number: number): Promise<PhoneEntry[]> {
    const rows = await this.#store.sandboxMessages.byPeopleAfter(this.#place, number, MAX_ACTIONS);
    return rows.map(entryOf);
  }

  async receiptsAfter(number: number): Promise<PolledReceipt[]> {
    const receipts: PolledReceipt[] = [];
    for (const row of await this.#reports()) {
      if (row.id <= number) {
        await this.#store.sandboxReports.remove(this.#place, row.id);
        continue;
      }
      const { entry, state } = JSON.parse(row.body) as WaitingReport;
      const message = await this.get(entry);
      if (message && state) receipts.push({ number: row.id, message, state });
    }
    return receipts;
  }

  #reports(): Promise<SandboxReport[]> {
    return this.#store.sandboxReports.forSession(this.#place, MAX_ACTIONS);
  }

  lastAction(person: string): Promise<number | undefined> {
    return this.#store.sandboxMessages.lastAction(this.#place, storable(person));
  }

  sentSinceAction(person: string): Promise<number | undefined> {
    return this.#store.sandboxMessages.sentSinceAction(this.#place, storable(person));
  }

  async awaitAction(number: number, milliseconds: number): Promise<void> {
    const end = this.#clock.now() + milliseconds;
    let next = Promise.withResolvers<void>();
    const unwatch = this.#reportSignals.watch(this.#place.integrationId, () => next.resolve());
    const cancel = this.#clock.after(milliseconds, () => next.resolve());
    try {
      while (this.#clock.now() < end && !this.#reportSignals.isClosed) {
        next = Promise.withResolvers();
        if (await this.#hasActionAfter(number)) return;
        await next.promise;
      }
    } finally {
      unwatch();
      cancel();
    }
  }

  async #hasActionAfter(number: number): Promise<boolean> {
    const [first] = await this.#store.sandboxMessages.byPeopleAfter(this.#place, number, 1);
    return first !== undefined || (await this.#reports()).some(({ id }) => id > number);
  }

  putFile({ id, name, mediaType, bytes }: PhoneFile): Promise<void> {
    return this.#store.sandboxFiles.put({
      ...this.#place,
      id: storable(id),
      name: storable(name),
      mediaType: storable(mediaType),
      size: bytes.length,
      createdAt: this.#clock.now(),
      bytes,
    });
  }

  async file(id: string): Promise<PhoneFile | undefined> {
    const file = await this.#store.sandboxFiles.get(this.#place, storable(id));
    if (!file) return undefined;
    const { name, mediaType, bytes } = file;
    return { id, name, mediaType, bytes: Buffer.from(bytes) };
  }

  newId(): string {
    return randomBytes(8).toString('hex');
  }
}

export function entryOf(row: SandboxMessage): PhoneEntry {
  const { id: number, person, author, vendorId, createdAt, body } = row;
  return { number, person, author, vendorId, createdAt, entry: JSON.parse(body) as ShownEntry };
}
