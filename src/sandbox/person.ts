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

/** A vendor's reason to refuse a message. `limited` lasts for some seconds. */
export type Refusal = 'blocked' | 'unknown' | 'limited' | 'credentials';

/** The acting person, and the room, if it happens in one. */
export interface Actor {
  person: Person;
  room?: Person;
}

/** What the vendor reports about a message. */
export interface Receipt {
  message: PhoneEntry;
  state: 'delivered' | 'read' | 'failed';
}
