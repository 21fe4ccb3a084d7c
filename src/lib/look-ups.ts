/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The same, for somebody who may not want to know any more before it begins. */
export type LookUp = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface LookUpOptions {
  /** How many names are looked up at once. */
  most?: number;
  /** How many of them may be names that took long the last time. */
  mostSlow?: number;
  /** Milliseconds from which on a look-up took long. */
  slow?: number;
}

const MOST_REMEMBERED = 1000;

interface Waiting {
  host: string;
  /** How many want to know. */
  wanted: number;
  begin(): void;
}

/**
 * Looks names up for many who ask at once. The system has few threads for that, and a name whose servers
 * do not answer holds one for long: each name is looked up once for all who ask meanwhile, others wait
 * for a place, and names that are known to be slow do not get all places.
 */
export function createLookUps(resolve: Resolve, options: LookUpOptions = {}): LookUp {
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
    if (slowNames.size > MOST_REMEMBERED && oldest !== undefined) slowNames.delete(oldest);
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
    // Nobody may be left who wants to know.
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
