import type { ConversationProjection } from '../accept/conversations/projection.ts';
import type { Inbound } from '../accept/inbound.ts';
import type { Outbound } from '../accept/outbound.ts';
import type { Channel, Check, Downloaded, Failure } from '../channels/channel.ts';
import type { Conversations } from '../chat/conversations.ts';
import type { Uploads } from '../chat/uploads.ts';
import type { Visitors } from '../chat/visitors.ts';
import type { FoundFile } from '../lib/http/download.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { ApplicationPrincipal } from '../model/account.ts';
import type { MediaReference } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Credentials, Integration } from '../model/integration.ts';
import type { MediaPlace } from '../model/media-place.ts';
import type { CountedState } from '../model/statistics.ts';
import type { Millis } from '../model/timestamp.ts';
import type { SandboxPeople } from '../sandbox/sandbox-people.ts';
import type { EndpointInfo } from '../store/feed/endpoints.ts';
import type { Store } from '../store/store.ts';
import type { Audit } from './audit.ts';
import type { Invitations } from './auth/invitations.ts';
import type { Sessions } from './auth/sessions.ts';
import type { SignIn } from './auth/sign-in.ts';
import type { Tokens } from './auth/tokens.ts';

/** Notifies delivery of changes made by routes. */
export interface DeliveryControl {
  /** A message may be due. */
  wake(integrationId: Id): void;
  /** An integration was created or changed. */
  changed(integrationId: Id): void;
  /** All integrations of an application may have changed. */
  changedAll(applicationId: Id): void;
  /** Asks the channel to verify the credentials. Undefined if it offers no check. */
  check(integration: Integration): Promise<Check | undefined>;
  /**
   * Verifies credentials before they are saved: those of the integration, with pending changes. Also returns
   * credentials that the channel replaced.
   */
  checkCredentials(
    channel: Channel,
    credentials: Credentials,
    integration: Integration | undefined,
  ): Promise<{ check: Check | undefined; renewed: Credentials }>;
}

/** Notifies readers of a feed. */
interface FeedControl {
  /** Waits up to `timeoutMs` milliseconds for an event after the given one. */
  wait(applicationId: Id, after: number, timeoutMs: Millis, signal: AbortSignal): Promise<boolean>;
  /** An event was added. */
  changed(applicationId: Id): void;
  /** A ticket that opens one WebSocket. */
  ticket(caller: ApplicationPrincipal): string;
}

/** Counts message states. */
interface StatsControl {
  count(place: { applicationId: Id; integrationId: Id }, what: CountedState, times?: number): void;
  /** Stores what was counted so far. */
  flush(): Promise<void>;
}

/** Runs background jobs on messages. */
interface JobControl {
  /** Runs a new job soon. */
  wake(): void;
}

/** Downloads received files. */
export interface Files {
  /** The file; undefined if it does not exist. */
  find(place: MediaPlace): Promise<MediaReference | undefined>;
  fetch(applicationId: Id, reference: MediaReference, signal: AbortSignal): Promise<FoundFile>;
  /** Whether the signature is that of the address of the file, and has not expired. */
  isSigned(place: MediaPlace, name: string, expires: string, signature: string): boolean;
}

/** Downloads images of messages. */
export interface Images {
  fetch(applicationId: Id, url: string, signal: AbortSignal): Promise<Downloaded | Failure>;
}

/** Result of a test event. */
export interface EndpointTrial {
  outcome: string;
  status: string | null;
  detail: string | null;
  duration: Millis;
  answer: string | null;
  /** Request headers. */
  headers: Readonly<Record<string, string>>;
}

/** The result of reading a list of templates. */
interface SyncedTemplates {
  syncedAt: Millis;
  count: number;
}

/** Makes immediate calls on behalf of an application. */
export interface ChannelCalls {
  /** Registers a webhook URL with the vendor. Undefined if the vendor has no API for it. */
  register(applicationId: Id, integrationId: Id, baseUrl: string): Promise<Check | undefined>;
  /** An integration was created or changed: registers its webhook if the public URL is known. */
  registerInBackground(applicationId: Id, integrationId: Id): void;
  /** Reads and stores the vendor's list of templates. */
  syncTemplates(integration: Integration, channel: Channel): Promise<SyncedTemplates | Failure>;
  /** Sends an event to the endpoint at once, ahead of waiting ones. */
  tryEndpoint(endpoint: EndpointInfo, body: string): Promise<EndpointTrial>;
}

/** The simulated vendors; missing if the sandbox is switched off. */
export interface SandboxServices {
  /** The fake credentials of a channel; undefined if it has no simulator. */
  credentialsOf(channel: string): Promise<Credentials | undefined>;
  people: SandboxPeople;
}

interface ChatServices {
  visitors: Visitors;
  conversations: Conversations;
  uploads: Uploads;
}

/** Dependencies of the routes. */
export interface Services {
  store: Store;
  clock: Clock;
  tokens: Tokens;
  audit: Audit;
  signIn: SignIn;
  sessions: Sessions;
  invitations: Invitations;
  outbound: Outbound;
  inbound: Inbound;
  /** Brings conversations up to date. */
  projection: Pick<ConversationProjection, 'catchUp'>;
  delivery: DeliveryControl;
  feed: FeedControl;
  files: Files;
  images: Images;
  stats: StatsControl;
  /** The retention of applications that do not set one. */
  retentionDays: number;
  jobs: JobControl;
  channelCalls: ChannelCalls;
  chat: ChatServices;
  sandbox: SandboxServices | undefined;
}
