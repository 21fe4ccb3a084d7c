import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { Inbound } from './accept/inbound.ts';
import { Outbound } from './accept/outbound.ts';
import { Receipts } from './accept/receipts.ts';
import type { Channel } from './channels/channel.ts';
import { findChannel } from './channels/index.ts';
import { Conversations } from './chat/conversations.ts';
import { ChatLimits } from './chat/limits.ts';
import { ChatSockets } from './chat/sockets.ts';
import { Uploads } from './chat/uploads.ts';
import { Visitors } from './chat/visitors.ts';
import type { Config } from './config.ts';
import { Delivery } from './deliver/delivery.ts';
import { DepthCounter } from './deliver/depth.ts';
import { Errands } from './deliver/errands.ts';
import { Introduction } from './deliver/introduction.ts';
import { Ownership } from './deliver/ownership.ts';
import { Resending } from './deliver/resending.ts';
import { Surveyor } from './deliver/surveyor.ts';
import { Sweeper } from './deliver/sweeper.ts';
import { Tally } from './deliver/tally.ts';
import { endpoint } from './events/endpoint.ts';
import { Feed } from './events/feed.ts';
import { Forwarding } from './events/forwarding.ts';
import { Sockets } from './events/sockets.ts';
import { watchedEndpoint } from './events/trial.ts';
import { Audit } from './http/audit.ts';
import { Invitations } from './http/invitations.ts';
import { Metrics } from './http/metrics.ts';
import { openApiDocument } from './http/openapi.ts';
import { ConsoleFiles } from './http/pages/console-files.ts';
import { Readiness } from './http/readiness.ts';
import type { Route } from './http/route.ts';
import { publicRoutes } from './http/routes/index.ts';
import { operationRoutes } from './http/routes/operation.ts';
import { createServer } from './http/server.ts';
import type { Services } from './http/services.ts';
import { Sessions } from './http/sessions.ts';
import { SignIn } from './http/sign-in.ts';
import { Tokens } from './http/tokens.ts';
import { createGuard } from './lib/addresses.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { Limiter } from './lib/limiter.ts';
import { listenUrl } from './lib/listen-url.ts';
import type { Log } from './lib/log.ts';
import { openTracer } from './lib/opentelemetry.ts';
import { createOutgoing } from './lib/outgoing.ts';
import { keepTicks } from './lib/ticks.ts';
import type { Tracer } from './lib/tracing.ts';
import { UnsentBytes } from './lib/unsent-bytes.ts';
import { VERSION } from './lib/version.ts';
import { refuse } from './lib/web-socket-server.ts';
import type { Id } from './model/id.ts';
import { FEED } from './store/endpoints.ts';
import type { Signal } from './store/signals.ts';
import type { Store } from './store/store.ts';

/** How much of the time for a stop is for requests that are under way. */
const REQUESTS_SHARE = 0.8;
/** How long the collector of traces has to take the last of them. */
const LAST_SPANS = 2_000;
/** What waits for the readers of all sockets of a node. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const AN_HOUR = 60 * 60 * 1000;

export interface Service {
  /** Where it listens. */
  url: string;
  routes: readonly Route[];
  /** Takes no more, finishes what is under way, and lets go of everything. */
  stop(): Promise<void>;
}

/** The only wiring: builds the parts on an open store, and starts them in order. */
export async function startService(
  config: Config,
  store: Store,
  log: Log,
  clock: Clock = systemClock,
): Promise<Service> {
  keepTicks();
  const { publicUrl, rateLimit, role, trustProxy } = config;
  const metrics = new Metrics({ version: VERSION, role, store: store.engine.name });
  let ownPort = config.port;
  const network = createOutgoing({
    guard: createGuard({
      allow: config.allowNetworks,
      allowLoopback: config.allowLoopback ?? false,
      ownPort: () => ownPort,
    }),
  });
  const tracer = await tracerOf(config, log, metrics);
  const operatorUrl = (channel: Channel) => config.channelUrls.get(channel.name);
  let listening = '';
  const baseUrl = () => publicUrl ?? listening;
  const feed = new Feed(store, clock, log);
  const unsent = new UnsentBytes(MAX_UNSENT_BYTES);
  const sockets = new Sockets({ store, clock, log, feed, unsent, baseUrl });
  const { signals } = store.engine;
  // A node that is alone has nobody to tell.
  const tell = (signal: Signal, id: Id) => {
    if ((delivery ?? attendance)?.hasPeers) signals?.tell(signal, id);
  };
  const told = (applicationId: Id) => {
    feed.changed(applicationId);
    tell('grown', applicationId);
    if (forwarding) forwarding.changed(applicationId);
    else tell('behind', applicationId);
  };
  const tally = new Tally(store, clock, log);
  const receipts = new Receipts(store, clock, log, told, (message) =>
    tally.count(message, message.state),
  );
  const conversations = new Conversations(store, clock, log, (integrationId) =>
    tell('said', integrationId),
  );
  const chatOf = conversations.chatOf.bind(conversations);
  const keeperOf = (integrationId: Id) => delivery?.keeperOf(integrationId);
  const errands = new Errands({ store, network, clock, operatorUrl, keeperOf, chatOf });
  const introduction = new Introduction({ store, clock, log, errands, publicUrl });
  const inbound = new Inbound({
    store,
    clock,
    log,
    observer: metrics,
    tracer,
    contextFor: (integration, channel) => errands.hookContext(integration, channel),
    told,
    received: ({ applicationId, id }, count) =>
      tally.count({ applicationId, integrationId: id }, 'received', count),
    reported: () => receipts.wake(),
  });
  const delivery =
    role === 'api'
      ? undefined
      : new Delivery({
          store,
          clock,
          log,
          role,
          network,
          tracer,
          observer: {
            tried: (...given) => metrics.tried(...given),
            settled(channel, state, after, message) {
              metrics.settled(channel, state, after);
              // The delivery of an event is nobody's message.
              if (channel !== endpoint.name) tally.settled(message, state, after);
            },
            oldestDue: (age) => metrics.oldestDue(age),
          },
          freed: (integrationId) => tell('free', integrationId),
          findChannel: (name) => (name === endpoint.name ? endpoint : findChannel(name)),
          operatorUrl,
          publicUrl,
          chatOf,
          random: Math.random,
          hear: (integration, arrivals, cursor) => inbound.arrive(integration, arrivals, cursor),
          recorded({ applicationId, recipient, event, reportedAs }) {
            if (event !== null) told(applicationId);
            // One of its own is through: there may be room for more.
            else if (recipient === FEED) forwarding?.changed(applicationId);
            if (reportedAs !== null) receipts.wake();
          },
        });
  // Whoever delivers nothing makes itself known all the same.
  const attendance = delivery ? undefined : new Ownership({ store, clock, log, role });
  const wake = (integrationId: Id) => {
    if (!delivery?.wake(integrationId)) tell('due', integrationId);
  };
  const forwarding = delivery && new Forwarding({ store, clock, log, baseUrl, wake });
  const resending = delivery && new Resending({ store, clock, log, node: delivery.node, wake });
  const limits = new ChatLimits();
  const talk = { store, clock, limits, hear: inbound.arrive.bind(inbound) };
  const visitors = new Visitors(talk);
  const uploads = new Uploads({ ...talk, most: config.chatFilesMb * 1024 * 1024 });
  const chatSockets = new ChatSockets({ ...talk, log, visitors, conversations, unsent });
  const tokens = new Tokens(store, clock, config.tokenMaxDays * 24 * AN_HOUR);
  const audit = new Audit(store, clock);
  const idle = config.sessionIdleHours * AN_HOUR;
  const longest = config.sessionDays * 24 * AN_HOUR;
  const services: Services = {
    store,
    clock,
    tokens,
    audit,
    sessions: new Sessions({ store, clock, tokens, audit, idle, longest }),
    signIn: new SignIn(store, clock),
    invitations: new Invitations(store, clock),
    outbound: new Outbound(
      store,
      clock,
      (message) => {
        tally.count(message, 'accepted');
        wake(message.integrationId);
      },
      tracer,
    ),
    delivery: {
      wake,
      changed(integrationId) {
        if (!delivery?.changed(integrationId)) tell('due', integrationId);
        if (!delivery) tell('free', integrationId);
      },
      changedAll(applicationId) {
        delivery?.changedAll(applicationId);
        tell('changed', applicationId);
      },
      async check(integration) {
        const channel = findChannel(integration.name);
        return channel && errands.check(integration, channel);
      },
      tryOut: (channel, credentials, integration) =>
        errands.tryOut(credentials, channel, integration),
    },
    inbound,
    chat: { visitors, conversations, uploads },
    feed: {
      wait: (...given) => feed.wait(...given),
      changed: told,
      ticket: (caller) => sockets.ticket(caller),
    },
    tally,
    jobs: { begun: () => resending?.start() },
    files: {
      async fetch(integration, reference, signal) {
        const channel = findChannel(integration.name);
        if (!channel) return { fault: 'the channel is not known any more', isGone: true };
        return errands.fetchFile(integration, channel, reference, signal);
      },
    },
    errands: {
      register: (...given) => introduction.register(...given),
      introduce: (applicationId, id) => introduction.introduce(applicationId, id),
      async tryEndpoint({ applicationId, url: address, secrets }, body) {
        const credentials = { address, secret: secrets.join(' '), username: String(applicationId) };
        const key = `test_${randomUUID()}`;
        const { channel, headers } = watchedEndpoint();
        const { outcome, ...tried } = await errands.sendOnce(channel, credentials, key, body);
        return { ...tried, headers, outcome: outcome.outcome, detail: outcome.detail ?? null };
      },
    },
  };
  const retention = config.retentionDays * 24 * AN_HOUR;
  const audited = config.auditDays * 24 * AN_HOUR;
  const counted = config.statisticsDays * 24 * AN_HOUR;
  const sweeper = new Sweeper({
    store,
    clock,
    log,
    retention,
    idle,
    counted,
    audited,
    tally,
    wake,
    receipts,
  });
  const depth = new DepthCounter(store, clock, log, (depths) => metrics.queued(depths));
  const surveyor = new Surveyor(store, clock, log, (survey) => metrics.surveyed(survey));
  const readiness = new Readiness(
    () => store.engine.ping(),
    clock,
    (after) => metrics.storeAnswered(after),
  );
  metrics.read({
    isStoreUp: () => readiness.isStoreUp,
    underWay: () => delivery?.underWay ?? 0,
    owned: () => delivery?.owned ?? 0,
    sockets: () => ({ feed: sockets.open, chat: chatSockets.open }),
    logBytes: () => store.engine.logBytes?.(),
    connections: () => store.engine.connections?.(),
  });

  const console = new ConsoleFiles(config.consoleDir);
  const routes: Route[] = [
    ...(role === 'deliver'
      ? []
      : publicRoutes({ services, metrics, console, document: () => document() })),
    ...operationRoutes({
      metrics,
      scraping: { token: config.metricsToken, networks: config.metricsNetworks },
      ready: () => readiness.check(),
    }),
  ];
  let openApi: Record<string, unknown> | undefined;
  const document = () => (openApi ??= openApiDocument(routes, VERSION, baseUrl()));

  const limiter = rateLimit > 0 ? new Limiter(rateLimit, rateLimit * 2) : undefined;
  const requestTimeout = config.requestTimeout * 1000;
  const app = createServer({
    services,
    routes,
    log,
    metrics,
    limiter,
    tracer,
    publicUrl,
    trustProxy,
    corsOrigins: config.corsOrigins,
    requestTimeout,
  });

  app.server.on('upgrade', (request, socket, head) => {
    // From here on nobody else listens, and a fault that nobody hears of ends the process.
    socket.on('error', () => socket.destroy());
    if (role === 'deliver') return refuse(socket, '404 Not Found');
    if (sockets.upgrade(request, socket, head)) return;
    if (!chatSockets.upgrade(request, socket, head)) refuse(socket, '404 Not Found');
  });
  await app.listen({ host: config.host, port: config.port });
  const { address, port } = app.server.address() as AddressInfo;
  ownPort = port;
  listening = listenUrl(address, port);
  sweeper.start();
  depth.start();
  surveyor.start();
  tally.start();
  // Whoever waits for the service to listen need not wait for what it then does by itself.
  void delivery?.start();
  void attendance?.claim();
  forwarding?.start();
  resending?.start();
  readiness.start();
  signals?.listen({
    due: (integrationId) => void delivery?.wake(integrationId),
    free: () => delivery?.claim(),
    changed: (applicationId) => delivery?.changedAll(applicationId),
    grown: (applicationId) => feed.changed(applicationId),
    behind(applicationId) {
      if (delivery?.ownsEndpointOf(applicationId)) forwarding?.changedFor(applicationId);
    },
    said: (integrationId) => conversations.changedElsewhere(integrationId),
    missed: () => delivery?.claim(),
  });
  return {
    url: listening,
    routes,
    async stop() {
      readiness.stop();
      if (config.stopDelay > 0) await sleep(config.stopDelay * 1000);
      const since = performance.now();
      // Whoever has not sent the rest of a request by then is cut off, or the stop would wait for it.
      const patience = config.stopTimeout * 1000 * REQUESTS_SHARE;
      const cut = setTimeout(() => app.server.closeAllConnections(), patience);
      feed.close();
      conversations.close();
      await sockets.close();
      await chatSockets.close();
      await app.close();
      clearTimeout(cut);
      await forwarding?.stop();
      await resending?.stop();
      await delivery?.stop(patience - (performance.now() - since));
      await attendance?.stop();
      await introduction.stop(patience - (performance.now() - since));
      await receipts.stop();
      await sweeper.stop();
      await depth.stop();
      await surveyor.stop();
      await tally.stop();
      await network.close();
      await store.close();
      const left = config.stopTimeout * 1000 - (performance.now() - since);
      await tracer?.close(Math.min(left, LAST_SPANS));
    },
  };
}

/** Undefined where nothing is traced. */
async function tracerOf(config: Config, log: Log, metrics: Metrics): Promise<Tracer | undefined> {
  const { collectorUrl, tracingOff } = config;
  const url = config.tracesUrl ?? (collectorUrl && `${collectorUrl}/v1/traces`);
  if (url === undefined || tracingOff) return undefined;
  return openTracer({
    url,
    headers: config.collectorHeaders,
    serviceName: config.serviceName,
    version: VERSION,
    sampler: config.tracesSampler,
    ratio: config.tracesSamplerRatio,
    observe: (outcome, count) => metrics.traced(outcome, count),
    failing: (error) => log.warn({ err: error }, 'traces cannot be exported; they are lost'),
    recovered: () => log.info('traces are exported again'),
  });
}
