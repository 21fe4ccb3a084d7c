import type { Socket } from 'node:net';

import type { Clock } from '../lib/clock.ts';
import type { Fetch } from '../lib/fetch.ts';
import type { Activity } from '../model/activity.ts';
import type { CredentialName, Credentials } from '../model/integration.ts';

/** One of the seven strings, and what it means to a channel. */
export interface CredentialField {
  name: CredentialName;
  label: string;
  /** Answers "where do I find this?". */
  help: string;
  /** Whether it must be masked wherever a person may look. */
  secret: boolean;
}

/** A limit that the vendor sets, with the page that says so. */
export interface Limit {
  what: string;
  link: string;
}

/** One part of a message, to be sent. Most messages have one part. */
export interface Outgoing {
  /** The same at every try of this part, and of no other: a key against duplicates. */
  key: string;
  recipient: string;
  /** The text of this part, no longer than the channel takes. */
  text: string;
  activity: Activity;
  /** The activity as it was written, byte for byte. */
  json: string;
}

/** A message that the vendor knows by the id that `send` answered. */
export interface Earlier {
  id: string;
  recipient: string;
}

/** What a channel may use. */
export interface Context {
  credentials: Credentials;
  /** The vendor's base address: that of the channel, or what `SWITCHBOARD_<CHANNEL>_URL` says. */
  url: string;
  /** A FetchFault need not be caught: whoever called the channel knows what it means. */
  fetch: Fetch;
  /** A connection to a server that the tenant named, for what is not HTTP. Rejects as `fetch` does. */
  dial(host: string, port: number, options?: { tls?: boolean }): Promise<Socket>;
  /** Aborted when time is up. `fetch` and `dial` heed it by themselves. */
  signal: AbortSignal;
  clock: Clock;
  /**
   * What lasts from one send to the next: made at the first call, the same at every other, and closed
   * when the integration is let go or its credentials change.
   */
  keep<Kept extends Closable>(open: () => Kept): Kept;
}

export interface Closable {
  close(): void | Promise<void>;
}

/** Whose fault it is that a message can never be sent as it is. */
export type Blame = 'credentials' | 'recipient' | 'content' | 'unsupported';

/**
 * What became of a send:
 * - `sent`, with the vendor's own id of the message, where it tells one;
 * - `limited`: not sent, and not before so many seconds have passed, if the vendor says how many;
 * - `transient`: not sent, or perhaps sent, and worth another try;
 * - `permanent`: not sent, and no try will change that.
 * `detail` is what the vendor said, `code` its own name for the error.
 */
export type Outcome =
  | { outcome: 'sent'; id?: string; detail?: string }
  | {
      outcome: 'limited';
      whom: 'integration' | 'recipient';
      seconds?: number;
      detail: string;
      code?: string;
    }
  | { outcome: 'transient'; perhapsSent: boolean; detail: string; code?: string }
  | { outcome: 'permanent'; blame: Blame; detail: string; code?: string };

/** Whom the vendor takes us for; or why it does not. */
export type Check = { outcome: 'known'; as: string } | Exclude<Outcome, { outcome: 'sent' }>;

/** How long a text may be. */
export interface TextLimit {
  most: number;
  /** How long a text is, as the vendor counts. It grows with the text. */
  measure(text: string): number;
  /** Whether each line goes by itself. */
  byLine?: true;
}

/** How fast the vendor lets us send; kept ahead of time. */
export interface Pace {
  /** Over all recipients: so many in so many seconds, and so many of them at once. */
  integration?: { count: number; seconds: number; burst: number };
  /** To one recipient: how many seconds from one message to the next. */
  recipient?(id: string): number;
}

/**
 * A messaging channel. It declares its facts as data, and defines what it can do as functions: what it
 * does not define, it cannot do.
 */
export interface Channel {
  /** What an integration's `name` says: lower case, hyphens. */
  name: string;
  title: string;
  /** Other names that mean this channel. */
  aliases?: readonly string[];
  /** The vendor's page on sending. */
  docs: string;
  credentials: readonly CredentialField[];
  /** Sets of credentials, any one of which is enough to send. */
  needs: readonly (readonly CredentialName[])[];
  recipient: {
    /** What `to.id` is, for a person to read. */
    form: string;
    example: string;
    /** Says what is wrong with an address, or nothing when it can be one. */
    check(id: string): string | undefined;
  };
  limits: readonly Limit[];
  /** The vendor's base address, where it has one for everybody. */
  url?: string;
  text?: TextLimit;
  pace?: Pace;
  /** How many sends may be under way at once; 8 where this is left out. */
  concurrency?: number;
  /** Whether the vendor, or whoever receives it, knows a part by its key: a second try is then no duplicate. */
  knowsRepeats?: true;
  /** Sends one part. It does not wait, retry or split: an answer is a value, and a throw is a bug. */
  send?(message: Outgoing, context: Context): Promise<Outcome>;
  edit?(earlier: Earlier, message: Outgoing, context: Context): Promise<Outcome>;
  remove?(earlier: Earlier, context: Context): Promise<Outcome>;
  /** Asks the vendor who we are, and sends nothing. */
  check?(context: Context): Promise<Check>;
}

/** Which credentials are missing, by the set that lacks the fewest; none when one set is complete. */
export function missingCredentials(
  channel: Pick<Channel, 'needs'>,
  supplied: readonly CredentialName[],
): CredentialName[] {
  const gaps = channel.needs.map((set) => set.filter((name) => !supplied.includes(name)));
  return gaps.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** A check for addresses of a fixed form. */
export function matching(pattern: RegExp, otherwise: string): (id: string) => string | undefined {
  return (id) => (pattern.test(id) ? undefined : otherwise);
}
