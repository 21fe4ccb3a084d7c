import { Counter, Gauge, type Metric, Registry, collectDefaultMetrics } from 'prom-client';

import { Durations } from './durations.ts';

/** What Prometheus is told. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Durations(
    'switchboard_http_request_duration_seconds',
    'How long requests took, by method, route and status.',
    ['method', 'route', 'status'],
  );
  readonly #settled = new Durations(
    'switchboard_delivery_duration_seconds',
    'How long after it was accepted a message was sent or came to nothing, by channel and state.',
    ['channel', 'state'],
  );
  readonly accepted: Counter;
  readonly #attempts: Counter<'channel' | 'outcome'>;
  readonly #hooks: Counter<'channel' | 'outcome'>;
  readonly #queued: Gauge<'channel'>;
  readonly #oldest: Gauge;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // It has what the registry asks of a metric, if not all that the library's own classes have.
    this.registry.registerMetric(this.#requests as unknown as Metric);
    this.registry.registerMetric(this.#settled as unknown as Metric);
    this.accepted = new Counter({
      name: 'switchboard_messages_accepted_total',
      help: 'How many messages were accepted, that is, stored durably.',
      registers: [this.registry],
    });
    this.#attempts = new Counter({
      name: 'switchboard_delivery_attempts_total',
      help: 'How many tries to send there were, by channel and outcome.',
      labelNames: ['channel', 'outcome'],
      registers: [this.registry],
    });
    this.#hooks = new Counter({
      name: 'switchboard_hook_calls_total',
      help: 'How many calls of vendors there were, by channel and whether they were taken.',
      labelNames: ['channel', 'outcome'],
      registers: [this.registry],
    });
    this.#queued = new Gauge({
      name: 'switchboard_queue_depth',
      help: 'How many messages are queued, by channel, as they were counted within the last minute.',
      labelNames: ['channel'],
      registers: [this.registry],
    });
    this.#oldest = new Gauge({
      name: 'switchboard_queue_oldest_due_seconds',
      help: 'How long the message has been due that has been due the longest and may be sent.',
      registers: [this.registry],
    });
  }

  hooked(channel: string, outcome: string): void {
    this.#hooks.inc({ channel, outcome });
  }

  tried(channel: string, outcome: string): void {
    this.#attempts.inc({ channel, outcome });
  }

  settled(channel: string, state: string, milliseconds: number): void {
    this.#settled.observe(`${channel} ${state}`, milliseconds / 1000);
  }

  oldestDue(milliseconds: number): void {
    this.#oldest.set(milliseconds / 1000);
  }

  queued(depths: ReadonlyMap<string, number>): void {
    this.#queued.reset();
    for (const [channel, depth] of depths) this.#queued.set({ channel }, depth);
  }

  observe(method: string, route: string, status: number, milliseconds: number): void {
    this.#requests.observe(`${method} ${route} ${status}`, milliseconds / 1000);
  }
}
