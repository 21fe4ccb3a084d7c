import { createHmac, randomBytes } from 'node:crypto';

import type { Kysely } from 'kysely';

import type { Id } from '../../model/id.ts';
import { erasedKey, isErasedKey } from '../../model/sending/consent.ts';
import { recordChanges } from '../accounts/changes.ts';
import { SealedRepository } from '../repository.ts';
import type { Schema } from '../schema.ts';

const SECRET_BYTES = 32;

/** The place that the sealed secret of an application is bound to. */
export const digestPlaceOf = (row: Id) => ({ table: 'digest_keys', row, field: 'secret' });

/**
 * The consents of erased people. Their key is a keyed digest of the address: a request that names the address
 * finds the consent, but the address cannot be read from the store. Each application has a secret, sealed with the ring,
 * from its first erasure on.
 */
export class ConsentDigests extends SealedRepository {
  async secret(applicationId: Id, db: Kysely<Schema> = this.db): Promise<Buffer | undefined> {
    const row = await db
      .selectFrom('digestKeys')
      .select('secret')
      .where('applicationId', '=', applicationId)
      .executeTakeFirst();
    return row && Buffer.from(this.sealer.open(row.secret, digestPlaceOf(applicationId)), 'base64');
  }

  /** Creates the secret with the first erasure. */
  async ensureSecret(trx: Kysely<Schema>, applicationId: Id): Promise<Buffer> {
    const existing = await this.secret(applicationId, trx);
    if (existing) return existing;
    const created = randomBytes(SECRET_BYTES);
    const secret = this.sealer.seal(created.toString('base64'), digestPlaceOf(applicationId));
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('digestKeys')
      .values({ applicationId, secret })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    // Another erasure was first.
    if (!numInsertedOrUpdatedRows) return (await this.secret(applicationId, trx)) ?? created;
    await recordChanges(trx, applicationId);
    return created;
  }

  /** The digests under which the consents of erased people are stored, by consent key. */
  async find(
    applicationId: Id,
    keys: readonly string[],
    { db = this.db, secret }: { db?: Kysely<Schema>; secret?: Buffer | undefined } = {},
  ): Promise<Map<string, string>> {
    const digestSecret = secret ?? (await this.secret(applicationId, db));
    const plain = [...new Set(keys)].filter((key) => !isErasedKey(key));
    if (!digestSecret || plain.length === 0) return new Map();
    const digests = new Map(plain.map((key) => [digestOf(digestSecret, key), key]));
    const rows = await db
      .selectFrom('consents')
      .select('key')
      .distinct()
      .where('applicationId', '=', applicationId)
      .where('key', 'in', [...digests.keys()])
      .execute();
    return new Map(
      rows.flatMap(({ key }) => {
        const original = digests.get(key);
        return original === undefined ? [] : [[original, key] as const];
      }),
    );
  }

  /** The changes with the keys under which they are stored, and a function that returns the original of each. */
  async redirect<Change extends { applicationId: Id; key: string }>(
    trx: Kysely<Schema>,
    changes: readonly Change[],
  ): Promise<{ changes: readonly Change[]; originalOf(change: Change): Change }> {
    const originals = new Map<Change, Change>();
    const redirected: Change[] = [];
    const byApplication = Map.groupBy(changes, ({ applicationId }) => applicationId);
    for (const [applicationId, group] of byApplication) {
      const keys = group.map(({ key }) => key);
      const digests = await this.find(applicationId, keys, { db: trx });
      for (const change of group) {
        const key = digests.get(change.key);
        const stored = key === undefined ? change : { ...change, key };
        originals.set(stored, change);
        redirected.push(stored);
      }
    }
    return { changes: redirected, originalOf: (change) => originals.get(change) ?? change };
  }
}

/** The key of an erased address. */
export function digestOf(secret: Buffer, key: string): string {
  return erasedKey(key, createHmac('sha256', secret).update(key).digest('hex'));
}
