import { inDatabase } from './tables.ts';

/** PostgreSQL's column types. A flag is a boolean here and 0 or 1 in SQL. */
export type FieldType = 'bigint' | 'int' | 'text' | 'flag';

type TypeOf<Value> =
  NonNullable<Value> extends number
    ? 'bigint' | 'int'
    : NonNullable<Value> extends boolean
      ? 'flag'
      : 'text';

/**
 * Describes a record that crosses a thread or a SQL statement, once: every field in its order, with its type. Columns,
 * parameters, encoding and decoding all derive from this list, so nothing else depends on the order.
 */
export type Fields<Item> = { readonly [Name in keyof Item & string]-?: TypeOf<Item[Name]> };

/** Something for each field of a record. */
export type PerField<Item, Value> = { readonly [Name in keyof Item & string]: Value };

export const namesOf = (fields: object): string[] => Object.keys(fields);

/** The columns of the fields, for a select or insert list; `prefix` is the alias of the table. */
export function columnsOf(fields: object, prefix?: string): string {
  const alias = prefix === undefined ? '' : `${prefix}.`;
  return namesOf(fields)
    .map((name) => alias + inDatabase(name))
    .join(', ');
}

/** A parameter for each field, for an insert statement of SQLite. */
export const placesOf = (fields: object): string =>
  namesOf(fields)
    .map(() => '?')
    .join(', ');

/** Derives a value from the name, type and position of each field. */
export function perField<Item, Value>(
  fields: Fields<Item>,
  derive: (name: string, type: FieldType, position: number) => Value,
): PerField<Item, Value> {
  const entries = Object.entries<FieldType>(fields).map(([name, type], i) => [
    name,
    derive(name, type, i),
  ]);
  return Object.fromEntries(entries) as PerField<Item, Value>;
}

/*
 * The functions below are generated from field lists, so that each reads its fields in straight-line code. A loop over
 * the names accesses properties dynamically, which took 3.3 times as long for the results of a dispatch round. The
 * lists are constants of this code base; `identifier` refuses anything but plain names.
 */

function identifier(name: string): string {
  if (!/^[a-z]\w*$/i.test(name)) throw new Error(`"${name}" is not a field name`);
  return name;
}

/** A value that is cheap to pass between threads. */
export type FlatValue = string | number | boolean | null;

/** Writes records to flat arrays and reads them from there. */
interface FlatFields<Item> {
  /** Number of values per record. */
  readonly width: number;
  /** The position of each field within a record. */
  readonly at: PerField<Item, number>;
  append(flat: FlatValue[], item: Item): void;
  /** Reads the record that starts at `start`. By index, because destructuring costs several times as much. */
  read(flat: readonly FlatValue[], start: number): Item;
}

export function flatFields<Item>(fields: Fields<Item>): FlatFields<Item> {
  const names = namesOf(fields).map(identifier);
  const values = names.map((name) => `item.${name} ?? null`);
  const members = names.map((name, i) => `${name}: flat[start + ${i}]`);
  return {
    width: names.length,
    at: perField(fields, (_name, _type, position) => position),
    append: generate(
      ['flat', 'item'],
      `flat.push(${values.join(', ')});`,
    ) as FlatFields<Item>['append'],
    read: generate(
      ['flat', 'start'],
      `return { ${members.join(', ')} };`,
    ) as FlatFields<Item>['read'],
  };
}

/** Returns a function that reads a record from a row with the columns of its fields. */
export function rowReader<Item>(fields: Fields<Item>): (row: object) => Item {
  const members = namesOf(fields).map((name) => `${identifier(name)}: row.${inDatabase(name)}`);
  return generate(['row'], `return { ${members.join(', ')} };`) as (row: object) => Item;
}

/** Returns a function that reads one array per field; a null item is null in each. */
export function columnReader<Item>(
  fields: Fields<Item>,
): (items: readonly (Item | null)[]) => unknown[][] {
  const names = namesOf(fields).map(identifier);
  const pushes = names.map((name, i) => `columns[${i}].push(item?.${name});`);
  return generate(
    ['items'],
    `const columns = Array.from({ length: ${names.length} }, () => []);
    for (const item of items) { ${pushes.join('\n')} }
    return columns;`,
  ) as (items: readonly (Item | null)[]) => unknown[][];
}

function generate(parameters: readonly string[], body: string): unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- Contains field names only, which `identifier` checks.
  return new Function(...parameters, `'use strict'; ${body}`);
}
