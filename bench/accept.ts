import autocannon from 'autocannon';

import { EXAMPLE_ACTIVITY } from '../src/http/activity.ts';
import { type Running, startProcess } from './harness/processes.ts';
import { startBenchService } from './harness/service.ts';

/** A server that accepts POST /1/message. */
export interface Target {
  name: string;
  running: Running;
  headers: Record<string, string>;
  body: string;
  /** The number of messages it reports as accepted; undefined if it stores nothing. */
  stored(): Promise<number | undefined>;
}

export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
}

export async function bareTarget(): Promise<Target> {
  return {
    name: 'bare Fastify POST',
    running: await startProcess('bench/harness/bare.ts', []),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: EXAMPLE_ACTIVITY }),
    stored: async () => undefined,
  };
}

/** The service with one application and one integration. It does not deliver. */
export async function serviceTarget(
  name: string,
  environment: Record<string, string>,
): Promise<Target> {
  const service = await startBenchService({ ...environment, SWITCHBOARD_ROLE: 'api' });
  const { headers, body } = await service.application({
    name: 'telegram',
    token: '110201543:bench',
  });
  return {
    name,
    running: service.running,
    headers,
    body: body(EXAMPLE_ACTIVITY.to.id),
    stored: () => service.metric(/^switchboard_messages_accepted_total (\d+)/m),
  };
}

/** Sends load to a target, and checks that every response was a 202 and every accepted message was stored. */
export async function measure(
  target: Target,
  connections: number,
  seconds: number,
): Promise<Measured> {
  const before = (await target.stored()) ?? 0;
  const result = await autocannon({
    url: `${target.running.url}/1/message`,
    method: 'POST',
    headers: target.headers,
    body: target.body,
    connections,
    duration: seconds,
    workers: 1,
  });
  const answered = result['2xx'];
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${target.name}: ${result.non2xx} refused, ${result.errors} errors`);
  }
  const after = await target.stored();
  if (after !== undefined && after - before < answered) {
    throw new Error(`${target.name}: ${answered} answered, but ${after - before} stored`);
  }
  return {
    perSecond: answered / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
