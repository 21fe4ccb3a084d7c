/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Like Resolve; the signal cancels a lookup that has not started. */
type Lookup = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface LookupOptions {
  maxConcurrent?: number;
  /** Maximum concurrent lookups of names that were slow the last time. */
  maxSlow?: number;
  /** A lookup that takes at least this many milliseconds counts as slow. */
  slowMs?: number;
}

const MAX_SLOW_NAMES = 1000;

interface QueuedLookup {
  host: string;
  callers: number;
  begin(): void;
}

/**
 * Bounds concurrent name lookups. The system resolver has few threads, and a name whose servers do not answer blocks
 * one for long. So concurrent callers share one lookup per name, further names queue, and names known to be slow get
 * only part of the slots.
 */
export function createLookup(resolve: Resolve, options: LookupOptions = {}): Lookup {
  const { maxConcurrent = 16, maxSlow = maxConcurrent / 2, slowMs = 1000 } = options;
  const lookups = new Map<string, { lookup: QueuedLookup; answer: Promise<readonly string[]> }>();
  const queue = new Set<QueuedLookup>();
  const slowNames = new Set<string>();
  let running = 0;
  let slowRunning = 0;

  const remember = (host: string, wasSlow: boolean) => {
    slowNames.delete(host);
    if (wasSlow) slowNames.add(host);
    const [oldest] = slowNames;
    if (slowNames.size > MAX_SLOW_NAMES && oldest !== undefined) slowNames.delete(oldest);
  };

  const startQueued = () => {
    for (const lookup of queue) {
      if (running >= maxConcurrent) return;
      if (slowNames.has(lookup.host) && slowRunning >= maxSlow) continue;
      queue.delete(lookup);
      lookup.begin();
    }
  };

  const run = async (host: string) => {
    const began = performance.now();
    const isSlow = slowNames.has(host);
    running++;
    if (isSlow) slowRunning++;
    try {
      return await resolve(host);
    } finally {
      running--;
      if (isSlow) slowRunning--;
      remember(host, performance.now() - began >= slowMs);
      lookups.delete(host);
      startQueued();
    }
  };

  const enqueue = (host: string) => {
    const { promise: answer, resolve: settle } = Promise.withResolvers<readonly string[]>();
    const lookup: QueuedLookup = { host, callers: 0, begin: () => settle(run(host)) };
    // If all callers cancel, nobody handles a rejection.
    answer.catch(() => {});
    const entry = { lookup, answer };
    lookups.set(host, entry);
    queue.add(lookup);
    return entry;
  };

  return async (name, signal) => {
    const host = name.toLowerCase();
    const { lookup, answer } = lookups.get(host) ?? enqueue(host);
    const onAbort = () => {
      if (--lookup.callers > 0 || !queue.delete(lookup)) return;
      lookups.delete(host);
    };
    lookup.callers++;
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    startQueued();
    try {
      return await answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };
}
