import type { Credentials } from '../model/integration.ts';
import type { Millis } from '../model/timestamp.ts';
import { SANDBOX_FAULT_NAMES, type SandboxFault } from './faults.ts';
import type { Actor, Person, Receipt, Refusal } from './person.ts';
import type { Phone, PhoneFile } from './phone.ts';
import type { RateLimit } from './rate-limits.ts';
import type { SessionServer } from './session.ts';
import {
  type EntryKind,
  type PhoneEntry,
  RECEIPT_STATES,
  type ReceiptState,
  type ShownButton,
  type ShownMedia,
  type ShownPlace,
} from './shown.ts';
import type { Reply, Request } from './wire/request.ts';

export type { Actor, Person, Receipt, Refusal };

/** A message that a person writes: a text, a file with or without a text, or a place. */
export interface WrittenMessage extends Actor {
  text?: string;
  media?: { type: ShownMedia['type']; file: PhoneFile };
  /** Only where the simulator has places. */
  place?: ShownPlace;
  /** The message that it answers. */
  replyTo?: PhoneEntry;
}

interface PressedButton extends Actor {
  message: PhoneEntry;
  button: ShownButton;
}

/** What a vendor needs to build a webhook request. */
export interface ReportContext {
  credentials: Credentials;
  /** The webhook URL, which some vendors sign. */
  url: string;
  now: Millis;
  /** A number that no other report of the integration has; it grows. */
  number: number;
  /** A URL from which the application can download a file of the phone, with its token. */
  fileUrl(id: string): string;
}

/** A webhook request, with the vendor's signature. */
export interface WebhookRequest {
  method?: 'POST' | 'GET' | 'PUT';
  /** The path after the webhook URL, beginning with a slash. */
  path?: string;
  query?: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The vendor's id of a written message, by which it can be answered. */
  id?: string;
  /** The request names an id only, so the content is fetched while the request is handled. */
  isFetched?: true;
  /** Requests that follow this one, if the vendor reports files and text separately. */
  more?: readonly WebhookRequest[];
}

/** A vendor's own reaction to a message from a person. */
export interface VendorReaction {
  /** Its own answer to the person. */
  answer: string;
  /** Whether it refuses messages to the person from now on; undefined for no change. */
  isBlocked?: boolean;
}

type Report<What> = (what: What, context: ReportContext) => WebhookRequest;

/** The webhook requests by which the vendor reports. A report that is missing does not exist at the vendor. */
export interface Reports {
  message?: Report<WrittenMessage>;
  press?: Report<PressedButton>;
  receipt?: Report<Receipt>;
  react?: Report<Actor & { message: PhoneEntry; emoji: string }>;
  join?: Report<Actor>;
  leave?: Report<Actor>;
  /** The person blocks the sender, or no longer does. */
  block?: Report<Actor>;
  unblock?: Report<Actor>;
}

/**
 * Simulates a vendor: it checks requests as strictly as the vendor documents, answers in the vendor's format, shows
 * messages on the phone, and reports by webhook. It has no state of its own: the phone has it.
 */
export interface Simulator {
  /** The name of the channel. */
  channel: string;
  /** Fake credentials that it accepts, with those that sign webhook requests. */
  credentials: Credentials;
  /** Other hosts of the vendor, such as the one that serves files. Requests to them have their whole URL as path. */
  hosts?: readonly string[];
  people: readonly [Person, ...Person[]];
  /** Whether an address is that of a room, where the list of people does not say so. */
  isRoom?(address: string): boolean;
  /** Whether people there can send places; otherwise they send links to a map. */
  hasPlaces?(address: string): boolean;
  /** The address that triggers the fault with this number, such as `004`. */
  magicAddress(number: string): string;
  /** The vendor knows no recipients: a message with this text triggers the fault instead. */
  isMagicText?: true;
  /** The person or room that a request sends a message to; undefined for any other request. */
  recipientOf(request: Request): string | undefined;
  respond(request: Request, phone: Phone): Reply | Promise<Reply>;
  /** The vendor's own answers. `seconds` is how long a limit lasts. */
  refusals: Readonly<Record<Refusal, (seconds: number) => Reply>>;
  /** Its documented rate limits, or why none is simulated. */
  limits: readonly RateLimit[] | { none: string };
  reports: Reports;
  /** The delivery reports that the vendor has; all by default. */
  receipts?: readonly ReceiptState[];
  /** Whether the vendor reports on this message; on all by default. */
  hasReceipt?(message: PhoneEntry): boolean;
  /** What people do that the vendor reports when polled, instead of by webhook. */
  polled?: readonly EntryKind[];
  /** The delivery reports that the vendor has when polled. */
  polledReceipts?: readonly ReceiptState[];
  /** How the vendor itself reacts to what a person writes, such as STOP. */
  vendorReaction?(
    written: Actor & { text: string; isBlocked: boolean },
  ): VendorReaction | undefined;
  /** The vendor's id of what a person did that is not reported by webhook; its number if undefined. */
  idOf?(number: number, actor: Actor): string;
  /** The server of a vendor that is reached over its own protocol, or over a WebSocket. */
  session?: SessionServer;
  /** Faults that the protocol cannot express, besides those that need reports or answers which it does not have. */
  lacks?: readonly SandboxFault[];
}

/** The first address that can be written to. */
export function firstRecipient({ people }: Pick<Simulator, 'people'>): string {
  const [first] = people;
  return (people.find(({ isOnlyInRooms }) => !isOnlyInRooms) ?? first).address;
}

/** Whether the vendor reports what people do, in any way. */
export function isReported({ reports, polled, session }: Simulator, kind: EntryKind): boolean {
  return [reports[kind] && kind, ...(polled ?? []), ...(session?.reports ?? [])].includes(kind);
}

/** The states of a message that the vendor reports. */
export function receiptStates({
  reports,
  receipts = RECEIPT_STATES,
  polledReceipts,
  session,
}: Simulator): ReceiptState[] {
  return [...(reports.receipt ? receipts : (polledReceipts ?? session?.receipts ?? []))];
}

/** The delivery reports without which a vendor cannot have the fault. */
const NEEDED_RECEIPTS: Partial<Record<SandboxFault, readonly ReceiptState[]>> = {
  read: ['read'],
  late_receipt: ['delivered'],
  reordered_receipts: ['delivered', 'read'],
  repeated_receipts: ['delivered'],
  no_receipt: ['delivered'],
};

/** Faults in which the person answers. */
const ANSWERS: ReadonlySet<SandboxFault> = new Set([
  'repeated_webhook',
  'reordered_webhooks',
  'stop',
]);

/** The faults that a simulator can have. */
export function faultsOf(simulator: Simulator): SandboxFault[] {
  const receipts = receiptStates(simulator);
  const isAnswered = isReported(simulator, 'message');
  return SANDBOX_FAULT_NAMES.filter(
    (name) =>
      !simulator.lacks?.includes(name) &&
      (isAnswered || !ANSWERS.has(name)) &&
      (NEEDED_RECEIPTS[name] ?? []).every((state) => receipts.includes(state)),
  );
}

/** For a vendor that is not reached over HTTP. */
export const WITHOUT_HTTP: Pick<Simulator, 'recipientOf' | 'respond' | 'refusals' | 'reports'> = {
  recipientOf: () => undefined,
  respond: () => ({ status: 404 }),
  refusals: {
    blocked: () => ({ status: 404 }),
    unknown: () => ({ status: 404 }),
    limited: () => ({ status: 404 }),
    credentials: () => ({ status: 404 }),
  },
  reports: {},
};
