import Type from 'typebox';

import { Problem } from '../../model/problem.ts';
import { type ScrapeAccess, mayScrape } from '../auth/scrape-access.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Route, ok, openRoute } from '../server/route.ts';

const Health = Type.Object({ status: Type.Literal('ok') });

const tag = 'Operation';

interface OperationOptions {
  metrics: Metrics;
  scraping: ScrapeAccess;
  /** Rejects or throws while the node is not ready. */
  ready(): Promise<void>;
}

export function operationRoutes({ metrics, scraping, ready }: OperationOptions): Route[] {
  return [
    openRoute({
      method: 'GET',
      path: '/healthz',
      operationId: 'getLiveness',
      tag,
      summary: 'Check liveness',
      success: { status: 200, description: 'The process is alive.', schema: Health },
      handle: () => ok({ status: 'ok' }),
    }),
    openRoute({
      method: 'GET',
      path: '/readyz',
      operationId: 'getReadiness',
      tag,
      summary: 'Check readiness',
      description:
        'Ready while the store answers, its last write succeeded and the service is not stopping. Responds within about a second, even if the store hangs.',
      success: { status: 200, description: 'Ready for requests.', schema: Health },
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
      summary: 'Get Prometheus metrics',
      description:
        'With the bearer token of SWITCHBOARD_METRICS_TOKEN, or from SWITCHBOARD_METRICS_NETWORKS; without either setting, only from loopback to localhost without a proxy.',
      success: { status: 200, description: 'The metrics.', type: 'text/plain' },
      problems: ['not_found'],
      async handle(call) {
        if (!mayScrape(call, scraping)) {
          throw new Problem('not_found', 'no resource at /metrics');
        }
        return {
          status: 200,
          text: await metrics.text(),
          headers: { 'content-type': metrics.contentType },
        };
      },
    }),
  ];
}
