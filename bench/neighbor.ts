import { type Bench, middle, ratio } from './harness/bench.ts';
import { openEndpoint, percentile } from './harness/endpoint.ts';
import { startBenchService } from './harness/service.ts';
import { delaysOf } from './latency.ts';

/*
 * The delay of one tenant's messages while another tenant has 100,000 queued. Both send to endpoints that answer within
 * 20 ms, like fast vendors.
 */
export interface Neighbor {
  alone: number;
  beside: number;
  /** Messages sent for both by the end, which shows that most of the backlog was still queued. */
  sent: number;
}

const QUEUED = 100_000;
const RECIPIENTS = 10_000;
const BATCH = 1_000;
const MESSAGES = 400;
const LATENCY_MS = 20;
const SENT = /^switchboard_delivery_attempts_total\{channel="webhook",outcome="sent"\} (\d+)/m;

async function measureNeighbor(environment: Record<string, string>): Promise<Neighbor> {
  const endpoint = await openEndpoint(LATENCY_MS);
  const closed = await openEndpoint(LATENCY_MS, 401);
  const service = await startBenchService(environment);
  const { url } = service.running;
  try {
    const quiet = await service.application({ name: 'webhook', address: endpoint.url });
    const noisy = await service.application({ name: 'webhook', address: closed.url });
    const delay = async () => percentile(await delaysOf(url, quiet, endpoint, MESSAGES), 0.5);
    // The median of several runs, because the store sometimes has background work.
    const typical = async () => middle([await delay(), await delay(), await delay()]);
    await delay();
    const alone = await typical();
    // The first message is refused with 401, which pauses the integration; the others queue until its address changes.
    for (let i = 0; i < QUEUED; i += BATCH) {
      const messages = Array.from({ length: BATCH }, (_, j) =>
        noisy.activity(`noisy-${(i + j) % RECIPIENTS}`),
      );
      await service.call('/1/messages', { messages }, noisy.token);
    }
    const change = { name: 'webhook', address: endpoint.url };
    await service.call(`/1/integrations/${noisy.integrationId}`, change, noisy.token, 'PUT');
    const beside = await typical();
    const sent = await service.metric(SENT);
    return { alone, beside, sent };
  } finally {
    await service.running.stop();
    await endpoint.close();
    await closed.close();
  }
}

export async function report(bench: Bench): Promise<void> {
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const { alone, beside } = await measureNeighbor(await open());
    rows.push([name, alone.toFixed(1), beside.toFixed(1), ratio(beside, alone)]);
  }
  bench.report(
    ['a tenant beside one with 100,000 queued', 'alone, p50 ms', 'beside, p50 ms', 'ratio'],
    rows,
  );
}
