import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import autocannon from 'autocannon';

import { type Running, startProcess } from './harness/processes.ts';
import { type BenchApplication, type BenchService, startBenchService } from './harness/service.ts';

/* Messages accepted and delivered per second, from the first request to the last delivery. */

export const TENANTS = 8;
const RECIPIENTS = 50;
const ROTATION_STEP = 37;

type Sender = Pick<BenchApplication, 'headers' | 'body'>;

export interface Throughput {
  messages: number;
  perSecond: number;
}

export interface DeliveryTarget {
  name: string;
  measure(connections: number, seconds: number): Promise<Throughput>;
  stop(): Promise<void>;
}

/** The service, with applications that each have a webhook. */
export async function deliveryTarget(
  name: string,
  environment: Record<string, string>,
  root?: string,
): Promise<DeliveryTarget & { service: BenchService; sink: Running }> {
  const sink = await startProcess('bench/harness/sink.ts', []);
  const service = await startBenchService(environment, root);
  const applications: BenchApplication[] = [];
  for (let i = 0; i < TENANTS; i++) {
    applications.push(await service.application({ name: 'webhook', address: sink.url }));
  }
  const target = targetOf(name, service.running, sink, applications);
  return { ...target, service, sink };
}

/** A gateway that accepts messages at `running` and delivers them to `sink`. */
export function targetOf(
  name: string,
  running: Running,
  sink: Running,
  senders: readonly Sender[],
): DeliveryTarget {
  const requests = requestsOf(senders);
  const delivered = async () => Number(await (await fetch(sink.url)).text());
  return {
    name,
    async measure(connections, seconds) {
      const before = await delivered();
      let clients = 0;
      const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>();
      const load = autocannon(
        {
          url: `${running.url}/1/message`,
          method: 'POST',
          setupClient: (client) => client.setRequests(rotated(requests, clients++)),
          connections,
          duration: seconds,
        },
        (error, result) => (error ? reject(error as Error) : resolve(result)),
      );
      // The load generator prepares its requests first; that time does not count.
      await once(load, 'start');
      const began = performance.now();
      const result = await promise;
      if (result.non2xx > 0 || result.errors > 0) {
        throw new Error(`${name}: ${result.non2xx} refused, ${result.errors} errors`);
      }
      const messages = result['2xx'];
      while ((await delivered()) - before < messages) await pause(5);
      return { messages, perSecond: messages / ((performance.now() - began) / 1000) };
    },
    async stop() {
      await running.stop();
      await sink.stop();
    },
  };
}

/** One request for each sender and recipient. */
export function requestsOf(senders: readonly Sender[]): autocannon.Request[] {
  return Array.from({ length: RECIPIENTS }, (_, i) =>
    senders.map(({ headers, body }) => ({ headers, body: body(`recipient-${i}`) })),
  ).flat();
}

/** Starts each client at a different item, so that they do not all write to the same recipient at once. */
export function rotated<Item>(items: readonly Item[], client: number): Item[] {
  const by = (client * ROTATION_STEP) % items.length;
  return [...items.slice(by), ...items.slice(0, by)];
}
