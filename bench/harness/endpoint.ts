import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook receiver in this process that reports when each message arrived. */
export interface Endpoint {
  url: string;
  /** Resolves to the time at which a message to that recipient arrived. */
  inboundEvent(to: string): Promise<number>;
  close(): Promise<void>;
}

/** Answers each request after `latency` milliseconds. */
export async function openEndpoint(latency: number, status = 204): Promise<Endpoint> {
  const waiting = new Map<string, (at: number) => void>();
  const server = createServer((request, response) => {
    const at = performance.now();
    void request.toArray().then((chunks: Buffer[]) => {
      const to =
        /"to":\{"type":"Person","id":"([^"]*)"/.exec(Buffer.concat(chunks).toString())?.[1] ?? '';
      waiting.get(to)?.(at);
      waiting.delete(to);
      setTimeout(() => response.writeHead(status).end(), latency);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    inboundEvent: (to) => new Promise((resolve) => void waiting.set(to, resolve)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
