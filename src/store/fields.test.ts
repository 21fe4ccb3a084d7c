import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  type Fields,
  type FlatValue,
  columnReader,
  columnsOf,
  flatFields,
  perField,
  rowReader,
} from './fields.ts';

interface Visit {
  visitorId: number;
  name: string | null;
  isNew: boolean;
  note?: string | null;
}

const FIELDS: Fields<Visit> = { visitorId: 'bigint', name: 'text', isNew: 'flag', note: 'text' };
const VISITS: Visit[] = [
  { visitorId: 7, name: 'Ada', isNew: true, note: 'first' },
  { visitorId: 8, name: null, isNew: false },
];

describe('field lists', () => {
  it('field lists write records to a flat array and read them from there', () => {
    const flat: FlatValue[] = [];
    const { append, read, width, at } = flatFields(FIELDS);
    for (const visit of VISITS) append(flat, visit);
    assert.deepEqual(flat, [7, 'Ada', true, 'first', 8, null, false, null]);
    assert.deepEqual(read(flat, 0), VISITS[0]);
    assert.deepEqual(read(flat, width), { ...VISITS[1], note: null });
    assert.equal(flat[width + at.visitorId], 8);
  });

  it('field lists read records from rows by the column names', () => {
    const row = { visitor_id: 7, name: 'Ada', is_new: true, note: 'first', other: 1 };
    assert.deepEqual(rowReader(FIELDS)(row), VISITS[0]);
  });

  it('field lists read one array per field, with nothing for a null item', () => {
    assert.deepEqual(columnReader(FIELDS)([...VISITS, null]), [
      [7, 8, undefined],
      ['Ada', null, undefined],
      [true, false, undefined],
      ['first', undefined, undefined],
    ]);
  });

  it('field lists name columns and number positions in the order of the list', () => {
    assert.equal(columnsOf(FIELDS, 'v'), 'v.visitor_id, v.name, v.is_new, v.note');
    assert.deepEqual(
      perField(FIELDS, (_name, type, position) => `${position} ${type}`),
      { visitorId: '0 bigint', name: '1 text', isNew: '2 flag', note: '3 text' },
    );
  });

  it('field lists refuse names that are no identifiers', () => {
    assert.throws(
      () => flatFields({ 'a; b': 'text' } as object as Fields<Visit>),
      /not a field name/,
    );
  });
});
