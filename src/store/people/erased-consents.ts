import { type Kysely, sql } from 'kysely';

import type { Id } from '../../model/id.ts';
import type { Consent } from '../../model/sending/consent.ts';
import type { Engine } from '../engine.ts';
import type { Schema } from '../schema.ts';
import { digestOf } from './consent-digests.ts';

interface Digester {
  applicationId: Id;
  secret: Buffer;
}

/** Keeps the revoked consents of these addresses as digests. */
export async function keepAsDigests(
  engine: Engine,
  trx: Kysely<Schema>,
  digester: Digester,
  keys: readonly string[],
): Promise<void> {
  const { applicationId } = digester;
  for (const key of keys) {
    const rows = await trx
      .selectFrom('consents')
      .selectAll()
      .where((eb) => eb.and({ applicationId, key }))
      .execute();
    await keepDigests(engine, trx, digester, rows);
  }
}

/**
 * Keeps the revoked ones of these consents, without the proof, which names the person. Consents that changed since they
 * were last kept are kept again; the later change counts.
 */
async function keepDigests(
  engine: Engine,
  trx: Kysely<Schema>,
  { applicationId, secret }: Digester,
  consents: readonly Consent[],
): Promise<void> {
  for (const { key, scope, state, source, createdAt, updatedAt } of consents) {
    const digest = digestOf(secret, key);
    const current = { state, source, evidence: null, updatedAt };
    if (state === 'revoked') {
      const [id = 0] = await engine.allocateSequences(trx, 1);
      await trx
        .insertInto('consents')
        .values({ applicationId, key: digest, scope, id, createdAt, ...current })
        .onConflict((conflict) =>
          conflict
            .columns(['applicationId', 'key', 'scope'])
            .doUpdateSet(current)
            .where('consents.updatedAt', '<', updatedAt),
        )
        .execute();
    } else {
      await trx
        .updateTable('consents')
        .set(current)
        .where((eb) => eb.and({ applicationId, key: digest, scope }))
        .where('updatedAt', '<', updatedAt)
        .execute();
    }
  }
}

/**
 * Removes the consents of these addresses, and up to `limit` of their changes. If a consent is kept as a digest, so is
 * its history, without the proof. Returns whether there may be more.
 */
export async function removeConsents(
  engine: Engine,
  trx: Kysely<Schema>,
  digester: Digester,
  keys: readonly string[],
  limit: number,
): Promise<boolean> {
  const { applicationId, secret } = digester;
  for (const key of keys) {
    // Read as they are removed: the person may revoke one at the same time.
    const removed = await trx
      .deleteFrom('consents')
      .where((eb) => eb.and({ applicationId, key }))
      .returningAll()
      .execute();
    await keepDigests(engine, trx, digester, removed);
    const digest = digestOf(secret, key);
    const kept = await trx
      .selectFrom('consents')
      .select('id')
      .where((eb) => eb.and({ applicationId, key: digest }))
      .limit(1)
      .executeTakeFirst();
    const batch = sql`select application_id, id from consent_changes
      where application_id = ${applicationId} and key = ${key} limit ${limit}`;
    const { numAffectedRows } = await (
      kept
        ? sql`update consent_changes set key = ${digest}, evidence = null
            where (application_id, id) in (${batch})`
        : sql`delete from consent_changes where (application_id, id) in (${batch})`
    ).execute(trx);
    if (Number(numAffectedRows ?? 0) >= limit) return true;
  }
  return false;
}
