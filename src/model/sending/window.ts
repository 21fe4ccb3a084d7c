import type { Millis } from '../timestamp.ts';

/** The time in which a vendor accepts free text to a person, counted from the person's last messages. */
export interface StoredWindow {
  /** The last message of the person. */
  inboundAt: Millis;
  openUntil: Millis;
  /** Until when the vendor may still accept it; never earlier than `openUntil`. */
  perhapsUntil: Millis;
}

/** A window that a message opened, by the address of its writer. */
export type OpenWindow = StoredWindow & { address: string };
