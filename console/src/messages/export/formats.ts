import type { Message } from '../../api/types.ts';
import { activityText } from '../activity-text.ts';

/* File formats of an exported message log. */

export type ExportFormat = 'csv' | 'ndjson';

interface Format {
  label: string;
  help: string;
  mediaType: string;
  extension: string;
  /** First line of the file. */
  head: string;
  write(message: Message): string;
}

type Cell = string | number | null | undefined;

const COLUMNS: readonly [name: string, value: (message: Message) => Cell][] = [
  ['id', ({ id }) => id],
  ['state', ({ state }) => state],
  ['to', ({ to }) => to],
  ['integration_id', ({ integration_id }) => integration_id],
  ['text', ({ message }) => activityText(message)],
  ['created_at', ({ created_at }) => created_at],
  ['sent_at', ({ sent_at }) => sent_at],
  ['delivered_at', ({ delivered_at }) => delivered_at],
  ['read_at', ({ read_at }) => read_at],
  ['attempts', ({ attempts }) => attempts],
  ['error_code', ({ error }) => error?.code],
  ['error_title', ({ error }) => error?.title],
  ['error_detail', ({ error }) => error?.detail],
  ['channel_ids', ({ channel_ids }) => channel_ids.join(' ')],
];

/** Spreadsheets run a cell as a formula if it starts like this. https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[\s"']*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/** One cell (RFC 4180). Text that looks like a formula gets an apostrophe, which spreadsheets do not show. */
export function csvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const guarded = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

const csvLine = (cells: readonly Cell[]) => `${cells.map(csvCell).join(',')}\r\n`;

export const FORMATS: Record<ExportFormat, Format> = {
  csv: {
    label: 'CSV',
    help: 'For spreadsheets: one row per message, with its text, times and error.',
    mediaType: 'text/csv',
    extension: 'csv',
    head: csvLine(COLUMNS.map(([name]) => name)),
    write: (message) => csvLine(COLUMNS.map(([, value]) => value(message))),
  },
  ndjson: {
    label: 'NDJSON',
    help: 'For programs: one JSON object per line, as the API returns it.',
    mediaType: 'application/x-ndjson',
    extension: 'ndjson',
    head: '',
    write: (message) => `${JSON.stringify(message)}\n`,
  },
};
