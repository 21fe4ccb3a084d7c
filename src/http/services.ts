import type { Inbound } from '../accept/inbound.ts';
import type { Outbound } from '../accept/outbound.ts';
import type { Channel, Check } from '../channels/channel.ts';
import type { Conversations } from '../chat/conversations.ts';
import type { Uploads } from '../chat/uploads.ts';
import type { Visitors } from '../chat/visitors.ts';
import type { Clock } from '../lib/clock.ts';
import type { FoundFile } from '../lib/download.ts';
import type { ApplicationPrincipal } from '../model/account.ts';
import type { MediaReference } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Credentials, Integration } from '../model/integration.ts';
import type { MediaPlace } from '../model/media-place.ts';
import type { Counted } from '../model/statistics.ts';
import type { Millis } from '../model/timestamp.ts';
import type { EndpointInfo } from '../store/endpoints.ts';
import type { Store } from '../store/store.ts';
import type { Audit } from './audit.ts';
import type { Invitations } from './invitations.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';
import type { Tokens } from './tokens.ts';

/** How delivery is told what the routes have changed. */
export interface DeliveryControl {
  /** A message may be sent, or sent again. */
  wake(integrationId: Id): void;
  /** An integration was made or changed. */
  changed(integrationId: Id): void;
  /** All integrations of an application may have changed. */
  changedAll(applicationId: Id): void;
  /** Asks the channel who the integration is. Undefined when the channel cannot be asked. */
  check(integration: Integration): Promise<Check | undefined>;
  /**
   * Asks the channel who has these credentials, which are those of the integration but for what is about to change.
   * Answers also what the channel has replaced by being asked.
   */
  tryOut(
    channel: Channel,
    credentials: Credentials,
    integration: Integration | undefined,
  ): Promise<{ check: Check | undefined; renewed: Credentials }>;
}

/** Whoever knows when there is more in a feed. */
export interface FeedControl {
  /** Waits for an event after that one, for so many milliseconds at the most. */
  wait(applicationId: Id, after: number, patience: Millis, signal: AbortSignal): Promise<boolean>;
  /** Something was added. */
  changed(applicationId: Id): void;
  /** What a socket is opened with. */
  ticket(caller: ApplicationPrincipal): string;
}

/** Whoever counts what happens to messages. */
export interface Tallying {
  count(place: { applicationId: Id; integrationId: Id }, what: Counted, times?: number): void;
}

/** Whoever does something to many messages, in the background. */
export interface JobControl {
  /** There is another one. */
  begun(): void;
}

/** Whoever fetches the files that people sent. */
export interface Files {
  /** The file, unless there is none. */
  find(place: MediaPlace): Promise<MediaReference | undefined>;
  fetch(applicationId: Id, reference: MediaReference, signal: AbortSignal): Promise<FoundFile>;
  /** Whether that is the signature of its address, and has not expired. */
  isSigned(place: MediaPlace, name: string, expires: string, signature: string): boolean;
}

/** What became of an event that was sent to an endpoint to try it. */
export interface EndpointTrial {
  outcome: string;
  status: string | null;
  detail: string | null;
  duration: Millis;
  answer: string | null;
  /** Those it was sent with. */
  headers: Readonly<Record<string, string>>;
}

/** Whoever makes calls on behalf of an application at once. */
export interface Errands {
  /** Tells the vendor of a channel the address of a hook. Undefined when it has no call for that. */
  register(applicationId: Id, integrationId: Id, baseUrl: string): Promise<Check | undefined>;
  /** An integration was made or changed: its vendor is told where to call, if that can be known and done. */
  introduce(applicationId: Id, integrationId: Id): void;
  /** Sends this to the application's endpoint, past all that waits. */
  tryEndpoint(endpoint: EndpointInfo, body: string): Promise<EndpointTrial>;
}

/** The web chat. */
export interface ChatServices {
  visitors: Visitors;
  conversations: Conversations;
  uploads: Uploads;
}

/** What the routes stand on. */
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
  delivery: DeliveryControl;
  feed: FeedControl;
  files: Files;
  tally: Tallying;
  jobs: JobControl;
  errands: Errands;
  chat: ChatServices;
}
