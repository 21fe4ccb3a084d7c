/*
 * PostgreSQL's binary format for arrays. In the text format, which `pg` uses, every quote in every JSON would be
 * escaped and unescaped, which is a seventh of the main thread's cost of delivering a message.
 * https://github.com/postgres/postgres/blob/REL_18_STABLE/src/backend/utils/adt/arrayfuncs.c (array_recv)
 */

/** https://github.com/postgres/postgres/blob/REL_18_STABLE/src/include/catalog/pg_type.dat */
const INT8 = 20;
const INT4 = 23;
const TEXT = 25;

/** Number of dimensions, null flag and type; then length and lower bound of the only dimension. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

type Optional<Value> = Value | null | undefined;

export function int8Array(values: readonly Optional<number>[]): Buffer {
  return encoded(
    INT8,
    values,
    () => 8,
    (array, value, at) => {
      array.writeInt32BE(Math.floor(value / 2 ** 32), at);
      array.writeUInt32BE(value >>> 0, at + 4);
    },
  );
}

export function int4Array(values: readonly Optional<number>[]): Buffer {
  return encoded(
    INT4,
    values,
    () => 4,
    (array, value, at) => array.writeInt32BE(value, at),
  );
}

export function textArray(values: readonly Optional<string>[]): Buffer {
  return encoded(
    TEXT,
    values,
    (value) => Buffer.byteLength(value),
    (array, value, at) => array.write(value, at),
  );
}

function encoded<Value>(
  type: number,
  values: readonly Optional<Value>[],
  sizeOf: (value: Value) => number,
  write: (array: Buffer, value: Value, at: number) => void,
): Buffer {
  let size = HEADER_BYTES;
  for (const value of values) size += LENGTH_BYTES + Math.max(lengthOf(value, sizeOf), 0);
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(1, 4);
  array.writeInt32BE(type, 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const value of values) {
    const length = lengthOf(value, sizeOf);
    array.writeInt32BE(length, at);
    at += LENGTH_BYTES;
    if (length === NULL) continue;
    write(array, value as Value, at);
    at += length;
  }
  return array;
}

function lengthOf<Value>(value: Optional<Value>, sizeOf: (value: Value) => number): number {
  return value === null || value === undefined ? NULL : sizeOf(value);
}
