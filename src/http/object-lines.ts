import { JsonError, parseJson } from '../lib/json/parse-json.ts';
import { type CsvRow, csvRows } from '../lib/text/csv.ts';
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

const notUtf8 = () => new Problem('invalid_fields', 'the file must be UTF-8');

/** The texts of a file that arrives in pieces, without a byte order mark. Throws a Problem if it is not UTF-8. */
export async function* textsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw notUtf8();
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
}

type ReadObject = { line: number } & ({ value: unknown } | { fault: string });

/** Makes an object of a CSV row: of its fields that are not empty, each with the name of its column. */
export type RowReader = (fields: readonly (readonly [name: string, value: string])[]) => unknown;

/**
 * Reads one object after the other from a file that arrives in pieces, keeping only a limited part of it in memory.
 * `readHeader` throws a Problem if the header of a CSV file is wrong.
 */
export async function* readObjects(
  texts: AsyncIterable<string>,
  format: Format,
  readHeader: (names: readonly string[]) => RowReader,
): AsyncGenerator<ReadObject> {
  if (format === 'csv') {
    const table = new CsvTable(readHeader);
    for await (const row of csvRows(texts)) yield* table.read(row);
    return;
  }
  for await (const { line, json } of jsonLinesIn(texts)) yield { line, ...jsonIn(json) };
}

/** The rows of a CSV file below its header. */
class CsvTable {
  readonly #readHeader: (names: readonly string[]) => RowReader;
  #header: { names: string[]; read: RowReader } | undefined;

  constructor(readHeader: (names: readonly string[]) => RowReader) {
    this.#readHeader = readHeader;
  }

  *read(row: CsvRow): Generator<ReadObject> {
    const header = this.#header;
    if (!header) {
      this.#header = this.#headerIn(row);
    } else if ('fault' in row) {
      yield { line: row.line, fault: row.fault };
    } else if (row.fields.slice(header.names.length).some((field) => field !== '')) {
      yield { line: row.line, fault: 'has more fields than the header' };
    } else if (row.fields.some((field) => field.includes('\0'))) {
      yield { line: row.line, fault: UNSTORABLE };
    } else {
      const fields = header.names.map((name, i) => [name, row.fields[i] ?? ''] as const);
      // An empty field counts as absent.
      yield { line: row.line, value: header.read(fields.filter(([, value]) => value !== '')) };
    }
  }

  #headerIn(row: CsvRow) {
    if ('fault' in row) throw new Problem('invalid_fields', `the header ${row.fault}`);
    // UTF-16 without a byte order mark is valid UTF-8.
    if (row.fields.some((name) => name.includes('\0'))) throw notUtf8();
    const names = row.fields.map((name) => name.trim());
    return { names, read: this.#readHeader(names) };
  }
}

/** The lines that are not empty; only the beginning of a line that is too long. */
async function* jsonLinesIn(
  texts: AsyncIterable<string>,
): AsyncGenerator<{ line: number; json: string }> {
  let text = '';
  let line = 1;
  /** Whether the text begins inside a line that was too long. */
  let isCut = false;
  function* take(): Generator<{ line: number; json: string }> {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const json = text.slice(start, end).trim();
      if (!isCut && json !== '') yield { line, json };
      isCut = false;
      line++;
      start = end + 1;
    }
    text = text.slice(start);
    if (!isCut && text.length > MAX_LINE_LENGTH) {
      yield { line, json: text };
      isCut = true;
    }
    if (isCut) text = '';
  }
  for await (const piece of texts) {
    text += piece;
    yield* take();
  }
  const json = text.trim();
  if (json !== '') yield { line, json };
}

const MAX_LINE_LENGTH = 100_000;

const UNSTORABLE = 'has characters that cannot be stored';

/** By the rules for JSON bodies. */
function jsonIn(json: string): { value: unknown } | { fault: string } {
  if (json.length > MAX_LINE_LENGTH) return { fault: 'is too long' };
  try {
    return { value: parseJson(json) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.fault === 'syntax') return { fault: 'is not JSON' };
    return { fault: error.fault === 'bad_text' ? UNSTORABLE : error.message };
  }
}

/** The errors of an object, as one text. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Problem)) throw error;
  const faults = (error.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`.trim());
  return faults.join('; ') || error.message;
}

const tooMany = (max: number) =>
  new Problem(
    'invalid_fields',
    `a file may have at most ${max} lines; import the rest with another request`,
  );

/** Throws a Problem if there are more than `max` items. */
export async function* limited<Item>(
  items: AsyncIterable<Item>,
  max: number,
): AsyncGenerator<Item> {
  let count = 0;
  for await (const item of items) {
    if (++count > max) throw tooMany(max);
    yield item;
  }
}
