import type { Credentials } from '../model/integration.ts';
import type { Millis } from '../model/timestamp.ts';
import type { SandboxFault } from './faults.ts';
import type { Phone, PhoneFile } from './phone.ts';
import type { EntryKind, PhoneEntry, ShownButton, ShownMedia, ShownPlace } from './shown.ts';
import type { Reply, Request } from './wire/request.ts';

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

/** A message that a person writes. */
export interface WrittenMessage extends Actor {
  text?: string;
  media?: { type: ShownMedia['type']; file: PhoneFile };
  place?: ShownPlace;
  /** The message that it answers. */
  replyTo?: PhoneEntry;
}

export interface PressedButton extends Actor {
  message: PhoneEntry;
  button: ShownButton;
}

export interface Receipt {
  message: PhoneEntry;
  state: 'delivered' | 'read' | 'failed';
}

/** What a vendor needs to build a webhook request. */
export interface ReportContext {
  credentials: Credentials;
  /** The webhook URL, which some vendors sign. */
  url: string;
  now: Millis;
  /** A number that no other report of the integration has; it grows. */
  number: number;
}

/** A webhook request, signed as the vendor signs. */
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
  /** The address that provokes the fault with this number, such as `004`. */
  magicAddress(number: string): string;
  /** The vendor knows no recipients: a message with this text provokes the fault instead. */
  isMagicText?: true;
  /** The person or room that a request sends a message to; undefined for any other request. */
  recipientOf(request: Request): string | undefined;
  respond(request: Request, phone: Phone): Reply | Promise<Reply>;
  /** The vendor's own answer. `seconds` is how long a limit lasts. */
  refuse(refusal: Refusal, seconds: number): Reply;
  reports: Reports;
  /** What people do that the vendor reports in a session or when polled, instead of by webhook. */
  polled?: readonly EntryKind[];
  /** Faults that the protocol cannot express. */
  lacks?: readonly SandboxFault[];
}

/** The first address that can be written to. */
export function firstRecipient({ people }: Pick<Simulator, 'people'>): string {
  const [first] = people;
  return (people.find(({ isOnlyInRooms }) => !isOnlyInRooms) ?? first).address;
}

/** Whether the vendor reports what people do, in any way. */
export function isReported({ reports, polled }: Simulator, kind: EntryKind): boolean {
  return reports[kind] !== undefined || polled?.includes(kind) === true;
}
