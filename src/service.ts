import type { AddressInfo } from 'node:net';

import { Outbound } from './accept/outbound.ts';
import type { Channel } from './channels/channel.ts';
import { findChannel } from './channels/index.ts';
import type { Config } from './config.ts';
import { checkAccount } from './deliver/checking.ts';
import { Delivery } from './deliver/delivery.ts';
import { DepthCounter } from './deliver/depth.ts';
import { Sweeper } from './deliver/sweeper.ts';
import { Metrics } from './http/metrics.ts';
import { openApiDocument } from './http/openapi.ts';
import type { Route } from './http/route.ts';
import { applicationRoutes } from './http/routes/applications.ts';
import { channelRoutes } from './http/routes/channels.ts';
import { documentationRoutes } from './http/routes/documentation.ts';
import { integrationRoutes } from './http/routes/integrations.ts';
import { keyRoutes } from './http/routes/keys.ts';
import { messageRoutes } from './http/routes/messages.ts';
import { operationRoutes } from './http/routes/operation.ts';
import { teamRoutes } from './http/routes/teams.ts';
import { tokenRoutes } from './http/routes/tokens.ts';
import { userRoutes } from './http/routes/users.ts';
import { createServer } from './http/server.ts';
import type { Services } from './http/services.ts';
import { SignIn } from './http/sign-in.ts';
import { Tokens } from './http/tokens.ts';
import { createGuard } from './lib/addresses.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { Limiter } from './lib/limiter.ts';
import type { Log } from './lib/log.ts';
import { createOutgoing } from './lib/outgoing.ts';
import { VERSION } from './lib/version.ts';
import type { Id } from './model/id.ts';
import { StoreUnavailable } from './store/faults.ts';
import type { Store } from './store/store.ts';

/** How much of the time for a stop is for requests that are under way. */
const REQUESTS_SHARE = 0.8;

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
  const metrics = new Metrics();
  const network = createOutgoing({
    guard: createGuard({ allow: config.allowNetworks, allowLoopback: isLoopback(config.host) }),
  });
  const operatorUrl = (channel: Channel) => config.channelUrls.get(channel.name);
  const delivery =
    config.role === 'all'
      ? new Delivery({
          store,
          clock,
          log,
          network,
          observer: metrics,
          findChannel,
          operatorUrl,
          random: Math.random,
        })
      : undefined;
  const wake = (integrationId: Id) => delivery?.wake(integrationId);
  const services: Services = {
    store,
    clock,
    tokens: new Tokens(store, clock),
    signIn: new SignIn(store, clock),
    outbound: new Outbound(store, clock, wake),
    delivery: {
      wake,
      changed: (integrationId) => delivery?.changed(integrationId),
      changedAll: (applicationId) => delivery?.changedAll(applicationId),
      async check({ id, name, credentials }) {
        const channel = findChannel(name);
        if (!channel) return undefined;
        return checkAccount(
          channel,
          credentials,
          operatorUrl(channel),
          { network, clock },
          async (changed) => void (await store.integrations.renew(id, credentials, changed)),
        );
      },
    },
  };
  const retention = config.retentionDays * 24 * 60 * 60 * 1000;
  const sweeper = new Sweeper({ store, clock, log, retention, wake });
  const depth = new DepthCounter(store, clock, log, (depths) => metrics.queued(depths));
  let stopping = false;
  let listening = '';

  const routes: Route[] = [
    ...messageRoutes(services, metrics),
    ...applicationRoutes(services),
    ...integrationRoutes(services),
    ...channelRoutes(),
    ...tokenRoutes(services),
    ...keyRoutes(services),
    ...userRoutes(services),
    ...teamRoutes(services),
    ...operationRoutes({
      metrics,
      metricsToken: config.metricsToken,
      async ready() {
        if (stopping) throw new StoreUnavailable('the service is stopping');
        await store.engine.ping();
      },
    }),
    ...documentationRoutes(() => document()),
  ];
  let openApi: Record<string, unknown> | undefined;
  const document = () =>
    (openApi ??= openApiDocument(routes, VERSION, config.publicUrl ?? listening));

  const { rateLimit, publicUrl, trustProxy } = config;
  const limiter = rateLimit > 0 ? new Limiter(rateLimit, rateLimit * 2) : undefined;
  const requestTimeout = config.requestTimeout * 1000;
  const app = createServer({
    services,
    routes,
    log,
    metrics,
    limiter,
    publicUrl,
    trustProxy,
    requestTimeout,
  });

  await app.listen({ host: config.host, port: config.port });
  listening = urlOf(app.server.address() as AddressInfo);
  sweeper.start();
  depth.start();
  // Whoever waits for the service to listen need not wait for what it then does by itself.
  void delivery?.start();
  return {
    url: listening,
    routes,
    async stop() {
      stopping = true;
      const since = performance.now();
      // Whoever has not sent the rest of a request by then is cut off, or the stop would wait for it.
      const patience = config.stopTimeout * 1000 * REQUESTS_SHARE;
      const cut = setTimeout(() => app.server.closeAllConnections(), patience);
      await app.close();
      clearTimeout(cut);
      await delivery?.stop(patience - (performance.now() - since));
      await sweeper.stop();
      await depth.stop();
      await network.close();
      await store.close();
    },
  };
}

/** An address to click on: one that listens everywhere is reached here at localhost. */
function urlOf({ address, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Whoever listens for this machine alone may also reach it. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
