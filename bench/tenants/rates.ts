import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import autocannon from 'autocannon';

import { type Running, startNode } from '../harness/processes.ts';
import type { Tenant } from './tenants.ts';

const CONNECTIONS = 100;
/** Enough to deliver the whole run at a tenth of the usual rate. */
const MAX_DRAIN_MS = 180_000;

/** Messages per second, one to each tenant in turn. */
export interface Rates {
  /** The first message of each tenant, whose token, application and integration the service has not read yet. */
  firstAccepted: number;
  accepted: number;
  delivered: number;
}

/**
 * `accepted` by a service that does not deliver; `delivered` from the first request to the last delivery. Both count
 * after the first message of each tenant.
 */
export async function measureRates(
  environment: Record<string, string>,
  sink: Running,
  tenants: readonly Tenant[],
  seconds: number,
): Promise<Rates> {
  const api = await startNode({ ...environment, SWITCHBOARD_ROLE: 'api' });
  const first = await load(api, tenants, { amount: tenants.length });
  const accepted = await load(api, tenants, { duration: seconds });
  await api.stop();
  const all = await startNode(environment);
  await load(all, tenants, { amount: tenants.length });
  await drained(sink);
  const before = await deliveredTo(sink);
  const both = await load(all, tenants, { duration: seconds });
  const began = performance.now();
  while ((await deliveredTo(sink)) - before < both.messages) {
    if (performance.now() - began > MAX_DRAIN_MS) throw new Error('not everything was delivered');
    await pause(5);
  }
  const took = both.seconds + (performance.now() - began) / 1000;
  await all.stop();
  return {
    firstAccepted: first.messages / first.seconds,
    accepted: accepted.messages / accepted.seconds,
    delivered: both.messages / took,
  };
}

const deliveredTo = async (sink: Running) => Number(await (await fetch(sink.url)).text());

/** Waits until the messages accepted earlier are delivered. */
async function drained(sink: Running): Promise<void> {
  let last = -1;
  for (let now = await deliveredTo(sink); now !== last; now = await deliveredTo(sink)) {
    last = now;
    await pause(2_000);
  }
}

async function load(
  { url }: Running,
  tenants: readonly Tenant[],
  bound: { amount: number } | { duration: number },
): Promise<{ messages: number; seconds: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
  let clients = 0;
  const running = autocannon(
    {
      url: `${url}/1/message`,
      method: 'POST',
      // Each connection has its own tenants, so that no two send for the same one.
      setupClient: (client) => client.setRequests(shareOf(tenants, clients++)),
      connections: CONNECTIONS,
      ...bound,
    },
    (error, result) => (error ? reject(error as Error) : resolve(result)),
  );
  await once(running, 'start');
  const began = performance.now();
  const { non2xx, errors, ...result } = await promise;
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refused, ${errors} errors`);
  return { messages: result['2xx'], seconds: (performance.now() - began) / 1000 };
}

const shareOf = (tenants: readonly Tenant[], client: number): Tenant[] =>
  tenants.filter((_, i) => i % CONNECTIONS === client % CONNECTIONS);
