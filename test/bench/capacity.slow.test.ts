import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  ASSUMED,
  type Assumptions,
  flushesOf,
  mostPerDay,
  needsOf,
} from '../../bench/harness/capacity.ts';
import type { Measured } from '../../bench/harness/measured.ts';

const NOTHING = { node: 0, server: 0, wal: 0, commits: 0.1, flushes: 0 };
/** Round figures, so that the expected results are easy to verify. */
const measured: Measured = {
  throughput: { rates: {} },
  nodes: {
    accept: { ...NOTHING, node: 0.0002, server: 0.0001, wal: 1_000 },
    deliver: { ...NOTHING, node: 0.0004, server: 0.0002, wal: 3_000 },
  },
  memory: { message: 1_000, attempt: 400, event: 200 },
  growth: { wal: 10_000, stored: 1_000_000 },
  limits: { commit: 0.002, lane: 100, integration: 500, application: 1_000 },
};
const assumed: Assumptions = {
  ...ASSUMED,
  peak: 2,
  utilisation: 0.5,
  nodeCores: 1,
  vendor: 0.1,
  underWay: 1_000,
  integrationAtOnce: 16,
  attempts: 1,
  events: 2,
  retention: 10,
  serverCores: 10,
  serverWal: 100e6,
  serverDisk: 1e12,
  largestApplication: 0.1,
  largestIntegration: 0.01,
};
/** A thousand a second on average, two thousand at the peak. */
const PER_DAY = 86.4e6;
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) <= expected * 1e-9, `${actual} is not ${expected}`);

it('the capacity model derives the needs of a day from the costs of one message', () => {
  const needs = needsOf(PER_DAY, measured, assumed);
  near(needs.rate, 2_000);
  // 2,000 × 0.6 ms are 1.2 cores; at 50 % utilisation that takes 3 nodes.
  assert.equal(needs.nodes, 3);
  near(needs.cores, 1.2);
  near(needs.wal, 20e6);
  near(needs.walDay, 864e9);
  near(needs.disk, 86.4e6 * 1_800 * 10);
  near(needs.used['PostgreSQL CPU'], 0.12);
  near(needs.used['PostgreSQL log'], 0.2);
  near(needs.used['PostgreSQL disk'], 1.5552);
  near(needs.used['the feed of one application'], 0.2);
  // 16 in flight for 0.1 s each are 160 per second, and 20 are needed.
  near(needs.used['the in-flight limit of one integration'], 0.125);
  assert.equal(needs.first, 'PostgreSQL disk');
});

it('the capacity model sizes nodes by messages in flight if vendors are slow', () => {
  // 2,000 × 1.5 s are 3,000 messages in flight, 500 per node.
  assert.equal(needsOf(PER_DAY, measured, { ...assumed, vendor: 1.5 }).nodes, 6);
});

it('the capacity model divides the load over servers, but not that of one application', () => {
  const one = needsOf(PER_DAY, measured, assumed);
  const four = needsOf(PER_DAY, measured, { ...assumed, shards: 4 });
  near(four.cores, one.cores / 4);
  near(four.wal, one.wal / 4);
  near(four.disk, one.disk / 4);
  assert.equal(four.nodes, one.nodes);
  near(four.used['the feed of one application'], one.used['the feed of one application']);
});

it('the maximum per day exhausts exactly one resource', () => {
  const most = mostPerDay(measured, assumed);
  const { used, first } = needsOf(most, measured, assumed);
  near(used[first], 1);
  assert.ok(Object.values(used).every((share) => share <= 1 + 1e-9));
});

it('there is one flush per commit at a low rate, and a bounded number at a high rate', () => {
  assert.ok(Math.abs(flushesOf(10, 0.1, 0.002) - 1) < 0.01);
  const busy = flushesOf(1e6, 0.1, 0.002);
  assert.ok(busy < 500 && busy > 480, String(busy));
});
