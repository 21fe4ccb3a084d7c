import type { Socket } from 'node:net';

import type { Denial } from '../lib/access-grant.ts';
import type { Clock } from '../lib/clock.ts';
import type { Fetch } from '../lib/fetch.ts';
import type { FormatRule } from '../lib/formatting.ts';
import type { Segments } from '../lib/gsm.ts';
import type { Notes } from '../lib/notes.ts';
import type { RichText } from '../lib/rich-text.ts';
import type { CredentialName, Credentials } from '../model/integration.ts';
import type { ButtonForm, CarouselForm } from './button-form.ts';
import type { Inbound } from './inbound.ts';

export type { Button } from '../model/button.ts';
export type { ButtonForm, Card, CarouselForm } from './button-form.ts';

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

/** What is the same for all that is sent of a message. */
export interface Outgoing {
  /** The same at every try of this part, and of no other: a key against duplicates. */
  key: string;
  recipient: string;
  /** The activity as it was written, byte for byte. */
  json: string;
}

/** A text, in the channel's own markup, and as it was before. Never longer than the channel takes. */
export interface TextPart {
  text: string;
  rich: RichText;
}

/** A picture, film, sound or file at an address that anybody can fetch it from. */
export interface MediaPart {
  url: string;
  mediaType?: string;
  name?: string;
  /** A picture that stands for it. */
  preview?: string;
  /** Whether somebody sent it to us: its address expires, so it is uploaded where the vendor takes uploads. */
  isReceived?: true;
  /** Whether the message that this changes has it already: it stays where that can be. */
  isKept?: true;
  /** How many seconds it plays. */
  duration?: number;
  /** Empty when there is none. */
  caption: TextPart;
}

export interface PlacePart {
  latitude: number;
  longitude: number;
  name?: string;
}

/** What is told of a message apart from what it says. */
export interface Addressed {
  recipient: string;
  credentials: Credentials;
  /** For what has a title where the channel has one, such as the subject of a mail. */
  title?: string;
}

/**
 * What goes out for one part of a message. People see it before anything is sent (`dry_run`), so no secret is
 * in it.
 */
export interface Wire {
  /** The vendor's method, where it has several. */
  call?: string;
  body: Readonly<Record<string, unknown>>;
  /** What is downloaded when it is sent, and uploaded to the vendor, which wants the bytes. */
  file?: WireFile;
  /** What is downloaded when it is sent, and goes along in it. */
  enclosed?: readonly Enclosed[];
  /** What the text takes as SMS. */
  segments?: Segments;
}

export interface WireFile {
  url: string;
  mediaType?: string;
  name?: string;
  /** Whether the vendor fetches it, and it is downloaded only to tell its size. */
  isMeasured?: true;
  /** Whether the message that is changed has it already. */
  isKept?: true;
}

/** A file in a letter, and the words that stand in its place where it cannot be had. */
export interface Enclosed extends WireFile {
  otherwise: string;
}

/** A file that was downloaded, and what whoever has it says that it is. */
export interface Downloaded {
  bytes: Uint8Array;
  mediaType: string;
}

/** What a channel cannot take as it is, and why. One table (compose/losses.ts) says what becomes of it. */
export interface Unfit {
  unfit: string;
}

/** How one kind of media is sent. */
export interface MediaForm {
  /** How long a caption may be, as the text is measured; 0 when the vendor has none. */
  caption: number;
  compose(part: MediaPart, to: Addressed): Wire | Unfit;
}

/** How what a message says is written for the vendor. What is not defined here is degraded. */
export interface Forms {
  text(part: TextPart, to: Addressed): Wire;
  image?: MediaForm;
  video?: MediaForm;
  audio?: MediaForm;
  document?: MediaForm;
  place?(part: PlacePart, to: Addressed): Wire | Unfit;
  /** Whether places are shown without their names, which then follow as a text. */
  namelessPlaces?: true;
  buttons?: ButtonForm;
  /** How items of a collection that have buttons are shown side by side. */
  carousel?: CarouselForm;
  /** Where the title of a message goes; it is in `to` when anything is composed. */
  title?: string;
  /** How long a title may be; a longer one stands above the text. */
  titleLimit?: { most: number; measure(title: string): number };
  /** Makes it the answer to a message that the vendor knows by that id. */
  reply?(wire: Wire, id: string): Wire | Unfit;
  /** Puts it into a thread that the vendor knows by that id. */
  thread?(wire: Wire, id: string): Wire | Unfit;
  /** Makes one of all the parts, where they go out at once, as in a letter. */
  together?(wires: readonly Wire[]): Wire;
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
  /**
   * What is at an address that is in the message; or why it cannot be had, which is what became of the send
   * then. Gives up on what has more than so many bytes.
   */
  download(url: string, options: { most: number }): Promise<Downloaded | Failure>;
  /** The same for several, which have no more than so many bytes together: those that come first go first. */
  downloadAll(
    urls: readonly string[],
    options: { most: number },
  ): Promise<(Downloaded | Failure)[]>;
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
  /**
   * Stores credentials that the vendor has replaced, sealed: a refresh token that is good for one use only.
   * What is kept stays, as if these had been the credentials from the beginning.
   */
  renew(changed: Credentials): Promise<void>;
  /** Keeps a secret off the record that is not among the credentials, such as a token in an address. */
  conceal(secret: string): void;
  /** The address of the integration's hook, for a vendor that takes one with each message; concealed. */
  hookUrl?(): Promise<string | undefined>;
  /** What hook and sends of the integration tell each other on this node, for a short while; nothing of it is stored. */
  notes?(): Notes;
  /** The conversations of the integration, for the channel that has no vendor. */
  chat?: Chat;
}

/** Where the web chat keeps what is said. */
export interface Chat {
  /**
   * Says something to a visitor, once for each key; answers its id. Undefined when nobody knows the visitor,
   * unless `mayBegin`: then the conversation begins with it.
   */
  say(
    visitor: string,
    key: string,
    body: Wire['body'],
    mayBegin: boolean,
  ): Promise<string | undefined>;
  /** Puts something else in its place, or nothing. Answers whether it was there. */
  change(visitor: string, id: string, body: Wire['body'] | undefined): Promise<boolean>;
  /** A file that a visitor sent. */
  file(id: string): Promise<{ bytes: Buffer; mediaType: string; name: string } | undefined>;
}

export interface Closable {
  close(): void | Promise<void>;
}

/** Whose fault it is that a message can never be sent as it is. */
export type Blame = 'credentials' | 'recipient' | 'content' | 'unsupported';

/**
 * What became of a send:
 * - `sent`, with the vendor's own id of the message, where it tells one;
 * - `limited`: not sent, and not before so many seconds have passed, if the vendor says how many. What concerns
 *   one message is no limit of what may be sent: the vendor is still at work on what was uploaded for it;
 * - `transient`: not sent, or perhaps sent, and worth another try;
 * - `permanent`: not sent, and no try will change that.
 * `detail` is what the vendor said, `code` its own name for the error.
 */
export type Outcome =
  | { outcome: 'sent'; id?: string; detail?: string }
  | {
      outcome: 'limited';
      whom: 'integration' | 'recipient' | 'message';
      seconds?: number;
      detail: string;
      code?: string;
    }
  | {
      outcome: 'transient';
      perhapsSent: boolean;
      detail: string;
      code?: string;
      /** Set where it is not the channel that fails, but the server of a file of the message. */
      blame?: 'content';
      /** Set where the vendor does not know this attempt by its key, though it knows others. */
      isOnce?: true;
    }
  | { outcome: 'permanent'; blame: Blame; detail: string; code?: string };

/** What became of it when it was not sent. */
export type Failure = Exclude<Outcome, { outcome: 'sent' }>;

/** The same for what failed before the message itself was on its way, such as an upload. */
export function unsent(failure: Failure): Failure {
  return failure.outcome === 'transient' ? { ...failure, perhapsSent: false } : failure;
}

/** Of what changes an earlier message: that it may not, or is not there, says nothing of whom it was sent to. */
export function ofChange(failure: Failure): Failure {
  const isRefused = failure.outcome === 'permanent' && failure.blame !== 'credentials';
  return isRefused ? { ...failure, blame: 'unsupported' } : failure;
}

/** What it means to have no access token: nothing was sent of what it is for. */
export function denied({ isLasting, ...said }: Denial): Failure {
  return isLasting
    ? { outcome: 'permanent', blame: 'credentials', ...said }
    : { outcome: 'transient', perhapsSent: false, ...said };
}

/** Whom the vendor takes us for; or why it does not. */
export type Check = { outcome: 'known'; as: string } | Exclude<Outcome, { outcome: 'sent' }>;

/** How long a text may be, and how it is written. */
export interface TextLimit {
  most: number;
  /** How long a text is, as the vendor counts, once it is written. It grows with the text. */
  measure(text: string): number;
  /** Whether each line goes by itself. */
  byLine?: true;
  /**
   * The text in the vendor's markup. Left out where there is none, and undefined where that recipient sees
   * none: then it goes as plain text.
   */
  write?(rich: RichText, to: Addressed): string | undefined;
  /** Whether looks of it are left out, since they cannot be written around what the text says. */
  clashes?(rich: RichText, to: Addressed): boolean;
  /** What the product formats, or acts on, in plain text and has no escape for. */
  formats?(rich: RichText, to: Addressed): readonly FormatRule[];
  /** What of the layout the vendor shows as such. Elsewhere it is in the text: bullets, bars, spaces. */
  shows?: readonly ('lists' | 'tables' | 'headings')[];
  /** Whether the vendor shows no spaces at the beginning of lines: lists that are no lists lose their levels. */
  dropsIndents?(rich: RichText): boolean;
  /** Whether it goes as SMS to that recipient. */
  isSms?(to: Addressed): boolean;
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
export interface Channel extends Inbound {
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
  /** How what a message says is written; `whole` when the other side reads activities as they are. */
  forms?: Forms | 'whole';
  pace?: Pace;
  /** How many sends may be under way at once; 8 where this is left out. */
  concurrency?: number;
  /**
   * For what must all arrive, however long it takes: how many milliseconds to wait after so many failures. When
   * there is no delay any more, or a refusal is permanent, everything waits until somebody sees to it, and no
   * message fails.
   */
  insists?(failures: number, random: number): number | undefined;
  /** Whether the vendor, or whoever receives it, knows a part by its key: a second try is then no duplicate. */
  knowsRepeats?: true;
  /** Whether who receives it is the customer's own, and so is told which trace a request belongs to. */
  isToldTraces?: true;
  /** Sends one part. It does not wait, retry or split: an answer is a value, and a throw is a bug. */
  send?(wire: Wire, message: Outgoing, context: Context): Promise<Outcome>;
  /** Puts this in the place of an earlier part. */
  edit?(earlier: Earlier, wire: Wire, context: Context): Promise<Outcome>;
  remove?(earlier: Earlier, context: Context): Promise<Outcome>;
  /** Where people write, for the channel that has no vendor: a page of ours. */
  page?: string;
  /** Whether `check` asks over the session that listens, since a second one would be in its way. */
  checksSession?: true;
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

/** Media as the file of a wire. */
export function fileOf({ url, name, mediaType, isKept }: MediaPart): WireFile {
  return {
    url,
    ...(name !== undefined && { name }),
    ...(mediaType !== undefined && { mediaType }),
    ...(isKept && { isKept }),
  };
}

/** What stands for a file that cannot be shown. */
export function linkTo({ url, name }: Pick<MediaPart, 'url' | 'name'>): string {
  return name === undefined ? url : `${name}: ${url}`;
}

/** A check for addresses of a fixed form. */
export function matching(pattern: RegExp, otherwise: string): (id: string) => string | undefined {
  return (id) => (pattern.test(id) ? undefined : otherwise);
}
