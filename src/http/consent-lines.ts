import { csvRow, csvRows } from '../lib/text/csv.ts';
import { storable } from '../lib/text/storable.ts';
import { Problem } from '../model/problem.ts';
import { consentView } from '../model/sending/consent-event.ts';
import type { Consent, ConsentChange } from '../model/sending/consent.ts';
import { ConsentBody, type NewConsent, readConsent } from './new-consent.ts';
import { bodyCheck } from './server/validation.ts';

/* Consents as lines of a file: CSV with a header, or one JSON object per line. */

export const FORMATS = ['csv', 'ndjson'] as const;

export type Format = (typeof FORMATS)[number];

export const TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

/** The columns of an export; an import reads the first five. */
const COLUMNS = [
  'family',
  'address',
  'scope',
  'state',
  'evidence',
  'source',
  'created_at',
  'updated_at',
] as const;

export type ReadLine = { line: number } & ({ change: ConsentChange } | { fault: string });

/** Lines are parsed one after the other. Throws a Problem if the header is wrong. */
export function* readLines(text: string, format: Format): Generator<ReadLine> {
  for (const { line, ...row } of format === 'csv' ? csvObjects(text) : jsonObjects(text)) {
    yield 'fault' in row ? { line, fault: row.fault } : { line, ...parse(row.value) };
  }
}

type ReadObject = { line: number } & ({ value: unknown } | { fault: string });

const check = bodyCheck(ConsentBody);

/** Other members are ignored, so that an export can be imported. */
function parse(value: unknown): { change: ConsentChange } | { fault: string } {
  try {
    check(value);
    const change = readConsent(value as NewConsent, 'import');
    const isStorable = [change.key, change.evidence ?? ''].every((text) => storable(text) === text);
    return isStorable ? { change } : { fault: 'has characters that cannot be stored' };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const faults = (error.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`);
    return { fault: faults.join('; ') || error.message };
  }
}

function* csvObjects(text: string): Generator<ReadObject> {
  let header: string[] | undefined;
  for (const row of csvRows(text)) {
    if ('fault' in row) {
      yield { line: row.line, fault: row.fault };
    } else if (header) {
      const fields = header.map((name, i) => [name, row.fields[i] ?? ''] as const);
      // An empty field is as good as none.
      yield {
        line: row.line,
        value: Object.fromEntries(fields.filter(([, value]) => value !== '')),
      };
    } else {
      header = row.fields.map((name) => name.trim().toLowerCase());
      const missing = ['family', 'address', 'state'].filter((name) => !header?.includes(name));
      if (missing.length > 0) {
        const detail = `the first line must name the columns; missing: ${missing.join(', ')}`;
        throw new Problem('invalid_fields', detail);
      }
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

export function writeHeader(format: Format): string {
  return format === 'csv' ? csvRow(COLUMNS) : '';
}

export function writeLine(consent: Consent, format: Format): string {
  const view = consentView(consent);
  if (format === 'csv') return csvRow(COLUMNS.map((name) => view[name] ?? ''));
  return `${JSON.stringify(view)}\n`;
}
