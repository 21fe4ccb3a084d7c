import type { Measured } from './measured.ts';

/*
 * What so many messages a day need. Arithmetic only: from what one message was measured to cost, and from assumptions
 * that are all in one table, so that whoever doubts one can put another in its place.
 */
export interface Assumptions {
  /** How much more comes in the busiest minutes than on average. */
  peak: number;
  /** How busy processors may be at the peak: the rest is for vacuum, for a node that is lost, for what queues. */
  utilisation: number;
  /** Processors that one node makes use of: a thread for everything, and some for what Node does beside it. */
  nodeCores: number;
  /** Seconds that a vendor takes to answer. */
  vendor: number;
  /** Messages that one node has under way at the most. */
  underWay: number;
  /** Messages that one integration has under way at the most: `concurrency` of its channel. */
  integrationAtOnce: number;
  attempts: number;
  events: number;
  /** Days that messages, attempts and events are kept. */
  retention: number;
  /** Of the largest PostgreSQL server: processors, bytes of the log a second, bytes of disk. */
  serverCores: number;
  serverWal: number;
  serverDisk: number;
  /** The share of all messages that the largest application sends, and its largest integration. */
  largestApplication: number;
  largestIntegration: number;
  /** Shares of what is measured of the log and of the disk that remain. */
  walShare: number;
  /** How many PostgreSQL servers the teams are spread over. */
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

const DAY = 86_400;

export const BOTTLENECKS = [
  'PostgreSQL processors',
  'PostgreSQL log',
  'PostgreSQL disk',
  'one application: its feed',
  'one integration: what it may have under way',
] as const;
export type Bottleneck = (typeof BOTTLENECKS)[number];

export interface Needs {
  /** Messages a second, at the peak. */
  rate: number;
  nodes: number;
  /** Of each server. */
  cores: number;
  /** Bytes of the log: a second at the peak, and in a day. */
  wal: number;
  walDay: number;
  /** How often the log is flushed a second; commits that wait at once share one. */
  flushes: number;
  disk: number;
  /** How much of what there is of each is used; above 1 it does not fit. */
  used: Record<Bottleneck, number>;
  /** What is used up first. */
  first: Bottleneck;
}

export function needsOf(perDay: number, measured: Measured, assumed: Assumptions): Needs {
  const { nodes: costs, memory, growth, limits } = measured;
  const { peak, utilisation, shards, attempts, events } = assumed;
  const rate = (perDay / DAY) * peak;
  const nodeSeconds = costs.accept.node + costs.deliver.node * attempts;
  const serverSeconds = costs.accept.server + costs.deliver.server * attempts;
  // Tables that are far larger than memory put a whole page into the log for nearly each message.
  const logged = Math.max(growth.wal, costs.accept.wal + costs.deliver.wal) * assumed.walShare;
  const kept = memory.message + memory.attempt * attempts + memory.event * events;
  const each = rate / shards;
  const cores = (each * serverSeconds) / utilisation;
  const wal = each * logged;
  const disk = (perDay / shards) * kept * assumed.retention;
  const used: Record<Bottleneck, number> = {
    'PostgreSQL processors': cores / assumed.serverCores,
    'PostgreSQL log': wal / assumed.serverWal,
    'PostgreSQL disk': disk / assumed.serverDisk,
    'one application: its feed': (rate * assumed.largestApplication) / limits.application,
    'one integration: what it may have under way':
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
 * While a flush is under way, commits wait for the next, which takes all of them. So there are as many flushes as commits
 * while these are few, and never more than fit one after the other.
 */
export function flushesOf(rate: number, commits: number, seconds: number): number {
  return 1 / (seconds + 1 / (rate * commits));
}

/** How many a day fit before the first of these is used up. */
export function mostPerDay(measured: Measured, assumed: Assumptions): number {
  const { used, first } = needsOf(1e6, measured, assumed);
  // All of them grow in proportion.
  return 1e6 / used[first];
}
