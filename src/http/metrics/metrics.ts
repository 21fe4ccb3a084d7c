import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';

import type { ConnectionCounts } from '../../store/engine.ts';
import type { StoreTotals } from '../../store/statistics/store-totals.ts';
import { Durations } from './durations.ts';
import { METRICS } from './metric-table.ts';

/** Values read at scrape time. */
interface Readings {
  isStoreUp(): boolean;
  /** Messages in flight on this node. */
  inFlight(): number;
  owned(): number;
  sockets(): Readonly<Record<string, number>>;
  /** Undefined with PostgreSQL. */
  logBytes(): number | undefined;
  /** Undefined with the embedded store. */
  connections(): ConnectionCounts | undefined;
}

/**
 * How often the event loop lag is sampled; the metric is never lower. At the default of 10 ms, these timers were most of
 * the work of an idle service.
 */
const LAG_SAMPLE_INTERVAL_MS = 50;

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Durations(METRICS.requests);
  readonly #settled = new Durations(METRICS.settled);
  readonly #storeAnswers = new Durations(METRICS.storeAnswers);
  readonly #accepted = this.#counter(METRICS.accepted);
  readonly #sandboxAccepted = this.#counter(METRICS.sandboxAccepted);
  readonly #sandboxAttempts = this.#counter(METRICS.sandboxAttempts);
  /**
   * Attempts by channel and outcome, handed to prom-client at scrape time because it looks up labels on every
   * increment.
   */
  readonly #attempts = new Map<string, number>();
  readonly #hooks = this.#counter(METRICS.hooks);
  readonly #spans = this.#counter(METRICS.spans);
  readonly #queued = this.#gauge(METRICS.queued);
  readonly #oldest = this.#gauge(METRICS.oldest);
  readonly #eventsBehind = this.#gauge(METRICS.eventsBehind);
  readonly #nodes = this.#gauge(METRICS.nodes);
  readonly #unowned = this.#gauge(METRICS.unowned);
  readonly #paused = this.#gauge(METRICS.paused);
  readonly #failing = this.#gauge(METRICS.failing);
  readonly #notReceiving = this.#gauge(METRICS.notReceiving);

  constructor(build: Record<(typeof METRICS.build.labels)[number], string>) {
    const eventLoopMonitoringPrecision = LAG_SAMPLE_INTERVAL_MS;
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision });
    this.#gauge(METRICS.build).set(build, 1);
    this.#counter(METRICS.attempts, (counter) => {
      counter.reset();
      for (const [key, count] of this.#attempts) {
        const [channel = '', outcome = ''] = key.split(' ');
        counter.inc({ channel, outcome }, count);
      }
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics, in the Prometheus text format. */
  async text(): Promise<string> {
    const durations = [this.#requests, this.#settled, this.#storeAnswers];
    const others = await this.#registry.metrics();
    return `${durations.map((each) => each.text()).join('\n\n')}\n\n${others}`;
  }

  /** Sets the sources that are read at scrape time. */
  read({ isStoreUp, inFlight, owned, sockets, logBytes, connections }: Readings): void {
    this.#gauge(METRICS.storeUp, (gauge) => gauge.set(isStoreUp() ? 1 : 0));
    this.#gauge(METRICS.inFlight, (gauge) => gauge.set(inFlight()));
    this.#gauge(METRICS.owned, (gauge) => gauge.set(owned()));
    this.#gauge(METRICS.sockets, (gauge) => {
      for (const [kind, count] of Object.entries(sockets())) gauge.set({ kind }, count);
    });
    if (logBytes() !== undefined) {
      this.#gauge(METRICS.logBytes, (gauge) => gauge.set(logBytes() ?? 0));
    }
    if (!connections()) return;
    this.#gauge(METRICS.connections, (gauge) => {
      const { used = 0, idle = 0 } = connections() ?? {};
      gauge.set({ state: 'used' }, used);
      gauge.set({ state: 'idle' }, idle);
    });
    this.#gauge(METRICS.connectionsAwaited, (gauge) => gauge.set(connections()?.awaited ?? 0));
  }

  webhookReceived(channel: string, outcome: string): void {
    this.#hooks.inc({ channel, outcome });
  }

  traced(outcome: string, count: number): void {
    this.#spans.inc({ outcome }, count);
  }

  accepted(isSandboxed: boolean): void {
    (isSandboxed ? this.#sandboxAccepted : this.#accepted).inc();
  }

  attempted(channel: string, outcome: string, isSandboxed: boolean): void {
    if (isSandboxed) {
      this.#sandboxAttempts.inc({ channel, outcome });
      return;
    }
    const key = `${channel} ${outcome}`;
    this.#attempts.set(key, (this.#attempts.get(key) ?? 0) + 1);
  }

  settled(channel: string, state: string, milliseconds: number): void {
    this.#settled.observe(`${channel} ${state}`, milliseconds / 1000);
  }

  oldestDue(milliseconds: number): void {
    this.#oldest.set(milliseconds / 1000);
  }

  storeAnswered(milliseconds: number): void {
    this.#storeAnswers.observe('', milliseconds / 1000);
  }

  queued(depths: ReadonlyMap<string, number>): void {
    this.#queued.reset();
    for (const [channel, depth] of depths) this.#queued.set({ channel }, depth);
  }

  recordTotals(totals: StoreTotals): void {
    const { nodes, unowned, paused, failing, notReceiving, eventsBehind } = totals;
    for (const [role, count] of Object.entries(nodes)) this.#nodes.set({ role }, count);
    this.#unowned.set(unowned);
    this.#paused.reset();
    for (const { channel, reason, count } of paused) this.#paused.set({ channel, reason }, count);
    this.#failing.reset();
    for (const { channel, count } of failing) this.#failing.set({ channel }, count);
    this.#notReceiving.reset();
    for (const { channel, count } of notReceiving) this.#notReceiving.set({ channel }, count);
    this.#eventsBehind.set(eventsBehind);
  }

  observe(method: string, route: string, status: number, milliseconds: number): void {
    this.#requests.observe(`${method} ${route} ${status}`, milliseconds / 1000);
  }

  #counter<Label extends string>(
    { name, help, labels }: Definition<Label>,
    read?: (counter: Counter<Label>) => void,
  ): Counter<Label> {
    const counter: Counter<Label> = new Counter({
      name,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      ...(read && { collect: () => read(counter) }),
    });
    return counter;
  }

  #gauge<Label extends string>(
    { name, help, labels }: Definition<Label>,
    read?: (gauge: Gauge<Label>) => void,
  ): Gauge<Label> {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
      ...(read && { collect: () => read(gauge) }),
    });
    return gauge;
  }
}

interface Definition<Label extends string> {
  name: string;
  help: string;
  labels: readonly Label[];
}
