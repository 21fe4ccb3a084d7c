import Type from 'typebox';

import { Problem } from '../../model/problem.ts';
import type { Metrics } from '../metrics.ts';
import { type Route, ok, openRoute } from '../route.ts';
import { type ScrapeAccess, mayScrape } from '../scrape-access.ts';

const Health = Type.Object({ status: Type.Literal('ok') });

const tag = 'Operation';

export interface OperationOptions {
  metrics: Metrics;
  scraping: ScrapeAccess;
  /** Rejects, or throws, when requests should go elsewhere. */
  ready(): Promise<void>;
}

export function operationRoutes({ metrics, scraping, ready }: OperationOptions): Route[] {
  return [
    openRoute({
      method: 'GET',
      path: '/healthz',
      operationId: 'getLiveness',
      tag,
      summary: 'Is the process alive?',
      success: { status: 200, description: 'It is.', schema: Health },
      handle: () => ok({ status: 'ok' }),
    }),
    openRoute({
      method: 'GET',
      path: '/readyz',
      operationId: 'getReadiness',
      tag,
      summary: 'Should requests be sent here?',
      description:
        'Only while the store answers and no stop is under way. It answers within about a second, whatever the store does.',
      success: { status: 200, description: 'They should.', schema: Health },
      problems: ['store_unavailable'],
      async handle() {
        await ready();
        return ok({ status: 'ok' });
      },
    }),
    openRoute({
      method: 'GET',
      path: '/metrics',
      operationId: 'getMetrics',
      tag,
      summary: 'Metrics for Prometheus',
      description:
        'With the bearer token of SWITCHBOARD_METRICS_TOKEN, or from SWITCHBOARD_METRICS_NETWORKS; without either, from loopback to localhost and through no proxy.',
      success: { status: 200, description: 'The metrics.', type: 'text/plain' },
      problems: ['not_found'],
      async handle(call) {
        if (!mayScrape(call, scraping)) {
          throw new Problem('not_found', 'there is nothing at /metrics');
        }
        return {
          status: 200,
          text: await metrics.registry.metrics(),
          headers: { 'content-type': metrics.registry.contentType },
        };
      },
    }),
  ];
}
