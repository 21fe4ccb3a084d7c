import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  type Ticks,
  countTicks,
  durationTicks,
  percentTicks,
} from '../../console/src/overview/ticks.ts';
import { fc } from '../support/fast-check.ts';

const UNITS = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

const isUnit = (text: string): text is keyof typeof UNITS => Object.hasOwn(UNITS, text);

/** The value of a label in milliseconds; undefined if it is not a duration. */
function parseDuration(label: string): number | undefined {
  if (label === '0') return 0;
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) (\w+)$/.exec(label) ?? [];
  // Decimal fractions of a unit are whole milliseconds; only their product is inexact.
  return isUnit(unit) ? Math.round(Number(number) * UNITS[unit] * 1e6) / 1e6 : undefined;
}

const parseCount = (label: string) => Number(label.replaceAll(',', ''));

function assertTrue(
  max: number,
  { values, labels }: Ticks,
  parse: (label: string) => number | undefined,
) {
  const context = `${max}: ${labels.join(' | ')}`;
  assert.deepEqual(labels.map(parse), values, context);
  assert.equal(new Set(labels).size, labels.length, context);
  assert.equal(values[0], 0, context);
  assert.ok((values.at(-1) ?? 0) >= max, context);
  assert.ok(values.length >= 2 && values.length <= 6, context);
  const steps = new Set(values.slice(1).map((value, i) => value - (values[i] ?? 0)));
  assert.equal(steps.size, 1, context);
}

describe('console: axis ticks', () => {
  it('duration ticks have exact labels', () => {
    const day = 86_400_000;
    const maxima = fc.oneof(
      fc.integer({ min: 0, max: 5_000 }),
      fc.integer({ min: 0, max: 600_000 }),
      fc.integer({ min: 0, max: 400 * day }),
    );
    fc.assert(fc.property(maxima, (max) => assertTrue(max, durationTicks(max), parseDuration)));
  });

  it('duration ticks are round in their own unit', () => {
    const labels = (max: number) => durationTicks(max).labels;
    assert.deepEqual(labels(3), ['0', '1 ms', '2 ms', '3 ms']);
    assert.deepEqual(labels(380), ['0', '100 ms', '200 ms', '300 ms', '400 ms']);
    assert.deepEqual(labels(1_800), ['0', '0.5 s', '1 s', '1.5 s', '2 s']);
    assert.deepEqual(labels(55_000), ['0', '15 s', '30 s', '45 s', '60 s']);
    assert.deepEqual(labels(100_000), ['0', '0.5 min', '1 min', '1.5 min', '2 min']);
    assert.deepEqual(labels(3_600_000), ['0', '15 min', '30 min', '45 min', '60 min']);
    assert.deepEqual(labels(100 * 3_600_000), ['0', '1 d', '2 d', '3 d', '4 d', '5 d']);
  });

  it('count ticks are whole numbers', () => {
    const maxima = fc.integer({ min: 0, max: 10_000_000_000 });
    fc.assert(
      fc.property(maxima, (max) => {
        const ticks = countTicks(max);
        assertTrue(max, ticks, parseCount);
        assert.ok(ticks.values.every(Number.isInteger), String(max));
      }),
    );
    assert.deepEqual(countTicks(1).labels, ['0', '1']);
    assert.deepEqual(countTicks(100_000).labels.at(-1), '100,000');
  });

  it('percentage ticks fit small rates and end at 100', () => {
    assert.deepEqual(percentTicks(0.003).labels, ['0%', '0.001%', '0.002%', '0.003%']);
    assert.deepEqual(percentTicks(4).labels, ['0%', '1%', '2%', '3%', '4%']);
    assert.deepEqual(percentTicks(100).labels, ['0%', '20%', '40%', '60%', '80%', '100%']);
  });
});
