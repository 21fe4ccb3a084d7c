import { setTimeout as pause } from 'node:timers/promises';

import autocannon from 'autocannon';

import { type Running, startProcess } from './processes.ts';
import { type BenchApplication, type BenchService, startBenchService } from './service.ts';

/* How many messages a second are accepted and delivered, from the first request to the last delivery. */

const TENANTS = 8;
const RECIPIENTS = 50;
const STEP = 37;

export interface DeliveryTarget {
  name: string;
  service: BenchService;
  sink: Running;
  measure(connections: number, seconds: number): Promise<number>;
  stop(): Promise<void>;
}

export async function deliveryTarget(
  name: string,
  environment: Record<string, string>,
): Promise<DeliveryTarget> {
  const sink = await startProcess('bench/sink.ts', []);
  const service = await startBenchService(environment);
  const applications: BenchApplication[] = [];
  for (let i = 0; i < TENANTS; i++) {
    applications.push(await service.application({ name: 'webhook', address: sink.url }));
  }
  const requests = Array.from({ length: RECIPIENTS }, (_, i) =>
    applications.map(({ headers, body }) => ({ headers, body: body(`recipient-${i}`) })),
  ).flat();
  const delivered = async () => Number(await (await fetch(sink.url)).text());
  return {
    name,
    service,
    sink,
    async measure(connections, seconds) {
      const before = await delivered();
      const began = performance.now();
      let clients = 0;
      const result = await autocannon({
        url: `${service.running.url}/1/message`,
        method: 'POST',
        // Each connection begins elsewhere, or all would write to the same recipient at once.
        setupClient: (client) =>
          client.setRequests(rotated(requests, (clients++ * STEP) % requests.length)),
        connections,
        duration: seconds,
      });
      if (result.non2xx > 0 || result.errors > 0) {
        throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} errors`);
      }
      while ((await delivered()) - before < result['2xx']) await pause(5);
      return result['2xx'] / ((performance.now() - began) / 1000);
    },
    async stop() {
      await service.running.stop();
      await sink.stop();
    },
  };
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  return [...items.slice(by), ...items.slice(0, by)];
}
