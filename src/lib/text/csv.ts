/* Comma-separated values. https://www.rfc-editor.org/rfc/rfc4180 */

/** A row, or why it cannot be read; `line` is where it begins, counted from 1. */
export type CsvRow = { line: number; fields: string[] } | { line: number; fault: string };

/** Rows longer than this, in characters, are refused. */
export const MAX_ROW_LENGTH = 100_000;

const LINE_END = /\r\n|\n|\r/g;

/** Enough to see the end of any row that is not too long. */
const WINDOW = 3 * MAX_ROW_LENGTH;

/**
 * Reads the rows of a text that arrives in pieces, keeping only a limited part of it in memory. Empty lines are skipped.
 * A line ends with LF, CRLF or CR.
 */
export async function* csvRows(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<CsvRow> {
  let text = '';
  let line = 1;
  /** Whether the text begins inside a row that was refused. */
  let isCut = false;
  function* take(isEnd: boolean): Generator<CsvRow> {
    let at = 0;
    if (isCut) {
      const end = lineEndIn(text, isEnd);
      if (end === undefined) {
        text = text.endsWith('\r') ? '\r' : '';
        return;
      }
      isCut = false;
      at = end;
    }
    while (at < text.length && (isEnd || text.length - at > WINDOW)) {
      const { lines, end, ...row } = rowAt(text, at);
      if (!isEmpty(row)) yield { line, ...row };
      line += lines;
      at = end;
      isCut = !isEnd && end === text.length && !text.endsWith('\n');
    }
    text = isCut && text.endsWith('\r') ? '\r' : text.slice(at);
  }
  for await (const piece of pieces) {
    text += piece;
    yield* take(false);
  }
  yield* take(true);
}

const isEmpty = (row: { fields: string[] } | { fault: string }) =>
  'fields' in row && row.fields.length === 1 && row.fields[0] === '';

/** The end of the first line; undefined if more of it may follow. */
function lineEndIn(text: string, isEnd: boolean): number | undefined {
  LINE_END.lastIndex = 0;
  const found = LINE_END.exec(text);
  if (!found) return isEnd ? text.length : undefined;
  const end = found.index + found[0].length;
  return end === text.length && found[0] === '\r' && !isEnd ? undefined : end;
}

/** The end of the row that starts here, and its number of lines. `text` may be part of a longer one. */
export function csvRowEnd(text: string, start: number): { end: number; lines: number } {
  const { end, lines } = rowAt(text, start);
  return { end, lines };
}

type ReadRow = ({ fields: string[] } | { fault: string }) & { end: number; lines: number };

function rowAt(text: string, start: number): ReadRow {
  const fields: string[] = [];
  let at = start;
  let lines = 1;
  for (;;) {
    if (at - start > MAX_ROW_LENGTH) return { fault: 'is too long', ...nextLine(text, at, lines) };
    if (text[at] === '"') {
      const quoted = quotedAt(text, at);
      if (!quoted) return { fault: 'has a quote without an end', ...nextLine(text, at, lines) };
      fields.push(quoted.value);
      lines += quoted.value.match(LINE_END)?.length ?? 0;
      at = quoted.end;
      if (at - start > MAX_ROW_LENGTH)
        return { fault: 'is too long', ...nextLine(text, at, lines) };
      if (!isSeparator(text[at])) {
        return { fault: 'has text after a quoted field', ...nextLine(text, at, lines) };
      }
    } else {
      const end = endOfField(text, at, start + MAX_ROW_LENGTH);
      if (!isSeparator(text[end])) return { fault: 'is too long', ...nextLine(text, end, lines) };
      fields.push(text.slice(at, end));
      at = end;
    }
    if (text[at] === ',') {
      at++;
      continue;
    }
    const { end } = nextLine(text, at, lines);
    return { fields, end, lines };
  }
}

const isSeparator = (character: string | undefined) =>
  character === undefined || character === ',' || character === '\n' || character === '\r';

/** The end of the field, or `max` if it is longer. */
function endOfField(text: string, start: number, max: number): number {
  let at = start;
  while (at <= max && !isSeparator(text[at])) at++;
  return at;
}

/** Two quotes stand for one. */
function quotedAt(text: string, start: number): { value: string; end: number } | undefined {
  const pieces: string[] = [];
  let at = start + 1;
  while (at - start <= MAX_ROW_LENGTH) {
    const end = text.indexOf('"', at);
    if (end === -1) return undefined;
    pieces.push(text.slice(at, end));
    if (text[end + 1] !== '"') return { value: pieces.join(''), end: end + 1 };
    pieces.push('"');
    at = end + 2;
  }
  return undefined;
}

/** The start of the next line. */
function nextLine(text: string, at: number, lines: number): { end: number; lines: number } {
  LINE_END.lastIndex = at;
  return { end: LINE_END.test(text) ? LINE_END.lastIndex : text.length, lines };
}

/** A row, with its line end. Every field is quoted: numbers stay texts in spreadsheets. */
export const csvRow = (fields: readonly string[]): string =>
  `${fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')}\r\n`;

const FORMULA = /^(?:'+[=@\t\r+-]|[=@\t\r]|[-+](?!\d+$))/;
const QUOTED_FORMULA = /^'(?='*[=@\t\r+-])/;

/** A spreadsheet would execute a text that begins like a formula; with an apostrophe, it is a text. */
export const escapeFormula = (field: string): string => (FORMULA.test(field) ? `'${field}` : field);

/** The text of a field that `escapeFormula` changed. */
export const unescapeFormula = (field: string): string => field.replace(QUOTED_FORMULA, '');
