import type { FormatRule } from '../lib/rich-text/accidental-formats.ts';
import type { RichText } from '../lib/rich-text/rich-text.ts';
import type { CredentialName } from '../model/integration.ts';
import type { ConsentAddress } from '../model/sending/consent.ts';
import type { MessageOptions } from '../model/sending/instructions.ts';
import type { ButtonRenderer, CarouselRenderer } from './button-renderer.ts';
import type { Context } from './context.ts';
import type { CredentialFormat } from './credential-formats.ts';
import type { Inbound } from './inbound.ts';
import type { ChannelOption } from './options.ts';
import type { Check, Outcome } from './outcome.ts';
import type {
  Destination,
  MediaPart,
  PlacePart,
  RequestFile,
  TextPart,
  Unsupported,
  VendorRequest,
} from './request.ts';
import type { TemplateSupport } from './templates.ts';
import type { MessageWindow } from './window.ts';

export type { Button } from '../model/button.ts';
export type { ButtonRenderer, Card, CarouselRenderer } from './button-renderer.ts';
export type { Chat, Closable, Context, DownloadLimit, Downloaded } from './context.ts';
export type { ChannelOption, OptionRule } from './options.ts';
export type { Blame, Check, Failure, Outcome } from './outcome.ts';
export type {
  Attachment,
  Destination,
  MediaPart,
  PlacePart,
  RequestFile,
  TextPart,
  Unsupported,
  VendorRequest,
} from './request.ts';
export { denied, isFailure, ofChange, ofCheck, unsent } from './outcome.ts';

/** The groups in which people look for a channel. */
export const CHANNEL_CATEGORIES = ['sms', 'chat', 'team-chat', 'email', 'push', 'own'] as const;

type ChannelCategory = (typeof CHANNEL_CATEGORIES)[number];

/** One of the seven credential fields, as a channel uses it. */
export interface CredentialField {
  name: CredentialName;
  label: string;
  /** Where users find the value. */
  help: string;
  /** Whether to mask the value wherever it is displayed. */
  secret: boolean;
  /** Why a field that usually holds a secret, such as `token`, is not masked here. */
  publicBecause?: string;
  /** The form of a random value, for secrets that users choose: 32 hex digits, or a Standard Webhooks secret. */
  generate?: 'hex' | 'whsec';
  format?: CredentialFormat;
  /** The parts of the value, for a form that composes it: the servers of a mailbox. */
  parts?: 'mail_servers';
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
  /** The activity, byte for byte as the application wrote it, except for template content and signed file URLs. */
  json: string;
  /** Values of the channel's options, validated. */
  options: MessageOptions;
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
  /** Adds the options of the message, and its expiry, to a request. Called last, for each part. */
  options?(request: VendorRequest, to: Destination): VendorRequest;
  /** Merges all parts into one request, for channels that send them together, such as email. */
  merge?(requests: readonly VendorRequest[]): VendorRequest;
}

interface TitleLimit {
  max: number;
  measure(title: string): number;
}

/** A sent message, by the id that `send` returned. */
export interface SentMessage {
  id: string;
  /** What `send` kept with the id. */
  kept?: string;
  recipient: string;
}

/** Maximum text length and markup. */
export interface TextLimit {
  max: number;
  /** What `max` counts; characters by default. */
  unit?: 'bytes' | 'characters';
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

interface RecipientFormat {
  /** A description of `to.id` for users. */
  format: string;
  example: string;
  /** Returns the problem with an address, or undefined if it is valid. */
  validate(id: string): string | undefined;
  /** The address whose consent a message needs, if other channels reach it too or it has several spellings. */
  consentAddress?(id: string): ConsentAddress;
  /** The notation in which the vendor reports the address, if it has several: one person has one lane. */
  normalize?(id: string): string;
}

/** Error codes of responses, for failures blamed on the recipient, and of delivery reports. */
export interface BlockedCodes {
  send?: RegExp;
  report?: RegExp;
  /** `vendor`: the person asked the vendor to stop messages; `bounce`: the mail server does not know the address. */
  as: 'vendor' | 'bounce';
}

/** The vendor's rate limits, enforced before sending. */
export interface Pace {
  /**
   * Across all recipients: `count` messages per `seconds`, at most `burst` at once. Unless `burst` is larger than `count`,
   * no period of `seconds` has more than `count` messages.
   */
  integration?: { count: number; seconds: number; burst: number };
  /** Minimum number of seconds between messages to one recipient. */
  recipient?(id: string): number;
  /** Messages to one recipient that may be sent at once before the interval applies; 1 by default. */
  recipientBurst?: number;
}

/**
 * A messaging channel. It declares facts as data and abilities as functions: a function it does not define is an
 * ability it lacks.
 */
export interface Channel extends Inbound {
  /** The channel name used in integrations: lower case, hyphens. */
  name: string;
  title: string;
  category: ChannelCategory;
  /** What the channel does, in one sentence for people who choose one. */
  summary: string;
  /** Other words that people search for, in lower case. */
  keywords: readonly string[];
  /** Other accepted names. */
  aliases?: readonly string[];
  /** The vendor's page on sending. */
  docs: string;
  /** The vendor's page where users create the credentials, unless they run the server themselves. */
  dashboard?: string;
  credentials: readonly CredentialField[];
  /** Sets of credentials; one complete set is enough to send. */
  needs: readonly (readonly CredentialName[])[];
  /** Names of these sets, for people who choose one. */
  needNames?: readonly string[];
  recipient: RecipientFormat;
  limits: readonly Limit[];
  /** The vendor's base URL, if all customers share one. */
  url?: string;
  text?: TextLimit;
  /** The renderers; `whole` when the receiver takes activities as they are. */
  renderers?: Renderers | 'whole';
  /** The options of a message, such as its priority. `renderers.options` adds their values to requests. */
  options?: readonly ChannelOption[];
  pace?: Pace;
  /** Words such as STOP, in lower case, that the vendor itself answers. It also stops messages to the person. */
  answeredWords?: ReadonlySet<string>;
  /** The error codes with which the vendor refuses all messages to a person, such as after a STOP. */
  blockedCodes?: BlockedCodes;
  /** When the vendor accepts free text; always by default. */
  window?: MessageWindow;
  /** The vendor's templates. */
  templates?: TemplateSupport;
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
  /** Whether the vendor stops trying to deliver a message when it expires (`expiresAt`). */
  expires?: true;
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
  /**
   * Whether `check` logs in to a server, which may lock the account after failed logins. Other checks are one request,
   * cheap enough to run while a user fills in a form.
   */
  checkLogsIn?: true;
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
