import type { Inbound } from '../accept/inbound.ts';
import type { Receipts } from '../accept/receipts.ts';
import { findChannel } from '../channels/index.ts';
import type { Conversations } from '../chat/conversations.ts';
import { Delivery, type DeliveryOptions } from '../deliver/delivery.ts';
import { endpoint } from '../events/endpoint.ts';
import type { Id } from '../model/id.ts';
import { isSandboxed } from '../model/sending/instructions.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { FEED } from '../store/feed/endpoint-queue.ts';
import type { Core } from './core.ts';
import type { Media } from './media.ts';

interface DeliveryLinks {
  inbound: Inbound;
  receipts: Receipts;
  conversations: Conversations;
  media: Media;
  sandbox: Sandbox | undefined;
  /** Chooses the address of a scheduled message to a contact again. */
  chooseAgain: DeliveryOptions['chooseAgain'];
  /** Called when this node has released an integration. */
  released(integrationId: Id): void;
  /** Called when an integration of another node has a message that is due. */
  dueElsewhere(integrationId: Id): void;
  /** Called when the feed of an application has a new event. */
  feedChanged(applicationId: Id): void;
  /** Called when the application's webhook has accepted an event. */
  forwarded(applicationId: Id): void;
}

/** Undefined on a node that only serves the API. */
export function buildDelivery(core: Core, links: DeliveryLinks): Delivery | undefined {
  const { config, metrics, stats } = core;
  const { role, publicUrl } = config;
  if (role === 'api') return undefined;
  const { inbound, receipts, conversations, media, sandbox } = links;
  return new Delivery({
    store: core.store,
    clock: core.clock,
    log: core.log,
    network: core.network,
    tracer: core.tracer,
    operatorUrl: core.operatorUrl,
    sandboxAccess: sandbox && sandbox.access.bind(sandbox),
    sharedStateOf: core.sharedStateOf,
    role,
    publicUrl,
    random: Math.random,
    observer: {
      attempted: (...args) => metrics.attempted(...args),
      settled(channel, state, after, message) {
        if (!isSandboxed(message)) metrics.settled(channel, state, after);
        // Deliveries of events are not messages of the application.
        if (channel !== endpoint.name) stats.settled(message, state, after);
      },
      oldestDue: (age) => metrics.oldestDue(age),
    },
    media,
    fetchReceived: media.fetch,
    released: links.released,
    chooseAgain: links.chooseAgain,
    dueElsewhere: links.dueElsewhere,
    ended: (message, state) => stats.count(message, state),
    feedChanged: links.feedChanged,
    findChannel: (name) => (name === endpoint.name ? endpoint : findChannel(name)),
    chatOf: (integration) => conversations.chatOf(integration),
    receive: (integration, inboundEvents, cursor) =>
      inbound.receive(integration, inboundEvents, cursor),
    recorded({ applicationId, recipient, event, reportedAs }) {
      if (event !== null) links.feedChanged(applicationId);
      else if (recipient === FEED) links.forwarded(applicationId);
      if (reportedAs !== null) receipts.wake();
    },
  });
}
