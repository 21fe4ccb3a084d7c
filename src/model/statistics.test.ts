import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { LATENCIES, LATENCY_BOUNDS, latencyOf, noCounts, percentile } from './statistics.ts';

describe('latencies', () => {
  it('latencies fall into the first bucket that holds them', () => {
    assert.equal(LATENCIES.length, LATENCY_BOUNDS.length + 1);
    assert.equal(latencyOf(-3), 'latency0');
    for (const [i, bound] of LATENCY_BOUNDS.entries()) {
      assert.equal(latencyOf(bound), LATENCIES[i]);
      assert.equal(latencyOf(bound + 1), LATENCIES[i + 1]);
    }
    assert.equal(latencyOf(Infinity), 'latency15');
  });

  it('latencies yield percentiles within the width of a bucket, and none without data', () => {
    const counts = noCounts();
    assert.equal(percentile(counts, 0.5), undefined);
    // One hundred, from 1 to 100 ms.
    for (let took = 1; took <= 100; took++) counts[latencyOf(took)]++;
    assert.equal(percentile(counts, 0.5), 50);
    assert.equal(percentile(counts, 0.99), 99);
    assert.equal(percentile(counts, 0.05), 5);
    assert.equal(percentile(counts, 1), 100);
  });

  it('latencies beyond all buckets yield the largest bound', () => {
    const counts = noCounts();
    counts[latencyOf(99_999_999)] = 3;
    assert.equal(percentile(counts, 0.5), 3_600_000);
  });
});
