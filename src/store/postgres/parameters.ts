import {
  type FieldType,
  type Fields,
  type PerField,
  columnReader,
  namesOf,
  perField,
} from '../fields.ts';
import { inDatabase } from '../tables.ts';
import { int4Array, int8Array, textArray } from './arrays.ts';

type Column = readonly unknown[];

const ARRAYS: Readonly<Record<FieldType, { type: string; encode(column: Column): Buffer }>> = {
  bigint: { type: 'bigint[]', encode: (column) => int8Array(column as (number | null)[]) },
  int: { type: 'int[]', encode: (column) => int4Array(column as (number | null)[]) },
  text: { type: 'text[]', encode: (column) => textArray(column as (string | null)[]) },
  flag: { type: 'int[]', encode: (column) => int4Array(column.map(Number)) },
};

/** The parameters of a statement that pass records: one array per field. */
export interface RecordParameters<Item> {
  /** The array of each field in SQL: `$3::bigint[]`. */
  in: PerField<Item, string>;
  /** The values; those of a null item are null. */
  encode(items: readonly (Item | null)[]): Buffer[];
  /** The number of the next parameter. */
  next: number;
}

export function recordParameters<Item>(
  fields: Fields<Item>,
  first: number,
): RecordParameters<Item> {
  const types = Object.values<FieldType>(fields);
  const read = columnReader(fields);
  return {
    in: perField(fields, (_name, type, i) => `$${first + i}::${ARRAYS[type].type}`),
    encode: (items) => read(items).map((column, i) => ARRAYS[types[i] ?? 'text'].encode(column)),
    next: first + types.length,
  };
}

/** The rows that arrays make up, with their column names: `unnest(…) with ordinality as t (…, position)`. */
export function rowsOf(alias: string, arrays: Readonly<Record<string, string>>): string {
  const columns = [...namesOf(arrays).map(inDatabase), 'position'];
  const values = Object.values(arrays).join(', ');
  return `unnest(${values}) with ordinality as ${alias} (${columns.join(', ')})`;
}
