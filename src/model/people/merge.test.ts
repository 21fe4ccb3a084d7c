import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import type { Contact } from './contact.ts';
import { mergeOrder, takenFrom, withTaken, withoutTaken } from './merge.ts';

const text = fc.option(fc.constantFrom('a', 'b', 'c'));
const fields = fc
  .dictionary(fc.constantFrom('plan', 'vip', '__proto__', 'note'), fc.constantFrom('x', 1, true))
  .map((own) => (Object.keys(own).length === 0 ? null : JSON.stringify(own)));

const contact = (id: number) =>
  fc.record({
    applicationId: fc.constant(1),
    id: fc.constant(id),
    externalId: text,
    name: text,
    locale: text,
    timezone: text,
    fields,
    createdAt: fc.constant(0),
    updatedAt: fc.constant(0),
  });

/** Fields in any order. */
const plain = ({ fields: own, ...rest }: Contact) => ({
  ...rest,
  fields: Object.entries(own === null ? {} : (JSON.parse(own) as object)).toSorted(),
});

describe('merged contacts', () => {
  it('merged contacts keep their fields, take over those they lack, and are restored by unmerging', () => {
    fc.assert(
      fc.property(contact(1), contact(2), (one, other) => {
        const taken = takenFrom(one, other);
        const merged: Contact = { ...one, ...withTaken(one, taken) };
        for (const name of ['externalId', 'name', 'locale', 'timezone'] as const) {
          assert.equal(merged[name], one[name] ?? other[name]);
        }
        const again: Contact = { ...merged, ...withoutTaken(merged, taken) };
        assert.deepEqual(plain(again), plain(one));
      }),
    );
  });

  it('merged contacts keep a field that was changed after the merge', () => {
    fc.assert(
      fc.property(contact(1), contact(2), (one, other) => {
        const taken = takenFrom(one, other);
        const merged: Contact = { ...one, ...withTaken(one, taken), name: 'changed' };
        assert.equal({ ...merged, ...withoutTaken(merged, taken) }.name, 'changed');
      }),
    );
  });

  it('a vendor merges two contacts unless both have an external id, in either order', () => {
    fc.assert(
      fc.property(contact(1), contact(2), (one, other) => {
        const order = mergeOrder(one, other);
        assert.deepEqual(mergeOrder(other, one), order);
        assert.equal(order === undefined, one.externalId !== null && other.externalId !== null);
        if (order && (one.externalId ?? other.externalId) !== null) {
          assert.notEqual(order[0].externalId, null);
        }
      }),
    );
  });
});
