import { Counter, type Metric, Registry, collectDefaultMetrics } from 'prom-client';

import { Durations } from './durations.ts';

/** What Prometheus is told. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Durations(
    'switchboard_http_request_duration_seconds',
    'How long requests took, by method, route and status.',
  );
  readonly accepted: Counter;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // It has what the registry asks of a metric, if not all that the library's own classes have.
    this.registry.registerMetric(this.#requests as unknown as Metric);
    this.accepted = new Counter({
      name: 'switchboard_messages_accepted_total',
      help: 'How many messages were accepted, that is, stored durably.',
      registers: [this.registry],
    });
  }

  observe(method: string, route: string, status: number, milliseconds: number): void {
    this.#requests.observe(`${method} ${route} ${status}`, milliseconds / 1000);
  }
}
