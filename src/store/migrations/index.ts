import type { Kysely } from 'kysely';

import type { EngineName } from '../schema.ts';
import * as initial from './0001-initial.ts';

interface Migration {
  up(db: Kysely<unknown>, engine: EngineName): Promise<void>;
}

export type Migrations = Readonly<Record<string, Migration>>;

/** In order, forward only. A released migration is never changed. */
export const MIGRATIONS: Migrations = { '0001-initial': initial };
