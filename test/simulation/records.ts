import type { Log } from '../../src/lib/telemetry/log.ts';
import type { Uncertain } from '../../src/model/application.ts';
import type { Category } from '../../src/model/sending/consent.ts';
import type { Store } from '../../src/store/store.ts';
import type { Behaviour } from './behaviours.ts';
import type { SimulatedNode, StoreFault } from './node.ts';
import type { PoolPlace } from './pools.ts';
import type { Quiet } from './quiet.ts';
import type { TemplateUse } from './windows.ts';

/** A part of a message that reached the channel. */
export interface InboundEvent {
  node: SimulatedNode;
  messageId: number;
  part: number;
  /** The route that sent it, if the message has several. */
  route: number;
  /** The vendor's id, once it answered, and the integration. */
  vendorId: string;
  integrationId: number;
  /** Whether the part is the whole message. */
  isWhole: boolean;
  lane: string;
  /** The position of the message in its lane when it arrived. */
  place: number;
  /** The same among the messages of the pool. */
  pool: PoolPlace | undefined;
  behaviour: Behaviour;
  isOver: boolean;
}

export interface GivenMessage {
  integration: number;
  recipient: string;
  text: string;
  template?: TemplateUse;
  category?: Category | null;
  /** Seconds until it is due; 0 by default. */
  delay?: number;
}

export interface Accepted {
  id: number;
  lane: string;
  /** The lanes of its routes, if it has several. */
  lanes?: readonly string[];
  /** The positions of its routes: those of members of a pool are the same. */
  positions?: readonly number[];
  /** Increases with each message queued in a lane. */
  place: number;
  /** Of messages that only a pool sends. */
  pool?: PoolPlace | undefined;
  isCanceled: boolean;
  wasResent: boolean;
  /** The time before which it must not arrive; undefined if it was queued at once. */
  dueAt: number | undefined;
  integrationId: number;
  recipient: string;
  /** Null means transactional. */
  category: Category | null;
  text: string;
  template: TemplateUse;
}

export interface WorldOptions {
  store: Store;
  log: Log;
  uncertain: Uncertain;
  /** The channel's behaviours, used in rotation. */
  behaviours: readonly Behaviour[];
  /** The channel's minimum time between two messages to a recipient, in seconds. */
  spacing: number;
  random(): number;
  maxConcurrentRounds: number;
  /** The faults of store requests, used in rotation. */
  storeFaults: readonly StoreFault[];
  integrations: number;
  /** The quiet hours of the application. */
  quiet?: Quiet;
}
