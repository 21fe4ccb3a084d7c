import assert from 'node:assert/strict';
import { it } from 'node:test';

import { amountOf, storedCost, totalCost } from './cost.ts';

it('amounts are kept in millionths, and charges written as negative numbers count', () => {
  for (const [amount, shown] of [
    ['0.0333', '0.0333'],
    ['-0.00750', '0.0075'],
    ['12', '12'],
    ['0', '0'],
    ['0.0000004', '0'],
  ] as const) {
    assert.equal(amountOf(storedCost({ amount, currency: 'EUR' })?.amountMicros ?? null), shown);
  }
});

it('what is no amount is not kept', () => {
  for (const amount of ['', 'free', '1e9', '99999999', 'NaN', '0x1']) {
    assert.equal(storedCost({ amount }), undefined, amount);
  }
  assert.equal(storedCost({ category: 'utility', currency: 'euro' })?.currency, '');
});

it('the cost of a message is the sum of its parts, if all are known in one currency', () => {
  const part = { amountMicros: 7_500, currency: 'USD', category: '', billable: 1 } as const;
  assert.equal(totalCost([]), undefined);
  assert.equal(totalCost([part, part])?.amountMicros, 15_000);
  assert.equal(totalCost([part, { ...part, currency: 'EUR' }])?.amountMicros, null);
  assert.equal(totalCost([part, { ...part, amountMicros: null }])?.amountMicros, null);
});
