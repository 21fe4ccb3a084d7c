import type { Channel } from '../channels/channel.ts';
import type { Config } from '../config.ts';
import { StatsCollector } from '../deliver/stats-collector.ts';
import { Metrics } from '../http/metrics/metrics.ts';
import { type HttpClient, createHttpClient } from '../lib/http/client.ts';
import { createGuard } from '../lib/net/address-guard.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import { type ExpiringValues, ExpiringValuesByOwner } from '../lib/runtime/expiring-values.ts';
import { VERSION } from '../lib/runtime/version.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { openTracer } from '../lib/telemetry/opentelemetry.ts';
import type { Tracer } from '../lib/telemetry/tracing.ts';
import type { Id } from '../model/id.ts';
import type { Store } from '../store/store.ts';

/** Dependencies shared by all areas of the service. */
export interface Core {
  config: Config;
  store: Store;
  log: Log;
  clock: Clock;
  metrics: Metrics;
  network: HttpClient;
  tracer: Tracer | undefined;
  stats: StatsCollector;
  address: ServiceAddress;
  /** The short-lived values that a channel shares between webhooks and sends of an integration. */
  sharedStateOf(integrationId: Id): ExpiringValues;
  /** The operator's override of a channel's base URL. */
  operatorUrl(channel: Channel): string | undefined;
}

/** Maximum number of integrations, and of values for each; the oldest are evicted. */
const MAX_SHARED_VALUES = { owners: 500, each: 500 };

/** The service's own address, known once it listens. */
class ServiceAddress {
  port: number;
  #listenUrl = '';
  readonly #publicUrl: string | undefined;

  constructor(port: number, publicUrl: string | undefined) {
    this.port = port;
    this.#publicUrl = publicUrl;
  }

  get listenUrl(): string {
    return this.#listenUrl;
  }

  get baseUrl(): string {
    return this.#publicUrl ?? this.#listenUrl;
  }

  setListening(port: number, url: string): void {
    this.port = port;
    this.#listenUrl = url;
  }
}

export async function buildCore(
  config: Config,
  store: Store,
  log: Log,
  clock: Clock,
): Promise<Core> {
  const { allowNetworks, allowLoopback = false, channelUrls, port, publicUrl, role } = config;
  const metrics = new Metrics({ version: VERSION, role, store: store.engine.name });
  const address = new ServiceAddress(port, publicUrl);
  const guard = createGuard({ allow: allowNetworks, allowLoopback, ownPort: () => address.port });
  const sharedState = new ExpiringValuesByOwner<Id>(clock, MAX_SHARED_VALUES);
  return {
    config,
    store,
    log,
    clock,
    metrics,
    network: createHttpClient({ guard }),
    tracer: await buildTracer(config, log, metrics),
    stats: new StatsCollector(store, clock, log),
    address,
    sharedStateOf: (integrationId) => sharedState.of(integrationId),
    operatorUrl: (channel) => channelUrls.get(channel.name),
  };
}

/** Undefined when tracing is off. */
async function buildTracer(
  config: Config,
  log: Log,
  metrics: Metrics,
): Promise<Tracer | undefined> {
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
    failing: (error) => log.warn({ err: error }, 'trace export failed, dropping spans'),
    recovered: () => log.info('trace export recovered'),
  });
}
