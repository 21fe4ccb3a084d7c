import type { ActivityObject } from '../model/activity.ts';
import type { IgnoredReason } from '../model/ignored.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Check, Context, Failure } from './channel.ts';

/*
 * The way back: what people write on a channel, and what became of what was sent. A channel says whether a
 * call is the vendor's, and reads what it brings; it stores nothing and answers nobody.
 */

/** A call of the vendor's at the hook of an integration, as it came. */
export interface HookCall {
  method: string;
  /** The whole address as the vendor was given it, with whatever follows: some sign it. */
  url: string;
  /** What follows the hook's own address in the path: nothing, or something that begins with a slash. */
  path: string;
  query: URLSearchParams;
  /** The header of that name, in whatever case. */
  header(name: string): string | undefined;
  /** Byte for byte. */
  body: Buffer;
}

/** What a vendor is told: 200 and nothing, where it is left out. */
export interface HookAnswer {
  status?: number;
  text?: string;
  /** The content type of the text; plain text where it is left out. */
  type?: string;
}

/** What a hook may use. What is kept here is apart from what `send` keeps. */
export type HookContext = Pick<
  Context,
  'credentials' | 'url' | 'fetch' | 'signal' | 'clock' | 'keep' | 'notes'
>;

/** How a vendor calls us. */
export interface Hook {
  /** Sets of credentials, any one of which tells a genuine call; without one, every call is refused. */
  needs: readonly (readonly (keyof Context['credentials'])[])[];
  /** Where the address goes when it cannot be registered: words for a person at the vendor's site. */
  setup: string;
  /**
   * Says why the call is not the vendor's, or nothing when it is: over the bytes as they came, in constant
   * time. Handshakes are calls like any other. A FetchFault need not be caught: the vendor then tries again.
   */
  verify(call: HookCall, context: HookContext): string | undefined | Promise<string | undefined>;
  /**
   * What a genuine call brings; undefined when it cannot be read. Never an empty list: what becomes no event is `ignored`
   * with a reason, and a handshake or a report of what is known already is `nothing`.
   */
  parse(call: HookCall, context: HookContext): readonly Arrival[] | undefined;
  /** What a genuine call is answered, its challenge for one. */
  answer?(call: HookCall, context: HookContext): HookAnswer;
  /**
   * Tells the vendor the address. A secret that the vendor is to use, and nobody has set, is made up and
   * stored with `context.renew`.
   */
  register?(url: string, context: Context): Promise<Check>;
}

/** What hearing needs besides what sending does. */
export interface ListenContext extends Context {
  /** Where it was left: what `arrive` was last given. */
  cursor: string | undefined;
  /** Resolves when they are stored for good, with the cursor. In order; what comes twice is one. */
  arrive(arrivals: readonly Arrival[], cursor?: string): Promise<void>;
}

/** Where a file is that somebody sent, and what to say to get it; or the file itself. */
export type Found =
  | { url: string; headers?: Readonly<Record<string, string>> }
  | { bytes: Buffer; mediaType?: string; name?: string };

/** What a channel defines of the way back; all of it is part of Channel. */
export interface Inbound {
  hook?: Hook;
  /**
   * Hears what is written, through a session that lasts, until the signal says to end. The one node that
   * sends for the integration calls it, and calls it again, after a while, when it has ended.
   */
  listen?(context: ListenContext): Promise<Failure | undefined>;
  /** Where the file is that an arrival referred to. */
  media?(reference: string, context: Context): Promise<Found | Failure>;
  /** What the vendor reports of messages that were sent. */
  receipts?: readonly ReceiptState[];
}

export type ReceiptState = 'delivered' | 'read' | 'failed';

export interface Party {
  id: string;
  name?: string;
  /**
   * All other addresses of the same person, where the vendor has several: they are called by the one under which they were
   * first heard. Empty where there is one now and there may be others.
   */
  also?: readonly string[];
}

interface Told {
  /** The vendor's name for this report: what comes again under the same is not told again. */
  key: string;
  /** When it happened, by the vendor's clock. */
  at?: Millis;
}

interface Said extends Told {
  /** Who did it, as the vendor calls them. */
  from: Party;
  /** What `to.id` must be to answer in the same place, where it is neither the group nor `from.id`. */
  answerTo?: string;
  /** The group in which it was done, by what `to.id` must be to write to all of it. */
  group?: Party;
}

/** Something was written, or changed. */
export interface Heard extends Said {
  what: 'message' | 'edit';
  /** The vendor's id of the message, written as `send` answers it, so that it can be replied to. */
  id?: string;
  /** What stands above it, such as the subject of a letter. */
  title?: string;
  text?: string;
  /** What the text is written in; plain text where it is left out. */
  mediaType?: 'text/markdown' | 'text/html';
  media?: readonly HeardMedia[];
  place?: { latitude: number; longitude: number; name?: string };
  /** The button that was pressed. Its name is what was said, where there is no text. */
  button?: { name: string; value?: string };
  /** The message that it answers, and the thread that it is in, by their ids. */
  replyTo?: string;
  thread?: string;
  /** The object itself, where the channel speaks Activity Streams; it is told as it is. */
  object?: ActivityObject;
}

export interface HeardMedia {
  type: 'Image' | 'Video' | 'Audio' | 'Document';
  /** What `media` finds it by. Nobody else sees it. */
  reference: string;
  mediaType?: string;
  name?: string;
  caption?: string;
}

export interface Deletion extends Said {
  what: 'deletion';
  /** Of the message that is gone. */
  id: string;
}

/** Somebody came to a conversation, or left it. In a conversation of two, that is to begin or end it. */
export interface Coming extends Said {
  what: 'join' | 'leave';
}

/** Somebody has other addresses from now on: `from` is how they were called, `to` how they are. */
export interface ContactChange extends Told {
  what: 'contact';
  from: Party;
  to: Party;
}

/** Somebody wants no more messages of that kind, such as marketing, or wants them again. */
export interface Consent extends Told {
  what: 'opt-out' | 'opt-in';
  from: Party;
  category: string;
}

/** What became of a message that was sent, by the id that `send` answered. */
export interface Receipt {
  what: 'receipt';
  id: string;
  state: ReceiptState;
  /** For one that failed: what the vendor says, and its name for it. */
  detail?: string;
  code?: string;
}

/** What became of all that was sent to somebody until then. */
export interface Receipts {
  what: 'receipts';
  recipient: string;
  upTo: Millis;
  state: 'delivered' | 'read';
}

/** A message that was skipped: it could not be read within the bounds, or the vendor does not show what it says. */
export interface Unreadable extends Told {
  what: 'unreadable';
  reason: 'malformed' | 'timeout' | 'memory' | 'crash' | 'interrupted' | 'unsupported';
  /** The sender as the message names it, and its id, where they could be found. */
  sender?: string;
  id?: string;
}

/** A genuine report that becomes no event: counted by its type and reason, and listed for the integration. */
export interface Ignored {
  what: 'ignored';
  /** The vendor's name for what it reported, and nothing of what anybody wrote. */
  type: string;
  reason: IgnoredReason;
}

/** A handshake, or a report of what is known already, such as that a message was sent: nothing is stored. */
export interface Nothing {
  what: 'nothing';
}

export const NOTHING: Nothing = { what: 'nothing' };

/** A list of one, as parsers answer it. */
export function ignored(type: string, reason: IgnoredReason): [Ignored] {
  return [{ what: 'ignored', type, reason }];
}

export type Arrival =
  | Heard
  | Deletion
  | Coming
  | ContactChange
  | Consent
  | Unreadable
  | Receipt
  | Receipts
  | Ignored
  | Nothing;
