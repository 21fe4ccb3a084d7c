import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import { deleteFromEach } from '../delete-rows.ts';
import type { Schema } from '../schema.ts';
import type { PeopleTables } from './rows.ts';

const PEOPLE = [
  'contacts',
  'addresses',
  'contactTerms',
  'conversations',
  'conversationEvents',
  'projections',
  'contactMerges',
  'contactSeparations',
  'addressMoves',
  'contactImports',
  'importBlocks',
  'importErrors',
  'erasures',
  'digestKeys',
] as const satisfies (keyof PeopleTables)[];

/** Deletes up to `limit` rows of each table of a deleted application; returns the largest number deleted. */
export function purgePeople(db: Kysely<Schema>, applicationId: Id, limit: number): Promise<number> {
  return deleteFromEach(db, PEOPLE, sql`application_id = ${applicationId}`, limit);
}
