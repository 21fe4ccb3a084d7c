import type { Socket } from 'node:net';

import type { Actor, Receipt, Refusal } from './person.ts';
import type { Phone } from './phone.ts';
import type { EntryKind, PhoneEntry } from './shown.ts';

/* Vendors that are reached over a connection of their own protocol instead of HTTP. */

/** An action of a person or the receipt of a message, to report in a session. */
export type SessionReport = Actor & {
  /** Grows with each report. */
  number: number;
  /** What the person did; for a receipt, the message that it is about. */
  entry: PhoneEntry;
  /** The message that it answers, if any. */
  message?: PhoneEntry;
} & ({ kind: EntryKind } | { kind: 'receipt'; state: Receipt['state'] });

/** A report that waits for a session or a poll, as stored. */
export type WaitingReport = Actor & {
  kind: SessionReport['kind'];
  /** The number of what the person did, or of the message that a receipt is about. */
  entry: number;
  message?: number;
  state?: Receipt['state'];
};

/** Why the vendor refused a message. `lost`: the connection ends without an answer. */
export type SessionRefusal = Refusal | 'server_error' | 'unavailable' | 'lost';

export interface SessionAnswer {
  refusal?: SessionRefusal;
  /** For `limited`: how long the limit lasts. */
  seconds: number;
}

/** A connection of a channel to its simulated vendor. */
export interface Session {
  phone: Phone;
  /** Whether a login succeeds at present; the server checks the credentials itself. */
  admits(): Promise<boolean>;
  /**
   * Refuses all logins for some seconds, for protocols that can refuse credentials only at login. A period rather than
   * one login, because several may be under way.
   */
  refuseLogins(): void;
  /** Takes a message to a person or room, unless a fault prevents it. `show` puts it on the phone. */
  take(to: string, show: () => Promise<PhoneEntry>): Promise<SessionAnswer>;
  /**
   * Reports what people do and the receipts of messages, one at a time and in order. A report whose promise rejects is
   * repeated later, possibly in another session.
   */
  follow(report: (report: SessionReport) => Promise<void> | void): void;
}

/** The server side of the protocol. */
export interface SessionServer {
  /** The actions of people that it reports. */
  reports: readonly EntryKind[];
  /** The states that it reports of a message, if any. */
  receipts?: readonly Receipt['state'][];
  serve(socket: Socket, session: Session, dialed: { host: string; port: number }): void;
}
