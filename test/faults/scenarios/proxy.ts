import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/**
 * Where a connection is cut: in the middle of the request, so that it has no effect; or when the response arrives, so that
 * it has taken effect but the client does not know.
 */
export type Cut = 'question' | 'answer';

/** A TCP proxy that can cut connections. */
export interface Proxy extends AsyncDisposable {
  port: number;
  /** Cuts each open connection when it is next used. */
  cutAll(how: Cut): void;
  /** Cuts the next new connection. */
  cutNext(how: Cut): void;
  /** Closes all open connections, and forwards new ones to this port. */
  leadTo(port: number): void;
  /** Stops forwarding on open connections, and with `forGood` on new ones too, without closing them. */
  silence(options?: { forGood?: boolean }): void;
  /** The number of connections cut. */
  readonly count: number;
  /** The number of connections that will be cut on next use. */
  readonly pending: number;
}

interface Way {
  near: Socket;
  far: Socket;
  cut: Cut | undefined;
  isAsked: boolean;
  isSilent: boolean;
}

export async function openProxy(firstPort: number): Promise<Proxy> {
  const ways = new Set<Way>();
  let count = 0;
  let port = firstPort;
  let isSilent = false;
  let next: Cut | undefined;
  const end = (way: Way) => {
    way.near.resetAndDestroy();
    way.far.resetAndDestroy();
    ways.delete(way);
    count++;
  };
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    const way: Way = { near, far, cut: next, isAsked: false, isSilent };
    next = undefined;
    ways.add(way);
    near.setNoDelay(true);
    far.setNoDelay(true);
    near.on('data', (chunk: Buffer) => {
      if (way.isSilent) return;
      way.isAsked = true;
      if (way.cut !== 'question') return far.write(chunk);
      far.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => end(way));
    });
    far.on('data', (chunk: Buffer) => {
      if (way.isSilent) return;
      if (way.cut === 'answer' && way.isAsked) end(way);
      else near.write(chunk);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => {
        other.destroy();
        ways.delete(way);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get count() {
      return count;
    },
    get pending() {
      return [...ways].filter(({ cut }) => cut !== undefined).length;
    },
    cutAll(how) {
      for (const way of ways) {
        way.cut = how;
        way.isAsked = false;
      }
    },
    cutNext(how) {
      next = how;
    },
    silence({ forGood = false } = {}) {
      isSilent = forGood;
      for (const way of ways) way.isSilent = true;
    },
    leadTo(other) {
      port = other;
      for (const way of ways) end(way);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const { near } of ways) near.destroy();
      await once(server, 'close');
    },
  };
}
