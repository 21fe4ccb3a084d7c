import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { SIGNALS } from '../delivery/signals.ts';
import { readSignals, writeSignals } from './signal-text.ts';

const ids = fc.uniqueArray(fc.nat(2 ** 40), { minLength: 1, maxLength: 3_000 });
const signals = fc.dictionary(fc.constantFrom(...SIGNALS), ids, { noNullPrototype: true });

it('encodes all signals, in payloads that PostgreSQL accepts', () => {
  fc.assert(
    fc.property(signals, (given) => {
      const written = new Map(
        SIGNALS.flatMap((one) => (given[one] ? [[one, new Set(given[one])]] : [])),
      );
      const texts = writeSignals('node', written);
      const read = Object.fromEntries(SIGNALS.map((one) => [one, new Set<number>()]));
      for (const text of texts) {
        assert.ok(Buffer.byteLength(text) < 8_000);
        const { sender, signals: found } = readSignals(text);
        assert.equal(sender, 'node');
        for (const [signal, more] of found) for (const id of more) read[signal]?.add(id);
      }
      for (const one of SIGNALS) assert.deepEqual(read[one], written.get(one) ?? new Set());
    }),
    { numRuns: 50 },
  );
});

it('ignores unknown signals', () => {
  assert.deepEqual(readSignals('node due=1,x,2 news=3 feed=4'), {
    sender: 'node',
    signals: [
      ['due', [1, 2]],
      ['feed', [4]],
    ],
  });
  for (const text of ['', 'node', 'node due', '= =', 'node due=1.5']) {
    for (const [, found] of readSignals(text).signals) assert.ok(found.every((id) => id === 0));
  }
});
