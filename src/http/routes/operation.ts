import { isIP } from 'node:net';

import Type from 'typebox';

import { equalInConstantTime } from '../../lib/constant-time.ts';
import { Problem } from '../../model/problem.ts';
import type { Metrics } from '../metrics.ts';
import { type Call, type Route, ok, openRoute } from '../route.ts';

const Health = Type.Object({ status: Type.Literal('ok') });

const tag = 'Operation';

export interface OperationOptions {
  metrics: Metrics;
  metricsToken: string | undefined;
  /** Rejects, or throws, when requests should go elsewhere. */
  ready(): Promise<void>;
}

export function operationRoutes({ metrics, metricsToken, ready }: OperationOptions): Route[] {
  return [
    openRoute({
      method: 'GET',
      path: '/healthz',
      tag,
      summary: 'Is the process alive?',
      success: { status: 200, description: 'It is.', schema: Health },
      handle: () => ok({ status: 'ok' }),
    }),
    openRoute({
      method: 'GET',
      path: '/readyz',
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
      tag,
      summary: 'Metrics for Prometheus',
      description:
        'On loopback, or with the bearer token of SWITCHBOARD_METRICS_TOKEN when that is set.',
      success: { status: 200, description: 'The metrics.', type: 'text/plain' },
      problems: ['not_found'],
      async handle(call) {
        if (!mayScrape(call, metricsToken)) {
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

/** Behind a proxy everyone comes from loopback, so a forwarded request does not count as local. */
function mayScrape({ ip, headers }: Call<undefined, unknown>, token: string | undefined): boolean {
  if (token !== undefined) return equalInConstantTime(headers.authorization, `Bearer ${token}`);
  return (
    isLoopback(ip) && headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined
  );
}

function isLoopback(ip: string): boolean {
  const plain = ip.replace(/^::ffff:/, '');
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}
