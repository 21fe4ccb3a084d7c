/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Like Resolve; the signal cancels a lookup that has not started. */
export type Lookup = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface LookupOptions {
  /** Maximum concurrent lookups. */
  most?: number;
  /** Maximum concurrent lookups of names that were slow the last time. */
  mostSlow?: number;
  /** A lookup that takes at least this many milliseconds counts as slow. */
  slow?: number;
}

const MAX_SLOW_NAMES = 1000;

interface Waiting {
  host: string;
  /** Number of callers. */
  wanted: number;
  begin(): void;
}

/**
 * Bounds concurrent name lookups. The system resolver has few threads, and a name whose servers do not answer blocks
 * one for long. So concurrent callers share one lookup per name, further names queue, and names known to be slow get
 * only part of the slots.
 */
export function createLookup(resolve: Resolve, options: LookupOptions = {}): Lookup {
  const { most = 16, mostSlow = most / 2, slow = 1000 } = options;
  const flights = new Map<string, { waiting: Waiting; answer: Promise<readonly string[]> }>();
  const queue = new Set<Waiting>();
  const slowNames = new Set<string>();
  let underWay = 0;
  let slowUnderWay = 0;

  const remember = (host: string, wasSlow: boolean) => {
    slowNames.delete(host);
    if (wasSlow) slowNames.add(host);
    const [oldest] = slowNames;
    if (slowNames.size > MAX_SLOW_NAMES && oldest !== undefined) slowNames.delete(oldest);
  };

  const fillPlaces = () => {
    for (const waiting of queue) {
      if (underWay >= most) return;
      if (slowNames.has(waiting.host) && slowUnderWay >= mostSlow) continue;
      queue.delete(waiting);
      waiting.begin();
    }
  };

  const run = async (host: string) => {
    const began = performance.now();
    const isSlow = slowNames.has(host);
    underWay++;
    if (isSlow) slowUnderWay++;
    try {
      return await resolve(host);
    } finally {
      underWay--;
      if (isSlow) slowUnderWay--;
      remember(host, performance.now() - began >= slow);
      flights.delete(host);
      fillPlaces();
    }
  };

  const enqueue = (host: string) => {
    const { promise: answer, resolve: settle } = Promise.withResolvers<readonly string[]>();
    const waiting: Waiting = { host, wanted: 0, begin: () => settle(run(host)) };
    // If all callers cancel, nobody handles a rejection.
    answer.catch(() => {});
    const flight = { waiting, answer };
    flights.set(host, flight);
    queue.add(waiting);
    return flight;
  };

  return async (name, signal) => {
    const host = name.toLowerCase();
    const { waiting, answer } = flights.get(host) ?? enqueue(host);
    const onAbort = () => {
      if (--waiting.wanted > 0 || !queue.delete(waiting)) return;
      flights.delete(host);
    };
    waiting.wanted++;
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    fillPlaces();
    try {
      return await answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };
}
