import { isUtf8 } from 'node:buffer';

import { csvRows } from '../lib/text/csv.ts';
import { Problem } from '../model/problem.ts';

/* Files that list objects: CSV with a header, or one JSON object per line. */

export const FORMATS = ['csv', 'ndjson'] as const;

export type Format = (typeof FORMATS)[number];

export const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** The content types of an import. */
export const IMPORT_TYPES = ['text/csv', 'application/x-ndjson'];

export function formatOf(contentType = ''): Format {
  if (/^\s*text\/csv\b/i.test(contentType)) return 'csv';
  if (/^\s*application\/(?:x-)?ndjson\b/i.test(contentType)) return 'ndjson';
  const detail = 'send text/csv or application/x-ndjson';
  throw new Problem('unsupported_media_type', detail);
}

export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Problem('invalid_fields', 'the file must be UTF-8');
  return bytes.toString();
}

export type ReadObject = { line: number } & ({ value: unknown } | { fault: string });

/** Makes an object of the fields of a CSV row that are not empty, by the names of their columns. */
export type RowReader = (fields: readonly (readonly [name: string, value: string])[]) => unknown;

/** Reads one object after the other. `readHeader` throws a Problem if the header of a CSV file is wrong. */
export const readObjects = (
  text: string,
  format: Format,
  readHeader: (names: readonly string[]) => RowReader,
): Generator<ReadObject> => (format === 'csv' ? csvObjects(text, readHeader) : jsonObjects(text));

function* csvObjects(
  text: string,
  readHeader: (names: readonly string[]) => RowReader,
): Generator<ReadObject> {
  let header: { names: string[]; read: RowReader } | undefined;
  for (const row of csvRows(text)) {
    if ('fault' in row) {
      yield { line: row.line, fault: row.fault };
    } else if (header && row.fields.slice(header.names.length).some((field) => field !== '')) {
      yield { line: row.line, fault: 'has more fields than the header' };
    } else if (header) {
      const fields = header.names.map((name, i) => [name, row.fields[i] ?? ''] as const);
      // An empty field is as good as none.
      yield { line: row.line, value: header.read(fields.filter(([, value]) => value !== '')) };
    } else {
      const names = row.fields.map((name) => name.trim());
      header = { names, read: readHeader(names) };
    }
  }
}

function* jsonObjects(text: string): Generator<ReadObject> {
  let line = 0;
  for (let start = 0; start < text.length;) {
    line++;
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    const json = text.slice(start, end).trim();
    start = end + 1;
    if (json !== '') yield { line, ...jsonIn(json) };
  }
}

const MAX_LINE_LENGTH = 100_000;

function jsonIn(json: string): { value: unknown } | { fault: string } {
  if (json.length > MAX_LINE_LENGTH) return { fault: 'is too long' };
  try {
    return { value: JSON.parse(json) as unknown };
  } catch {
    return { fault: 'is not JSON' };
  }
}

/** The errors of an object, as one text. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Problem)) throw error;
  const faults = (error.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`.trim());
  return faults.join('; ') || error.message;
}

/** Throws a Problem after too many of them. */
export function* limited<Item>(items: Iterable<Item>, max: number): Generator<Item> {
  let count = 0;
  for (const item of items) {
    if (++count > max) {
      const detail = `a file may have ${max} lines; import the rest with another request`;
      throw new Problem('invalid_fields', detail);
    }
    yield item;
  }
}
