import { csvRow, unescapeFormula, escapeFormula } from '../lib/text/csv.ts';
import { Problem } from '../model/problem.ts';
import { consentView } from '../model/sending/consent-event.ts';
import type { Consent, ConsentChange } from '../model/sending/consent.ts';
import { ConsentBody, type NewConsent, readConsent } from './new-consent.ts';
import { type Format, type RowReader, faultOf, readObjects } from './object-lines.ts';
import { bodyCheck } from './server/validation.ts';

/* Consents as lines of a file. */

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

/** Parses the lines in order. Throws a Problem if the header is wrong. */
export async function* readLines(
  texts: AsyncIterable<string>,
  format: Format,
): AsyncGenerator<ReadLine> {
  for await (const { line, ...row } of readObjects(texts, format, readHeader)) {
    yield 'fault' in row ? { line, fault: row.fault } : { line, ...parse(row.value) };
  }
}

const check = bodyCheck(ConsentBody);

/** Other members are ignored, so that an export can be imported. */
function parse(value: unknown): { change: ConsentChange } | { fault: string } {
  try {
    check(value);
    return { change: readConsent(value as NewConsent, 'import') };
  } catch (error) {
    return { fault: faultOf(error) };
  }
}

function readHeader(names: readonly string[]): RowReader {
  const columns = new Set(names.map((name) => name.toLowerCase()));
  const missing = ['family', 'address', 'state'].filter((name) => !columns.has(name));
  if (missing.length > 0) {
    const detail = `the first line must name the columns; missing: ${missing.join(', ')}`;
    throw new Problem('invalid_fields', detail);
  }
  return (fields) =>
    Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), unescapeFormula(value)]));
}

export function writeHeader(format: Format): string {
  return format === 'csv' ? csvRow(COLUMNS) : '';
}

export function writeLine(consent: Consent, format: Format): string {
  const view = consentView(consent);
  if (format === 'csv') return csvRow(COLUMNS.map((name) => escapeFormula(view[name] ?? '')));
  return `${JSON.stringify(view)}\n`;
}
