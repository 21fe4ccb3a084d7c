import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { ImportRow } from '../../model/people/contact-import.ts';
import type { AddressKey } from '../../model/people/contact.ts';
import { consentKey } from '../../model/sending/consent.ts';
import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';

/** The position from which a search of all blocks, or errors, of an application continues. */
export interface ImportPlace {
  importId: Id;
  number: number;
}

/** The names and addresses by which rows of an import refer to a person. */
interface ImportedSubject {
  addresses: readonly AddressKey[];
  externalIds: readonly string[];
}

/** The next blocks of all imports of an application. They are up to 128 KB each. */
export function nextBlocks(
  db: Kysely<Schema>,
  applicationId: Id,
  after: ImportPlace,
  limit: number,
): Promise<ImportPlace[]> {
  return db
    .selectFrom('importBlocks')
    .select(['importId', 'number'])
    .where('applicationId', '=', applicationId)
    .where(sql<boolean>`(import_id, number) > (${after.importId}, ${after.number})`)
    .orderBy('importId')
    .orderBy('number')
    .limit(limit)
    .execute();
}

/**
 * Removes the rows about a person from a block that is not imported yet. They count as failed. Locks the import, as
 * importing a block does.
 */
export async function removeFromBlock(
  engine: Engine,
  trx: Kysely<Schema>,
  applicationId: Id,
  { importId, number }: ImportPlace,
  subject: ImportedSubject,
): Promise<void> {
  let found = trx
    .selectFrom('contactImports')
    .select('failed')
    .where((eb) => eb.and({ applicationId, id: importId }));
  if (engine.name === 'postgres') found = found.forUpdate();
  const held = await found.executeTakeFirst();
  const key = { applicationId, importId, number };
  const block = await trx
    .selectFrom('importBlocks')
    .select('rows')
    .where((eb) => eb.and(key))
    .executeTakeFirst();
  if (!held || !block) return;
  const rows = JSON.parse(block.rows) as ImportRow[];
  const isAbout = aboutOne(subject);
  const left = rows.filter((row) => !isAbout(row));
  const gone = rows.length - left.length;
  if (gone === 0) return;
  await trx
    .updateTable('importBlocks')
    .set({ rows: JSON.stringify(left) })
    .where((eb) => eb.and(key))
    .execute();
  await trx
    .updateTable('contactImports')
    .set({ failed: held.failed + gone })
    .where((eb) => eb.and({ applicationId, id: importId }))
    .execute();
}

function aboutOne({ addresses, externalIds }: ImportedSubject): (row: ImportRow) => boolean {
  const keys = new Set(addresses.map((address) => consentKey(address)));
  const ids = new Set(externalIds);
  return ({ contact, addresses: given }) =>
    ids.has(contact.externalId ?? '') || given.some((address) => keys.has(consentKey(address)));
}

/**
 * Removes the errors among the next `limit` that name a person; returns the position from which to continue, or undefined
 * at the end. Errors do not contain the row itself, but they name its fields.
 */
export async function removeErrors(
  db: Kysely<Schema>,
  applicationId: Id,
  after: ImportPlace,
  isNamed: (text: string) => boolean,
  limit: number,
): Promise<ImportPlace | undefined> {
  const rows = await db
    .selectFrom('importErrors')
    .select(['importId', 'line', 'detail'])
    .where('applicationId', '=', applicationId)
    .where(sql<boolean>`(import_id, line) > (${after.importId}, ${after.number})`)
    .orderBy('importId')
    .orderBy('line')
    .limit(limit)
    .execute();
  for (const { importId, line, detail } of rows) {
    if (!isNamed(detail)) continue;
    await db
      .deleteFrom('importErrors')
      .where((eb) => eb.and({ applicationId, importId, line }))
      .execute();
  }
  const last = rows.at(-1);
  return last && rows.length === limit ? { importId: last.importId, number: last.line } : undefined;
}
