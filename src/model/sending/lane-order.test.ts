import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { reordered } from './lane-order.ts';

const lane = fc
  .uniqueArray(fc.record({ sequence: fc.integer({ min: 1, max: 50 }), isStarted: fc.boolean() }), {
    selector: ({ sequence }) => sequence,
    maxLength: 10,
  })
  .map((messages) => messages.map((message, i) => Object.assign(message, { id: i + 1 })));

describe('the order of a joined lane', () => {
  it('a joined lane has started messages first, and the others in the order in which they joined', () => {
    fc.assert(
      fc.property(lane, (messages) => {
        const changes = reordered(messages);
        const sent = messages
          .map(({ id, sequence }) => ({ id, sequence: changes.get(id) ?? sequence }))
          .toSorted((a, b) => a.sequence - b.sequence);
        const idsOf = (some: typeof messages) => some.map(({ id }) => id);
        const rest = messages
          .filter(({ isStarted }) => !isStarted)
          .toSorted((a, b) => a.sequence - b.sequence);
        const started = messages.filter(({ isStarted }) => isStarted);
        assert.deepEqual(
          sent.map(({ id }) => id),
          [...idsOf(started), ...idsOf(rest)],
        );
        assert.deepEqual(
          sent.map(({ sequence }) => sequence),
          messages.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
        );
      }),
    );
  });

  it('joining changes nothing in a lane without a started message', () => {
    const messages = [3, 1, 2].map((sequence) => ({ id: sequence, sequence, isStarted: false }));
    assert.equal(reordered(messages).size, 0);
  });
});
