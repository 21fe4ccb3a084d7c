/* Comma-separated values. https://www.rfc-editor.org/rfc/rfc4180 */

/** A row, or why it cannot be read; `line` is where it begins, counted from 1. */
export type CsvRow = { line: number; fields: string[] } | { line: number; fault: string };

/** Rows longer than this, in characters, are refused. */
const MAX_ROW_LENGTH = 100_000;

/** Reads the rows in one pass. Empty lines are skipped. */
export function* csvRows(text: string): Generator<CsvRow> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const row = rowAt(text, at);
    const isEmpty = 'fields' in row && row.fields.length === 1 && row.fields[0] === '';
    if (!isEmpty) yield 'fields' in row ? { line, fields: row.fields } : { line, fault: row.fault };
    line += row.lines;
    at = row.end;
  }
}

type ReadRow = ({ fields: string[] } | { fault: string }) & { end: number; lines: number };

function rowAt(text: string, start: number): ReadRow {
  const fields: string[] = [];
  let at = start;
  let lines = 1;
  for (;;) {
    if (at - start > MAX_ROW_LENGTH) return { fault: 'is too long', ...after(text, at, lines) };
    if (text[at] === '"') {
      const quoted = quotedAt(text, at);
      if (!quoted) return { fault: 'has a quote without an end', ...after(text, at, lines) };
      fields.push(quoted.value);
      lines += quoted.value.split('\n').length - 1;
      at = quoted.end;
      if (!isSeparator(text[at])) {
        return { fault: 'has text after a quoted field', ...after(text, at, lines) };
      }
    } else {
      const end = endOfField(text, at);
      fields.push(text.slice(at, end));
      at = end;
    }
    if (text[at] === ',') {
      at++;
      continue;
    }
    const { end } = after(text, at, lines);
    return { fields, end, lines };
  }
}

const isSeparator = (character: string | undefined) =>
  character === undefined || character === ',' || character === '\n' || character === '\r';

function endOfField(text: string, start: number): number {
  let at = start;
  while (!isSeparator(text[at])) at++;
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
function after(text: string, at: number, lines: number): { end: number; lines: number } {
  const feed = text.indexOf('\n', at);
  return { end: feed === -1 ? text.length : feed + 1, lines };
}

/** A row, with its line end. Every field is quoted: numbers stay texts in spreadsheets. */
export const csvRow = (fields: readonly string[]): string =>
  `${fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')}\r\n`;
