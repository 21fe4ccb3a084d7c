import type { Socket } from 'node:net';

import type { Fetch } from '../lib/http/fetch.ts';
import type { FormatRule } from '../lib/rich-text/accidental-formats.ts';
import type { RichText } from '../lib/rich-text/rich-text.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { ExpiringValues } from '../lib/runtime/expiring-values.ts';
import type { Segments } from '../lib/text/gsm.ts';
import type { CredentialName, Credentials } from '../model/integration.ts';
import type { ButtonRenderer, CarouselRenderer } from './button-renderer.ts';
import type { Inbound } from './inbound.ts';
import type { Check, Failure, Outcome } from './outcome.ts';

export type { Button } from '../model/button.ts';
export type { ButtonRenderer, Card, CarouselRenderer } from './button-renderer.ts';
export type { Blame, Check, Failure, Outcome } from './outcome.ts';
export { denied, isFailure, ofChange, unsent } from './outcome.ts';

/** One of the seven credential fields, as a channel uses it. */
export interface CredentialField {
  name: CredentialName;
  label: string;
  /** Where users find the value. */
  help: string;
  /** Whether to mask the value wherever it is displayed. */
  secret: boolean;
}

/** A limit set by the vendor, with the page that documents it. */
export interface Limit {
  what: string;
  link: string;
}

/** The fields shared by all parts of a message. */
export interface OutboundMessage {
  /** Deduplication key: the same at every attempt of this part, and unique to it. */
  key: string;
  recipient: string;
  /** The activity as the application wrote it, byte for byte. */
  json: string;
}

/** A text in the channel's markup, and its source. Never longer than the channel accepts. */
export interface TextPart {
  text: string;
  rich: RichText;
}

/** An image, video, audio or other file at a publicly reachable address. */
export interface MediaPart {
  url: string;
  mediaType?: string;
  name?: string;
  /** Address of a preview image. */
  preview?: string;
  /**
   * Whether the file was received from a channel: its address expires, so it is uploaded to vendors that accept
   * uploads.
   */
  isReceived?: true;
  /** Whether the message being edited already has this file; it stays in place where the channel allows that. */
  isKept?: true;
  /** In seconds. */
  duration?: number;
  /** Empty when there is none. */
  caption: TextPart;
}

export interface PlacePart {
  latitude: number;
  longitude: number;
  name?: string;
}

/** Where a message goes, as opposed to its content. */
export interface Destination {
  recipient: string;
  credentials: Credentials;
  /** Used where the channel has a title, such as the subject of an email. */
  title?: string;
}

/** The vendor request for one part of a message. A dry run (`dry_run`) shows it to users, so it holds no secrets. */
export interface VendorRequest {
  /** The vendor's method, where it has several. */
  call?: string;
  body: Readonly<Record<string, unknown>>;
  /** Downloaded when the part is sent, and uploaded to the vendor, which requires the bytes. */
  file?: RequestFile;
  /** Downloaded when the part is sent, and included in the request. */
  attachments?: readonly Attachment[];
  /** The number of SMS segments of the text. */
  segments?: Segments;
}

export interface RequestFile {
  url: string;
  mediaType?: string;
  name?: string;
  /** Whether the vendor fetches the file itself, so that we download it only to measure its size. */
  isMeasured?: true;
  /** Whether the message being edited already has the file. */
  isKept?: true;
}

/** An email attachment, and the text that replaces it if the download fails. */
export interface Attachment extends RequestFile {
  fallback: string;
}

/** A downloaded file, with the media type declared by its server. */
export interface Downloaded {
  bytes: Uint8Array;
  mediaType: string;
}

/** The maximum size of a downloaded file, or of several together. */
export interface DownloadLimit {
  maxBytes: number;
}

/** Content the channel cannot send as it is, and the reason. compose/degradations.ts defines how it degrades. */
export interface Unsupported {
  unsupported: string;
}

/** How one kind of media is sent. */
export interface MediaRenderer {
  /** Maximum caption length, measured like the text; 0 when the vendor has no captions. */
  maxCaptionLength: number;
  compose(part: MediaPart, to: Destination): VendorRequest | Unsupported;
}

/** Renders content for the vendor. Content without a renderer degrades. */
export interface Renderers {
  text(part: TextPart, to: Destination): VendorRequest;
  image?: MediaRenderer;
  video?: MediaRenderer;
  audio?: MediaRenderer;
  document?: MediaRenderer;
  place?(part: PlacePart, to: Destination): VendorRequest | Unsupported;
  /** Whether the vendor shows locations without their names; the name then follows as text. */
  omitsPlaceNames?: true;
  buttons?: ButtonRenderer;
  /** Shows the items of a collection that have buttons side by side. */
  carousel?: CarouselRenderer;
  /** Where the title of a message goes; `to` has the title when parts are rendered. */
  title?: string;
  /** Maximum title length; a longer title is placed above the text. */
  titleLimit?: TitleLimit;
  /** Makes the part a reply to the message with this vendor id. */
  reply?(request: VendorRequest, id: string): VendorRequest | Unsupported;
  /** Puts the part into the thread with this vendor id. */
  thread?(request: VendorRequest, id: string): VendorRequest | Unsupported;
  /** Merges all parts into one request, for channels that send them together, such as email. */
  merge?(requests: readonly VendorRequest[]): VendorRequest;
}

export interface TitleLimit {
  max: number;
  measure(title: string): number;
}

/** A sent message, by the id that `send` returned. */
export interface SentMessage {
  id: string;
  recipient: string;
}

/** The services available to a channel. */
export interface Context {
  credentials: Credentials;
  /** The vendor's base address: the channel's default, or `SWITCHBOARD_<CHANNEL>_URL`. */
  url: string;
  /** Channels need not catch a FetchFault: their caller classifies it. */
  fetch: Fetch;
  /** Downloads a file of the message, up to `max` bytes. Returns the outcome of the send if that fails. */
  download(url: string, limit: DownloadLimit): Promise<Downloaded | Failure>;
  /** Downloads several files that share a limit of `max` bytes, in order. */
  downloadAll(urls: readonly string[], limit: DownloadLimit): Promise<(Downloaded | Failure)[]>;
  /** Connects to a server that the tenant configured, for protocols other than HTTP. Rejects like `fetch`. */
  dial(host: string, port: number, options?: { tls?: boolean }): Promise<Socket>;
  /** Aborted at the deadline. `fetch` and `dial` observe it themselves. */
  signal: AbortSignal;
  clock: Clock;
  /**
   * State kept between sends: opened by the first call, returned by later ones, and closed when the node releases the
   * integration or its credentials change.
   */
  resource<Kept extends Closable>(open: () => Kept): Kept;
  /**
   * Stores credentials that the vendor replaced, encrypted, such as a single-use refresh token. State from `resource`
   * stays open.
   */
  storeCredentials(changed: Credentials): Promise<void>;
  /** Redacts a secret that is not among the credentials, such as a token in an address. */
  redact(secret: string): void;
  /** The integration's webhook address, for a vendor that takes one with each message; redacted in logs. */
  hookUrl?(): Promise<string | undefined>;
  /** Short-lived state that the webhook and the sends of an integration share on this node; it is never stored. */
  sharedState?(): ExpiringValues;
  /** The conversations of the integration, for the web chat, which has no vendor. */
  chat?: Chat;
}

/** Stores the messages of the web chat. */
export interface Chat {
  /**
   * Posts a message to a visitor, once per key, and returns its id. Returns undefined for an unknown visitor, unless
   * `mayBegin` allows the message to start a conversation.
   */
  post(
    visitor: string,
    key: string,
    body: VendorRequest['body'],
    mayBegin: boolean,
  ): Promise<string | undefined>;
  /** Replaces a message, or deletes it if there is no body. Returns whether the message existed. */
  update(visitor: string, id: string, body: VendorRequest['body'] | undefined): Promise<boolean>;
  /** A file sent by a visitor. */
  file(id: string): Promise<{ bytes: Buffer; mediaType: string; name: string } | undefined>;
}

export interface Closable {
  close(): void | Promise<void>;
}

/** Maximum text length and markup. */
export interface TextLimit {
  max: number;
  /** The length of the rendered text as the vendor counts it. It grows with the text. */
  measure(text: string): number;
  /** Whether each line is a message. */
  byLine?: true;
  /**
   * Renders the text in the vendor's markup. Not defined for channels without markup; undefined for recipients
   * without markup, who get plain text.
   */
  write?(rich: RichText, to: Destination): string | undefined;
  /** Whether some formatting is dropped because the markup cannot express it around this text. */
  clashes?(rich: RichText, to: Destination): boolean;
  /** The rules by which the product formats, or acts on, plain text that cannot be escaped. */
  formats?(rich: RichText, to: Destination): readonly FormatRule[];
  /** The layout that the vendor displays natively. Elsewhere the text itself has bullets, bars and spaces. */
  shows?: readonly ('lists' | 'tables' | 'headings')[];
  /** Whether the vendor strips leading spaces, so that lists written as text lose their levels. */
  dropsIndents?(rich: RichText): boolean;
  /** Whether this recipient gets the text as SMS. */
  isSms?(to: Destination): boolean;
}

export interface RecipientFormat {
  /** A description of `to.id` for users. */
  format: string;
  example: string;
  /** Returns the problem with an address, or undefined if it is valid. */
  validate(id: string): string | undefined;
}

/** The vendor's rate limits, enforced before sending. */
export interface Pace {
  /** Across all recipients: `count` messages per `seconds`, at most `burst` at once. */
  integration?: { count: number; seconds: number; burst: number };
  /** Minimum number of seconds between messages to one recipient. */
  recipient?(id: string): number;
}

/**
 * A messaging channel. It declares facts as data and abilities as functions: a function it does not define is an
 * ability it lacks.
 */
export interface Channel extends Inbound {
  /** The channel name used in integrations: lower case, hyphens. */
  name: string;
  title: string;
  /** Other accepted names. */
  aliases?: readonly string[];
  /** The vendor's page on sending. */
  docs: string;
  credentials: readonly CredentialField[];
  /** Sets of credentials; one complete set is enough to send. */
  needs: readonly (readonly CredentialName[])[];
  recipient: RecipientFormat;
  limits: readonly Limit[];
  /** The vendor's base address, if all customers share one. */
  url?: string;
  text?: TextLimit;
  /** The renderers; `whole` when the receiver takes activities as they are. */
  renderers?: Renderers | 'whole';
  pace?: Pace;
  /** Maximum number of concurrent sends; 8 by default. */
  concurrency?: number;
  /**
   * For channels where every message must arrive: the delay in milliseconds after this many failures. When it returns
   * undefined, or a refusal is permanent, all messages wait for an operator and none fails.
   */
  retryForever?(failures: number, random: number): number | undefined;
  /**
   * Whether the vendor, or the receiver, deduplicates parts by their key, so that a retry cannot create a duplicate.
   */
  idempotent?: true;
  /** Whether requests carry the trace context, because the receiver belongs to the customer. */
  propagatesTrace?: true;
  /** Sends one part. It does not wait, retry or split. Failures are returned as values; an exception is a bug. */
  send?(request: VendorRequest, message: OutboundMessage, context: Context): Promise<Outcome>;
  /** Replaces an earlier part. */
  edit?(earlier: SentMessage, request: VendorRequest, context: Context): Promise<Outcome>;
  remove?(earlier: SentMessage, context: Context): Promise<Outcome>;
  /** Our page for visitors, for the web chat, which has no vendor. */
  page?: string;
  /** Whether `check` uses the listening session, because a second session would disturb it. */
  checksSession?: true;
  /** Asks the vendor which account the credentials belong to. Sends no message. */
  check?(context: Context): Promise<Check>;
}

/** The credentials missing from the set that lacks the fewest; empty when a set is complete. */
export function missingCredentials(
  channel: Pick<Channel, 'needs'>,
  supplied: readonly CredentialName[],
): CredentialName[] {
  const gaps = channel.needs.map((set) => set.filter((name) => !supplied.includes(name)));
  return gaps.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** Media as the file of a vendor request. */
export function fileOf({ url, name, mediaType, isKept }: MediaPart): RequestFile {
  return {
    url,
    ...(name !== undefined && { name }),
    ...(mediaType !== undefined && { mediaType }),
    ...(isKept && { isKept }),
  };
}

/** The text that replaces a file the channel cannot show. */
export function linkTo({ url, name }: Pick<MediaPart, 'url' | 'name'>): string {
  return name === undefined ? url : `${name}: ${url}`;
}

/** A check for addresses with a fixed format. */
export function matching(pattern: RegExp, otherwise: string): (id: string) => string | undefined {
  return (id) => (pattern.test(id) ? undefined : otherwise);
}
