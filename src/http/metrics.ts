import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** What Prometheus is told. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Histogram<'method' | 'route' | 'status'>;
  readonly accepted: Counter;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Histogram({
      name: 'switchboard_http_request_duration_seconds',
      help: 'How long requests took, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [this.registry],
    });
    this.accepted = new Counter({
      name: 'switchboard_messages_accepted_total',
      help: 'How many messages were accepted, that is, stored durably.',
      registers: [this.registry],
    });
  }

  observe(method: string, route: string, status: number, milliseconds: number): void {
    this.#requests.observe({ method, route, status }, milliseconds / 1000);
  }
}
