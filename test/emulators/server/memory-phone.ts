import { type Phone, type PhoneFile, edited } from '../../../src/sandbox/phone.ts';
import type { PhoneEntry, ShownContent } from '../../../src/sandbox/shown.ts';

const NOW = Date.UTC(2026, 10, 15);

/** Phones in memory, for a simulator outside of a service. */
export class MemoryPhone implements Phone {
  readonly entries: PhoneEntry[] = [];
  readonly #files = new Map<string, PhoneFile>();
  #last: number;
  #ids = 0;

  readonly now: () => number;

  constructor(last = 0, now = () => NOW) {
    this.#last = last;
    this.now = now;
  }

  /** Adds a message that was sent before. */
  put(person: string, vendorId: string, content: ShownContent): void {
    const entry = { kind: 'message', ...content } as const;
    const author = 'application';
    this.entries.push({ number: 0, person, author, vendorId, createdAt: NOW, entry });
  }

  async nextNumber(): Promise<number> {
    return ++this.#last;
  }

  async show(
    person: string,
    content: ShownContent,
    vendorId: (number: number) => string,
  ): Promise<PhoneEntry> {
    const number = ++this.#last;
    const entry = { kind: 'message', ...content } as const;
    const author = 'application';
    const shown: PhoneEntry = {
      number,
      person,
      author,
      vendorId: vendorId(number),
      createdAt: this.now(),
      entry,
    };
    this.entries.push(shown);
    return shown;
  }

  async find(vendorId: string): Promise<PhoneEntry | undefined> {
    return this.entries.findLast(
      (each) => each.vendorId === vendorId && each.entry.deleted !== true,
    );
  }

  async edit(shown: PhoneEntry, content: ShownContent): Promise<void> {
    shown.entry = edited(shown.entry, content);
  }

  async remove(shown: PhoneEntry): Promise<void> {
    shown.entry = { kind: shown.entry.kind, deleted: true };
  }

  async actionsAfter(number: number): Promise<PhoneEntry[]> {
    return this.entries.filter((each) => each.author === 'person' && each.number > number);
  }

  async receiptsAfter(): Promise<[]> {
    return [];
  }

  async lastAction(person: string): Promise<number | undefined> {
    const own = this.entries.filter((each) => each.author === 'person' && each.person === person);
    return own.at(-1)?.createdAt;
  }

  async sentSinceAction(person: string): Promise<number | undefined> {
    const own = this.entries.filter((each) => each.person === person);
    const last = own.findLastIndex((each) => each.author === 'person');
    return last === -1 ? undefined : own.length - last - 1;
  }

  async awaitAction(): Promise<void> {}

  async putFile(file: PhoneFile): Promise<void> {
    this.#files.set(file.id, file);
  }

  async file(id: string): Promise<PhoneFile | undefined> {
    return this.#files.get(id);
  }

  dropFiles(): void {
    this.#files.clear();
  }

  newId(): string {
    return `0000${++this.#ids}`;
  }
}
