import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { type ImportRow, type ImportedPerson, planImport } from './contact-import.ts';
import { type Address, type Contact, UNATTESTED } from './contact.ts';

const NOW = 1_000;

type Known = Contact & { addresses: Address[] };

const address = (text: string) => ({
  family: 'sms',
  integrationId: 0,
  address: text,
  label: null,
  preference: 100,
  state: 'active' as const,
  evidence: 'import' as const,
  createdAt: NOW,
});

const row = fc.record({
  line: fc.nat(),
  contact: fc.record(
    {
      externalId: fc.constantFrom('a', 'b', 'c', null),
      name: fc.constantFrom('Ada', 'Grace', null),
      fields: fc.constantFrom('{"plan":"gold"}', '{"plan":"silver","vip":true}', null),
    },
    { requiredKeys: [] },
  ),
  addresses: fc.array(fc.constantFrom('1', '2', '3', '4', '5').map(address), { maxLength: 3 }),
});

/** The contacts afterwards, as the store would return them. */
function stored(people: readonly ImportedPerson[], firstId: number): Known[] {
  let id = firstId;
  return people.map(({ contact, addresses }) => {
    const own = { ...contact, id: contact.id ?? id++ };
    const rows = addresses.map((one) => ({
      ...address(one.address),
      ...UNATTESTED,
      applicationId: 1,
      id: 0,
      contactId: own.id,
      lastInboundAt: null,
    }));
    return { ...own, addresses: rows };
  });
}

const plain = (people: readonly Known[]) =>
  people.map(({ externalId, name, fields, addresses }) => ({
    externalId,
    name,
    fields,
    addresses: addresses.map((one) => one.address),
  }));

const planOf = (known: readonly Known[], rows: readonly ImportRow[]) =>
  planImport(1, known, rows, NOW);

describe('imported rows', () => {
  it('imported rows have the same effect in blocks of any size, and give each id and address one contact', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), fc.nat(20), (rows, cut) => {
        const whole = planOf([], rows);
        const first = planOf([], rows.slice(0, cut));
        const between = stored(first.people, 1);
        const second = planOf(between, rows.slice(cut));
        const all = stored(whole.people, 1);
        assert.deepEqual(plain(stored(second.people, 1_000)), plain(all));
        assert.deepEqual([...first.errors, ...second.errors], whole.errors);
        assert.equal(first.created + second.created, whole.created);
        assert.equal(
          whole.created + whole.updated + whole.unchanged + whole.errors.length,
          rows.length,
        );
        const owned = all.flatMap(({ addresses }) => addresses.map((one) => one.address));
        const ids = all.flatMap(({ externalId }) => externalId ?? []);
        assert.equal(new Set(owned).size, owned.length);
        assert.equal(new Set(ids).size, ids.length);
      }),
    );
  });

  it('imported rows change nothing the second time', () => {
    fc.assert(
      fc.property(row, (one) => {
        const before = stored(planOf([], [one]).people, 1);
        const { created, updated, unchanged } = planOf(before, [one]);
        const isNamed = Boolean(one.contact.externalId) || one.addresses.length > 0;
        assert.deepEqual([created, updated, unchanged], isNamed ? [0, 0, 1] : [1, 0, 0]);
      }),
    );
  });
});
