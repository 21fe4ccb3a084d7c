import { MAX_ROW_LENGTH, csvRowEnd } from '../../../lib/text/csv.ts';
import { CliError } from '../../exit.ts';
import type { Format } from '../consents.ts';

/* Cuts a file of any size into parts that fit into one request each, with a limited amount of it in memory. */

const LIMITS = {
  /** The server accepts 100,000 rows; smaller parts show progress and cost less to repeat. */
  rows: 10_000,
  /** In characters, which have up to three bytes. */
  length: 4 * 1024 * 1024,
  /** Enough to see the end of any row that the server accepts. */
  window: 2 * MAX_ROW_LENGTH,
};
/** The longest line that a file with one object per line may have. */
const MAX_LINE_LENGTH = 4 * 1024 * 1024;

export interface FilePart {
  text: string;
  rows: number;
  /** The line of the whole file, for a line of this part. */
  lineOf(line: number): number;
}

interface Row {
  text: string;
  /** Where it begins, counted from 1. */
  line: number;
  lines: number;
}

const jsonRowEnd = (text: string, start: number) => {
  const feed = text.indexOf('\n', start);
  return { end: feed === -1 ? text.length : feed + 1, lines: 1 };
};

async function* rowsOf(
  pieces: AsyncIterable<string>,
  format: Format,
  window: number,
): AsyncGenerator<Row> {
  const rowEnd = format === 'csv' ? csvRowEnd : jsonRowEnd;
  let buffer = '';
  let line = 1;
  function* take(isEnd: boolean): Generator<Row> {
    let at = 0;
    while (at < buffer.length && (isEnd || buffer.length - at > window)) {
      const { end, lines } = rowEnd(buffer, at);
      const isWhole = isEnd || end < buffer.length || buffer.endsWith('\n');
      if (!isWhole && buffer.length - at > MAX_LINE_LENGTH) {
        throw new CliError(`line ${line} is too long`);
      }
      if (!isWhole) break;
      yield { text: buffer.slice(at, end), line, lines };
      line += lines;
      at = end;
    }
    buffer = buffer.slice(at);
  }
  for await (const piece of pieces) {
    buffer += piece;
    yield* take(false);
  }
  yield* take(true);
}

/** Each part of a CSV file begins with the header. */
export async function* partsOf(
  pieces: AsyncIterable<string>,
  format: Format,
  limits = LIMITS,
): AsyncGenerator<FilePart> {
  let header: Row | undefined;
  let rows: Row[] = [];
  let length = 0;
  const part = (): FilePart => {
    const first = rows[0]?.line ?? 1;
    const above = header?.lines ?? 0;
    const before = header ? withLineEnd(header.text) : '';
    return {
      text: before + rows.map(({ text }) => text).join(''),
      rows: rows.length,
      lineOf: (line) => (line <= above ? line : first + line - above - 1),
    };
  };
  for await (const row of rowsOf(pieces, format, limits.window)) {
    if (format === 'csv' && !header) {
      if (row.text.trim() !== '') header = row;
      continue;
    }
    if (rows.length === limits.rows || length + row.text.length > limits.length) {
      yield part();
      [rows, length] = [[], 0];
    }
    rows.push(row);
    length += row.text.length;
  }
  // A file without rows is sent too: its header may be wrong.
  if (rows.length > 0 || header) yield part();
}

const withLineEnd = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
