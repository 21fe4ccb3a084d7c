import type { PhoneEntry } from './shown.ts';

/** A simulated person, or a room with several. */
export interface Person {
  address: string;
  name: string;
  isRoom?: true;
  /** The vendor's id of the person, where the address is that of their conversation. */
  userId?: string;
  /** The address is no recipient: messages reach the person in rooms only. */
  isOnlyInRooms?: true;
}

/** How a vendor refuses a message. `limited` lasts for some seconds. */
export type Refusal = 'blocked' | 'unknown' | 'limited' | 'credentials';

/** Who acts, and in which room, if it is one. */
export interface Actor {
  person: Person;
  room?: Person;
}

/** What the vendor reports of a message. */
export interface Receipt {
  message: PhoneEntry;
  state: 'delivered' | 'read' | 'failed';
}
