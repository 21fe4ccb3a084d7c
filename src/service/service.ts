import { setTimeout as sleep } from 'node:timers/promises';

import { ConversationProjection } from '../accept/conversations/projection.ts';
import { Inbound } from '../accept/inbound.ts';
import { Receipts } from '../accept/receipts.ts';
import { findChannel } from '../channels/index.ts';
import { Conversations } from '../chat/conversations.ts';
import type { Config } from '../config.ts';
import { ChannelCalls } from '../deliver/channel-calls.ts';
import { TemplateSync } from '../deliver/templates/sync.ts';
import { WebhookRegistration } from '../deliver/webhook-registration.ts';
import { Feed } from '../events/feed.ts';
import { Forwarding } from '../events/forwarding.ts';
import { Sockets } from '../events/sockets.ts';
import { Readiness } from '../http/metrics/readiness.ts';
import type { Route } from '../http/server/route.ts';
import { UnsentBytes } from '../lib/net/unsent-bytes.ts';
import { type Clock, systemClock } from '../lib/runtime/clock.ts';
import { keepTicks } from '../lib/runtime/next-tick.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { Store } from '../store/store.ts';
import { buildWebChat } from './chat.ts';
import { type Core, buildCore } from './core.ts';
import { buildDelivery } from './delivery.ts';
import { buildJobs } from './jobs.ts';
import { type Part, startInOrder, stopInReverse } from './lifecycle.ts';
import { buildMedia } from './media.ts';
import { buildRegistration, buildSignals } from './nodes.ts';
import { buildSandbox } from './sandbox.ts';
import { buildServer } from './server.ts';
import { buildServices } from './services.ts';
import { buildUpkeep } from './upkeep.ts';

/** The share of the stop timeout for open requests and messages in flight. */
const REQUESTS_SHARE = 0.8;
const MAX_TRACE_EXPORT_MS = 2_000;
/** Bytes buffered for slow readers, over all sockets of a node. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

export interface Service {
  url: string;
  routes: readonly Route[];
  /** Refuses new work, finishes work in progress, and closes the store. */
  stop(): Promise<void>;
}

/** Builds the areas of the service on an open store, connects them, and starts them in order. */
export async function startService(
  config: Config,
  store: Store,
  log: Log,
  clock: Clock = systemClock,
): Promise<Service> {
  keepTicks();
  const core = await buildCore(config, store, log, clock);
  const { metrics, network, tracer, stats, address, operatorUrl, sharedStateOf } = core;
  const baseUrl = () => address.baseUrl;

  // Areas call each other in cycles, so these functions refer to parts that are built further down.
  const signalNodes = buildSignals(core, () => (delivery ?? registration)?.hasPeers ?? false);
  const feedChanged = (applicationId: Id) => {
    feed.changed(applicationId);
    signalNodes('feed', applicationId);
    projection.changed(applicationId);
    if (forwarding) forwarding.changed(applicationId);
    else signalNodes('forward', applicationId);
  };
  const wake = (integrationId: Id) => {
    if (!delivery?.wake(integrationId)) signalNodes('due', integrationId);
  };

  const unsent = new UnsentBytes(MAX_UNSENT_BYTES);
  const feed = new Feed(store, clock, log);
  const projection = new ConversationProjection(store, clock, log);
  const sockets = new Sockets({ store, clock, log, feed, unsent, baseUrl });
  const conversations = new Conversations(store, clock, log, (id) => signalNodes('chat', id));
  const receipts = new Receipts(store, clock, log, feedChanged, (message) =>
    stats.count(message, message.state),
  );
  const sandbox = buildSandbox(core, () => inbound);
  const sandboxAccess = sandbox && sandbox.access.bind(sandbox);
  const channelCalls = new ChannelCalls({
    store,
    network,
    clock,
    operatorUrl,
    sandboxAccess,
    sharedStateOf,
    resourceOf: (integrationId) => delivery?.resourceOf(integrationId),
    chatOf: (integration) => conversations.chatOf(integration),
  });
  const media = buildMedia(core, channelCalls);
  const { publicUrl } = config;
  const webhookRegistration = new WebhookRegistration({
    store,
    clock,
    log,
    channelCalls,
    publicUrl,
  });
  const inbound = new Inbound({
    store,
    clock,
    log,
    tracer,
    observer: metrics,
    contextFor: (integration, channel) => channelCalls.hookContext(integration, channel),
    feedChanged,
    received: ({ applicationId, id }, count) =>
      stats.count({ applicationId, integrationId: id }, 'received', count),
    reported: () => receipts.wake(),
    answered(message) {
      stats.count(message, 'accepted');
      wake(message.integrationId);
    },
  });
  const delivery = buildDelivery(core, {
    inbound,
    receipts,
    conversations,
    media,
    sandbox,
    feedChanged,
    chooseAgain: (message) => services.outbound.chooseAgain(message),
    released: (integrationId) => signalNodes('free', integrationId),
    dueElsewhere: (integrationId) => signalNodes('due', integrationId),
    forwarded: (applicationId) => forwarding?.changed(applicationId),
  });
  const registration = buildRegistration(core, delivery);
  const forwarding = delivery && new Forwarding({ store, clock, log, baseUrl, wake });
  const jobs = delivery && buildJobs(core, delivery.node, { wake, feedChanged });
  const templateSync = new TemplateSync({ store, clock, log, channelCalls, findChannel });
  const chat = buildWebChat(core, inbound, conversations, unsent);
  const links = {
    inbound,
    projection,
    chat,
    feed,
    sockets,
    channelCalls,
    media,
    webhookRegistration,
    delivery,
    jobs,
    templateSync,
    sandbox,
  };
  const services = buildServices(core, { ...links, wake, feedChanged, signalNodes });
  const readiness = buildReadiness(core);
  const server = buildServer(core, services, readiness, { feed: sockets, chat: chat.sockets });
  metrics.read({
    isStoreUp: () => readiness.isStoreUp,
    inFlight: () => delivery?.inFlight ?? 0,
    owned: () => delivery?.owned ?? 0,
    sockets: () => ({ feed: sockets.open, chat: chat.sockets.open }),
    logBytes: () => store.engine.logBytes?.(),
    connections: () => store.engine.connections?.(),
  });

  const listenToNodes = () =>
    store.engine.signals?.listen({
      due: (integrationId) => void delivery?.wake(integrationId),
      free: () => delivery?.claim(),
      changed: (applicationId) => delivery?.changedAll(applicationId),
      feed: (applicationId) => feed.changed(applicationId),
      forward(applicationId) {
        if (delivery?.ownsEndpointOf(applicationId)) forwarding?.changedFor(applicationId);
      },
      chat: (integrationId) => conversations.changedElsewhere(integrationId),
      missed: () => delivery?.claim(),
    });

  const parts: Part[] = [
    { stop: (remainingMs) => tracer?.close(Math.min(remainingMs(), MAX_TRACE_EXPORT_MS)) },
    { stop: () => store.close() },
    { stop: () => network.close() },
    { start: () => server.listen() },
    ...buildUpkeep(core, receipts, wake, feedChanged),
    { stop: () => receipts.stop() },
    { stop: () => inbound.close() },
    { stop: () => projection.stop() },
    { start: () => sandbox?.start(), stop: () => sandbox?.close() },
    { stop: (remainingMs) => webhookRegistration.stop(share(remainingMs())) },
    {
      // Not awaited: the service is ready before the first integrations are claimed.
      start: () => void delivery?.start(),
      stop: (remainingMs) => delivery?.stop(share(remainingMs())),
    },
    registration ?? {},
    { start: () => jobs?.start(), stop: () => jobs?.stop() },
    { start: () => delivery && templateSync.start(), stop: () => templateSync.stop() },
    { start: () => forwarding?.start(), stop: () => forwarding?.stop() },
    { stop: (remainingMs) => server.close(share(remainingMs())) },
    { stop: () => chat.sockets.close() },
    { stop: () => sockets.close() },
    { stop: () => conversations.close() },
    { stop: () => feed.close() },
    { start: listenToNodes },
  ];
  await startInOrder(parts);
  readiness.start();
  return {
    url: address.listenUrl,
    routes: server.routes,
    async stop() {
      readiness.stop();
      if (config.stopDelay > 0) await sleep(config.stopDelay * 1000);
      const deadline = performance.now() + config.stopTimeout * 1000;
      await stopInReverse(parts, () => Math.max(deadline - performance.now(), 0));
    },
  };

  /** The time left for work in progress; the rest of the stop timeout is reserved for recording results. */
  function share(remainingMs: number): number {
    return Math.max(remainingMs - config.stopTimeout * 1000 * (1 - REQUESTS_SHARE), 0);
  }
}

function buildReadiness({ store, clock, metrics }: Core): Readiness {
  return new Readiness(
    () => store.engine.ping(),
    clock,
    (after) => metrics.storeAnswered(after),
  );
}
