import { sql } from 'kysely';

import type { Place, Sealer } from '../../lib/crypto/seal.ts';
import type { Id } from '../../model/id.ts';
import { placeOf as keyPlace } from '../accounts/keys.ts';
import { hookPlaceOf, placeOf as integrationPlace } from '../delivery/integrations.ts';
import type { Engine } from '../engine.ts';
import { placeOf as idempotencyPlace } from '../messages/idempotency.ts';
import { digestPlaceOf } from '../people/consent-digests.ts';
import { erasurePlaceOf } from '../people/erasures.ts';

const BATCH_SIZE = 200;

const KEYS: SealedColumn = { table: 'keys', column: 'secret', placeOf: keyPlace };
const INTEGRATIONS: SealedColumn = {
  table: 'integrations',
  column: 'credentials',
  placeOf: integrationPlace,
};

const HOOKS: SealedColumn = { table: 'integrations', column: 'hook', placeOf: hookPlaceOf };
const DIGESTS: SealedColumn = {
  table: 'digest_keys',
  id: 'application_id',
  column: 'secret',
  placeOf: digestPlaceOf,
};
const ERASURES: SealedColumn = { table: 'erasures', column: 'subject', placeOf: erasurePlaceOf };

/**
 * Re-encrypts everything that is not sealed with the ring's first key. May run while the service runs: a value that
 * changes meanwhile keeps the change. Returns the number of re-encrypted values.
 */
export async function resealAll(engine: Engine, sealer: Sealer): Promise<number> {
  return (
    (await resealColumn(engine, sealer, KEYS)) +
    (await resealColumn(engine, sealer, INTEGRATIONS)) +
    (await resealColumn(engine, sealer, HOOKS)) +
    (await resealColumn(engine, sealer, DIGESTS)) +
    (await resealColumn(engine, sealer, ERASURES)) +
    (await resealResponses(engine, sealer))
  );
}

/** A sealed column of a table with an id. */
interface SealedColumn {
  table: 'keys' | 'integrations' | 'digest_keys' | 'erasures';
  /** The column with the id; `id` by default. */
  id?: 'id' | 'application_id';
  column: 'secret' | 'credentials' | 'hook' | 'subject';
  placeOf(id: Id): Place;
}

async function resealColumn(
  { db }: Engine,
  sealer: Sealer,
  { table, id: idColumn = 'id', column, placeOf }: SealedColumn,
): Promise<number> {
  const name = sql.ref(column);
  const key = sql.ref(idColumn);
  let count = 0;
  for (let last = 0; ;) {
    const { rows } = await sql<{ id: Id; sealed: string }>`
      select ${key} as id, ${name} as sealed from ${sql.table(table)}
      where ${key} > ${last} and ${name} is not null order by ${key} limit ${BATCH_SIZE}`.execute(
      db,
    );
    if (rows.length === 0) return count;
    for (const { id, sealed } of rows) {
      last = id;
      const resealedText = resealed(sealer, sealed, placeOf(id));
      if (resealedText === undefined) continue;
      count++;
      await sql`update ${sql.table(table)} set ${name} = ${resealedText}
        where ${key} = ${id} and ${name} = ${sealed}`.execute(db);
    }
  }
}

async function resealResponses({ db }: Engine, sealer: Sealer): Promise<number> {
  const current = `${sealer.primary}.`;
  let count = 0;
  for (;;) {
    const { rows } = await sql<{ tenantId: Id; scope: string; key: string; response: string }>`
      select tenant_id, scope, key, response from idempotency
      where response is not null and substr(response, 1, ${current.length}) <> ${current}
      limit ${BATCH_SIZE}`.execute(db);
    if (rows.length === 0) return count;
    for (const { tenantId, scope, key, response } of rows) {
      const place = idempotencyPlace({ scope, key });
      const resealedText = sealer.seal(sealer.open(response, place), place);
      count++;
      await sql`update idempotency set response = ${resealedText}
        where tenant_id = ${tenantId} and scope = ${scope} and key = ${key} and response = ${response}`.execute(
        db,
      );
    }
  }
}

function resealed(sealer: Sealer, sealed: string, place: Place): string | undefined {
  if (sealer.isCurrent(sealed)) return undefined;
  return sealer.seal(sealer.open(sealed, place), place);
}
