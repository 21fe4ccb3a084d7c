import type { Static } from 'typebox';

import { isAddressName } from '../accept/contacts/address.ts';
import type { ImportError, ImportRow } from '../model/people/contact-import.ts';
import { Problem } from '../model/problem.ts';
import type { Millis } from '../model/timestamp.ts';
import { type Integrations, readContact, readNewAddress } from './new-contact.ts';
import { type Format, type RowReader, faultOf, readObjects } from './object-lines.ts';
import { NewContactSchema } from './openapi/contact-schemas.ts';
import { bodyCheck } from './server/validation.ts';

/* Contacts as lines of a file. */

const CONTACT_COLUMNS = ['external_id', 'name', 'locale', 'timezone'];
/** Columns of the application's own fields: `fields.plan`. */
const FIELDS = 'fields.';
/** JSON bodies cannot have a field with this name either. */
const NO_FIELDS: ReadonlySet<string> = new Set(['', '__proto__']);
const MAX_COLUMNS = 200;

export interface LineContext {
  /** The integrations of the application. */
  integrations: Integrations;
  now: Millis;
}

export type ReadRow = ImportRow | (ImportError & { contact?: never });

/** Rows are parsed one after the other. Throws a Problem if the header is wrong. */
export async function* readContacts(
  texts: AsyncIterable<string>,
  format: Format,
  context: LineContext,
): AsyncGenerator<ReadRow> {
  for await (const row of readObjects(texts, format, readHeader)) {
    const { line } = row;
    yield 'fault' in row ? { line, detail: row.fault } : parse(line, row.value, context);
  }
}

const check = bodyCheck(NewContactSchema);

/** Other members are ignored. Null counts as absent: an import clears nothing. */
function parse(line: number, value: unknown, { integrations, now }: LineContext): ReadRow {
  try {
    check(value);
    const { addresses: addressInputs = [], ...fields } = value as Static<typeof NewContactSchema>;
    const contact = readContact(fields);
    const origin = { evidence: 'import', now } as const;
    const addresses = addressInputs.map((address, i) =>
      readNewAddress(address, `/addresses/${i}`, integrations, origin),
    );
    if (!contact.externalId && addresses.length === 0) {
      return { line, detail: 'needs an external id or an address' };
    }
    return { line, contact, addresses };
  } catch (error) {
    return { line, detail: faultOf(error) };
  }
}

const isColumn = (name: string) =>
  CONTACT_COLUMNS.includes(name) ||
  (name.startsWith(FIELDS) && !NO_FIELDS.has(name.slice(FIELDS.length))) ||
  isAddressName(name);

const quoted = (names: readonly string[]) =>
  names
    .slice(0, 10)
    .map((name) => `"${name.slice(0, 64)}"`)
    .join(', ');

function faultOfHeader(names: readonly string[]): string | undefined {
  if (names.length > MAX_COLUMNS) return `a file may have at most ${MAX_COLUMNS} columns`;
  const unknown = names.filter((name) => !isColumn(name));
  if (unknown.length > 0) {
    return `unknown columns: ${quoted(unknown)}; use ${CONTACT_COLUMNS.join(', ')}, fields.NAME or the name of a channel`;
  }
  // A person may have several addresses of one kind.
  const repeated = names.filter((name, i) => names.indexOf(name) < i && !isAddressName(name));
  return repeated.length > 0 ? `repeated columns: ${quoted(repeated)}` : undefined;
}

/** A column is a field of every contact, one of the application's own fields, or the channel of an address. */
function readHeader(names: readonly string[]): RowReader {
  const detail = faultOfHeader(names);
  if (detail !== undefined) throw new Problem('invalid_fields', detail);
  return (cells) => {
    const contact = cells.filter(([name]) => CONTACT_COLUMNS.includes(name));
    const fields = cells.filter(([name]) => name.startsWith(FIELDS));
    const addresses = cells.filter(([name]) => isAddressName(name));
    return {
      ...Object.fromEntries(contact),
      ...(fields.length > 0 && {
        fields: Object.fromEntries(
          fields.map(([name, value]) => [name.slice(FIELDS.length), value]),
        ),
      }),
      addresses: addresses.map(([channel, address]) => ({ channel, address })),
    };
  };
}
