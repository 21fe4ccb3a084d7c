import { randomBytes } from 'node:crypto';

import type { ActivityObject } from '../model/activity.ts';
import type { IgnoredReason } from '../model/ignored.ts';
import type { ReportedCost } from '../model/sending/cost.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Context } from './context.ts';
import type { Check, Failure } from './outcome.ts';
import type { OpenedWindow } from './window.ts';

/*
 * Inbound: messages from users, and delivery reports. A channel verifies a webhook request and parses it; it neither
 * stores nor replies.
 */

/** A webhook request to an integration, unmodified. */
export interface HookRequest {
  method: string;
  /** The full URL as registered with the vendor, with path suffix and query: some vendors sign it. */
  url: string;
  /** The path after the webhook URL: empty, or beginning with a slash. */
  path: string;
  query: URLSearchParams;
  /** The header with that name, case-insensitive. */
  header(name: string): string | undefined;
  body: Buffer;
}

/** The response to the vendor: 200 without a body by default. */
export interface HookResponse {
  status?: number;
  text?: string;
  /** The content type of the text; plain text by default. */
  type?: string;
}

/** The services available to a webhook. State from `resource` is separate from the state of `send`. */
export type HookContext = Pick<
  Context,
  'credentials' | 'url' | 'fetch' | 'signal' | 'clock' | 'resource' | 'sharedState'
>;

/** How a channel receives webhook requests. */
export interface Hook {
  /** Sets of credentials that can verify a request; without a complete set, every request is refused. */
  needs: readonly (readonly (keyof Context['credentials'])[])[];
  /** Where to enter the URL at the vendor's site when we cannot register it; shown to users. */
  setup: string;
  /**
   * Returns why the request is not genuine, or undefined if it is. Verifies the raw bytes, in constant time.
   * Handshakes are verified like any other request. A FetchFault need not be caught: the vendor then retries.
   */
  verify(
    request: HookRequest,
    context: HookContext,
  ): string | undefined | Promise<string | undefined>;
  /**
   * Parses a genuine request; undefined when it is malformed. Never returns an empty list: a report without an event
   * is `ignored` with a reason, and a handshake or a report without news is `nothing`. Asynchronous for vendors that
   * send ids only, so that the content must be fetched; a FetchFault need not be caught: the vendor then retries.
   */
  parse(
    request: HookRequest,
    context: HookContext,
  ): readonly InboundEvent[] | undefined | Promise<readonly InboundEvent[] | undefined>;
  /** The response to a genuine request, such as its challenge. */
  answer?(request: HookRequest, context: HookContext): HookResponse;
  /**
   * Registers the URL with the vendor. If the vendor needs a secret and none is set, generates one and stores it with
   * `context.storeCredentials`, as `webhookSecret` does.
   */
  register?(url: string, context: Context): Promise<Check>;
}

/**
 * The secret that verifies webhook requests. A new one is stored before the webhook is registered, since a vendor may
 * send the first request before it responds.
 */
export async function webhookSecret(context: Context): Promise<string> {
  if (context.credentials.secret) return context.credentials.secret;
  const secret = randomBytes(32).toString('base64url');
  await context.storeCredentials({ secret });
  return secret;
}

/** The context of `listen`: that of `send`, and the session. */
export interface ListenContext extends Context {
  /** The last cursor passed to `emit`. */
  cursor: string | undefined;
  /** Stores events in order, with the cursor, and drops duplicates. Resolves after the commit. */
  emit(inboundEvents: readonly InboundEvent[], cursor?: string): Promise<void>;
  /** Reports that the vendor accepted the session, for the health of the integration. May be called repeatedly. */
  connected(): void;
  /** Reports that the integration has no server to receive from. */
  notConfigured(): void;
}

/** The URL of a received file and the headers to fetch it with, or the file itself. */
export type MediaSource =
  | { url: string; headers?: Readonly<Record<string, string>> }
  | { bytes: Buffer; mediaType?: string; name?: string };

/** The inbound part of Channel. */
export interface Inbound {
  hook?: Hook;
  /**
   * Receives messages over a live session until the signal aborts. The node that owns the integration calls it, and
   * calls it again some time after it ends.
   */
  listen?(context: ListenContext): Promise<Failure | undefined>;
  /** Locates the file that a received message refers to. */
  media?(reference: string, context: Context): Promise<MediaSource | Failure>;
  /** The delivery reports that the vendor provides. */
  receipts?: readonly ReceiptState[];
}

export type ReceiptState = 'delivered' | 'read' | 'failed';

export interface Party {
  id: string;
  name?: string;
  /**
   * All other addresses of the same person, where the vendor has several. The person is identified by the address of
   * their first message. Empty when there are none now but there may be later.
   */
  otherAddresses?: readonly string[];
  /** The application's own id of the person, if it signed it. */
  signedId?: string;
}

interface VendorEvent {
  /** The vendor's id of this event, by which duplicates are dropped. */
  key: string;
  /** When it happened, by the vendor's clock. */
  at?: Millis;
}

interface UserEvent extends VendorEvent {
  /** The person or bot that caused it, by the vendor's id. */
  from: Party;
  /** The `to.id` for a reply in the same place, when that is neither the group nor `from.id`. */
  answerTo?: string;
  /** The group in which it happened; its id is the `to.id` for messages to the group. */
  group?: Party;
  /** How long the vendor accepts free text after it; by default, a message opens the channel's window. */
  opens?: OpenedWindow;
}

/** A message was written or edited. */
export interface ReceivedMessage extends UserEvent {
  what: 'message' | 'edit';
  /** The vendor's message id, in the format that `send` returns, so that it can be replied to. */
  id?: string;
  /** The title, such as the subject of an email. */
  title?: string;
  text?: string;
  /** The markup of the text; plain text by default. */
  mediaType?: 'text/markdown' | 'text/html';
  media?: readonly ReceivedMedia[];
  place?: { latitude: number; longitude: number; name?: string };
  /** The button that was pressed. Its name is the text of a message without one. */
  button?: { name: string; value?: string };
  /** The ids of the message it replies to and of its thread. */
  replyTo?: string;
  thread?: string;
  /** The vendor's interpretation: a word that stops or resumes messages, or asks for help. The vendor answers it. */
  optOut?: 'stop' | 'start' | 'help';
  /** The object itself, where the channel uses Activity Streams; passed on unchanged. */
  object?: ActivityObject;
}

export interface ReceivedMedia {
  type: 'Image' | 'Video' | 'Audio' | 'Document';
  /** The reference that `media` takes; never exposed. */
  reference: string;
  mediaType?: string;
  name?: string;
  caption?: string;
}

export interface Deletion extends UserEvent {
  what: 'deletion';
  /** The id of the deleted message. */
  id: string;
}

/** Somebody joined or left a conversation. In a direct conversation, they started or ended it. */
export interface Membership extends UserEvent {
  what: 'join' | 'leave';
}

/** Somebody's addresses changed: `from` has the old one, `to` the new one. */
export interface ContactChange extends VendorEvent {
  what: 'contact';
  from: Party;
  to: Party;
}

/** Somebody opted out of a kind of message, such as marketing, or opted in again. */
export interface Consent extends VendorEvent {
  what: 'opt-out' | 'opt-in';
  from: Party;
  category: string;
}

/** A delivery report for a sent message, by the id that `send` returned. */
export interface Receipt {
  what: 'receipt';
  id: string;
  state: ReceiptState;
  /** The cost that the vendor reports. */
  cost?: ReportedCost;
  /** The vendor's error message and code, for a failed message. */
  detail?: string;
  code?: string;
  /** Set if the vendor refuses all messages to the person, or the person reported the message as spam. */
  blocked?: 'vendor' | 'complaint';
}

/** A delivery report for all messages sent to somebody up to that time. */
export interface Receipts {
  what: 'receipts';
  recipient: string;
  upTo: Millis;
  state: 'delivered' | 'read';
}

/** A message that was skipped: it exceeded the parser's limits, or the vendor does not disclose its content. */
export interface Unreadable extends VendorEvent {
  what: 'unreadable';
  reason: 'malformed' | 'timeout' | 'memory' | 'crash' | 'interrupted' | 'unsupported';
  /** The sender and id stated by the message, if they could be parsed. */
  sender?: string;
  id?: string;
}

/** A genuine report without an event: counted by type and reason, and listed for the integration. */
export interface Ignored {
  what: 'ignored';
  /** The vendor's type of the report; no user content. */
  type: string;
  reason: IgnoredReason;
}

/** A handshake, or a report without news, such as that a message was sent: nothing is stored. */
export interface Nothing {
  what: 'nothing';
}

export const NOTHING: Nothing = { what: 'nothing' };

/** As a list, which parsers return. */
export function ignored(type: string, reason: IgnoredReason): [Ignored] {
  return [{ what: 'ignored', type, reason }];
}

export type InboundEvent =
  | ReceivedMessage
  | Deletion
  | Membership
  | ContactChange
  | Consent
  | Unreadable
  | Receipt
  | Receipts
  | Ignored
  | Nothing;
