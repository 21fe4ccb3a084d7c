import type { Measured } from './measured.ts';

/*
 * Computes the resources for a number of messages per day, from the measured costs of one message and from assumptions.
 * All assumptions are in one table, so that you can replace those you doubt.
 */
export interface Assumptions {
  /** The load of the busiest minutes, as a multiple of the average. */
  peak: number;
  /** Maximum CPU utilisation at the peak. The rest is for vacuum, a lost node and queueing. */
  utilisation: number;
  /** Cores that one node uses: its main thread, and part of another for Node's helper threads. */
  nodeCores: number;
  /** Response time of a vendor, in seconds. */
  vendor: number;
  /** Maximum messages in flight per node. */
  underWay: number;
  /** Maximum messages in flight per integration: `concurrency` of its channel. */
  integrationAtOnce: number;
  attempts: number;
  events: number;
  /** Retention of messages, attempts and events, in days. */
  retention: number;
  /** The largest PostgreSQL server: cores, bytes of write-ahead log per second, bytes of disk. */
  serverCores: number;
  serverWal: number;
  serverDisk: number;
  /** The share of all messages sent by the largest application, and by the largest integration. */
  largestApplication: number;
  largestIntegration: number;
  /** The share of the measured log volume that remains, for example after compression. */
  walShare: number;
  /** The number of PostgreSQL servers that the teams are spread over. */
  shards: number;
}

export const ASSUMED: Assumptions = {
  peak: 4,
  utilisation: 0.6,
  nodeCores: 1.2,
  vendor: 0.15,
  underWay: 512,
  integrationAtOnce: 16,
  attempts: 1.1,
  events: 1.5,
  retention: 30,
  serverCores: 64,
  serverWal: 300e6,
  serverDisk: 16e12,
  largestApplication: 0.05,
  largestIntegration: 0.02,
  walShare: 1,
  shards: 1,
};

const DAY_SECONDS = 86_400;

export const BOTTLENECKS = [
  'PostgreSQL CPU',
  'PostgreSQL log',
  'PostgreSQL disk',
  'the feed of one application',
  'the in-flight limit of one integration',
] as const;
type Bottleneck = (typeof BOTTLENECKS)[number];

export interface Needs {
  /** Messages per second at the peak. */
  rate: number;
  nodes: number;
  /** Cores of each PostgreSQL server. */
  cores: number;
  /** Bytes of write-ahead log: per second at the peak, and per day. */
  wal: number;
  walDay: number;
  /** Log flushes per second. Commits that wait at the same time share one. */
  flushes: number;
  disk: number;
  /** The utilisation of each resource; above 1 the load does not fit. */
  used: Record<Bottleneck, number>;
  /** The resource that is exhausted first. */
  first: Bottleneck;
}

export function needsOf(perDay: number, measured: Measured, assumed: Assumptions): Needs {
  const { nodes: costs, memory, growth, limits } = measured;
  const { peak, utilisation, shards, attempts, events } = assumed;
  const rate = (perDay / DAY_SECONDS) * peak;
  const nodeSeconds = costs.accept.node + costs.deliver.node * attempts;
  const serverSeconds = costs.accept.server + costs.deliver.server * attempts;
  // With tables far larger than memory, nearly every message logs a whole page.
  const logged = Math.max(growth.wal, costs.accept.wal + costs.deliver.wal) * assumed.walShare;
  const kept = memory.message + memory.attempt * attempts + memory.event * events;
  const each = rate / shards;
  const cores = (each * serverSeconds) / utilisation;
  const wal = each * logged;
  const disk = (perDay / shards) * kept * assumed.retention;
  const used: Record<Bottleneck, number> = {
    'PostgreSQL CPU': cores / assumed.serverCores,
    'PostgreSQL log': wal / assumed.serverWal,
    'PostgreSQL disk': disk / assumed.serverDisk,
    'the feed of one application': (rate * assumed.largestApplication) / limits.application,
    'the in-flight limit of one integration':
      (rate * assumed.largestIntegration) /
      Math.min(limits.integration, assumed.integrationAtOnce / assumed.vendor),
  };
  return {
    rate,
    nodes: Math.ceil(
      Math.max(
        (rate * nodeSeconds) / (utilisation * assumed.nodeCores),
        (rate * assumed.vendor * attempts) / (utilisation * assumed.underWay),
      ),
    ),
    cores,
    wal,
    walDay: (perDay / shards) * logged,
    flushes: flushesOf(each, costs.accept.commits + costs.deliver.commits, limits.commit),
    disk,
    used,
    first: BOTTLENECKS.reduce((most, one) => (used[one] > used[most] ? one : most)),
  };
}

/**
 * Commits that arrive during a flush share the next one. So there is one flush per commit at a low rate, and never more
 * flushes than fit one after the other.
 */
export function flushesOf(rate: number, commits: number, seconds: number): number {
  return 1 / (seconds + 1 / (rate * commits));
}

/** The messages per day at which the first resource is exhausted. */
export function mostPerDay(measured: Measured, assumed: Assumptions): number {
  const { used, first } = needsOf(1e6, measured, assumed);
  // Utilisation is proportional to the rate for all resources.
  return 1e6 / used[first];
}
