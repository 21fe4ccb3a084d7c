import type { Millis } from '../model/timestamp.ts';
import type { Receipt } from './person.ts';
import type { PhoneEntry, ShownContent, ShownEntry } from './shown.ts';

/** A file that a simulator stores and serves. */
export interface PhoneFile {
  id: string;
  name: string;
  mediaType: string;
  bytes: Buffer;
}

/** A delivery report for a vendor that is polled. */
export interface PolledReceipt extends Receipt {
  number: number;
}

/** The state of a simulated vendor: the phones of all recipients of one integration. */
export interface Phone {
  now(): Millis;
  /** A number after those of all entries. */
  nextNumber(): Promise<number>;
  /**
   * Shows a new message of the application to a person or room. `vendorId` makes the vendor's id from a number that
   * grows with each message.
   */
  show(
    person: string,
    content: ShownContent,
    vendorId: (number: number) => string,
  ): Promise<PhoneEntry>;
  /** The newest message with this vendor id, unless it was deleted. */
  find(vendorId: string): Promise<PhoneEntry | undefined>;
  /** Replaces the content of a message. */
  edit(entry: PhoneEntry, content: ShownContent): Promise<void>;
  remove(entry: PhoneEntry): Promise<void>;
  /** What people wrote and did after the entry with this number, for vendors that are polled. */
  actionsAfter(number: number): Promise<PhoneEntry[]>;
  /** The delivery reports after this number, for vendors that are polled. Earlier ones are no longer needed. */
  receiptsAfter(number: number): Promise<PolledReceipt[]>;
  /** When the person last wrote or did something. */
  lastAction(person: string): Promise<Millis | undefined>;
  /** How many messages the person got since then; undefined if they never did anything. */
  sentSinceAction(person: string): Promise<number | undefined>;
  /** For long polls: waits for an action or a delivery report after this number, up to the timeout. */
  awaitAction(number: number, milliseconds: number): Promise<void>;
  putFile(file: PhoneFile): Promise<void>;
  file(id: string): Promise<PhoneFile | undefined>;
  /** A new random id. */
  newId(): string;
}

/** The entry after an edit: its kind, sender and status stay. */
export function edited({ kind, sender, status }: ShownEntry, content: ShownContent): ShownEntry {
  return {
    kind,
    ...(sender !== undefined && { sender }),
    ...(status && { status }),
    ...content,
    edited: true,
  };
}
