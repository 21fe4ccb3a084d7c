import { yieldingBetween } from '../lib/threads/yielding.ts';
import type { Id } from '../model/id.ts';
import type { ImportError } from '../model/people/contact-import.ts';
import { MAX_IMPORT_ERRORS } from '../store/people/imports.ts';
import type { Store } from '../store/store.ts';
import { type LineContext, readContacts } from './contact-lines.ts';
import { type Format, limited } from './object-lines.ts';

export const MAX_ROWS = 100_000;
/** Rows per transaction of the import. */
const MAX_BLOCK_ROWS = 250;
const MAX_BLOCK_LENGTH = 128 * 1024;

/** Checks the rows of a file and stores them in blocks; returns how many there are. */
export async function receiveImport(
  store: Store,
  key: { applicationId: Id; id: Id },
  { texts, format }: { texts: AsyncIterable<string>; format: Format },
  context: LineContext,
): Promise<{ total: number; failed: number; blocks: number }> {
  const { contactImports } = store;
  const received = { total: 0, failed: 0, blocks: 0 };
  let rows: string[] = [];
  let length = 0;
  let errors: ImportError[] = [];
  const flush = async () => {
    if (rows.length > 0) await contactImports.addBlock(key, received.blocks++, rows);
    await contactImports.addErrors(key, errors);
    rows = [];
    length = 0;
    errors = [];
  };
  const all = limited(readContacts(texts, format, context), MAX_ROWS);
  for await (const row of yieldingBetween(all)) {
    received.total++;
    if (row.contact) {
      const json = JSON.stringify(row);
      rows.push(json);
      length += json.length;
    } else if (++received.failed <= MAX_IMPORT_ERRORS) {
      errors.push({ line: row.line, detail: row.detail.slice(0, MAX_DETAIL_LENGTH) });
    }
    const isFull = rows.length + errors.length >= MAX_BLOCK_ROWS || length >= MAX_BLOCK_LENGTH;
    if (isFull) await flush();
  }
  await flush();
  return received;
}

const MAX_DETAIL_LENGTH = 500;
