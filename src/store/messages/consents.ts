import type { Kysely } from 'kysely';

import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { consentEvents } from '../../model/sending/consent-event.ts';
import type { Consent, ConsentChange, ConsentPolicy } from '../../model/sending/consent.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import type { Engine } from '../engine.ts';
import { appendEvents } from '../feed/events.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { ConsentChangeRow, Schema } from '../schema.ts';

/** Number of shown changes of an address. */
const MAX_CHANGES = 100;

/** A change for an application, with the time it was made. */
export type DatedChange = ConsentChange & { applicationId: Id; at: Millis };

/** What people allow. Every method takes the application: consents of other applications are not found. */
export class Consents extends Repository {
  /**
   * Stores changes with their proof and their events; the last one of an address and scope counts. Returns the
   * consents that changed.
   */
  change(changes: readonly DatedChange[], audit?: AuditEntry): Promise<Consent[]> {
    return this.db.transaction().execute(async (trx) => {
      const changed = await applyChanges(this.engine, trx, changes);
      await appendEvents(
        trx,
        changed.flatMap((consent) => consentEvents(consent, consent.updatedAt)),
      );
      await recordAudit(trx, audit);
      return changed;
    });
  }

  get(applicationId: Id, id: Id): Promise<Consent | undefined> {
    return this.#all(applicationId).where('id', '=', id).executeTakeFirst();
  }

  /** All consents of an address. */
  of(applicationId: Id, key: string): Promise<Consent[]> {
    return this.#all(applicationId).where('key', '=', key).orderBy('scope').execute();
  }

  list(applicationId: Id, request: PageRequest): Promise<Page<Consent>> {
    return page(this.#all(applicationId), request);
  }

  /** The changes stay. */
  async delete({ applicationId, key, scope }: Consent): Promise<void> {
    await this.db
      .deleteFrom('consents')
      .where((eb) => eb.and({ applicationId, key, scope }))
      .execute();
  }

  /** The changes of an address, newest first. */
  changes(applicationId: Id, key: string): Promise<ConsentChangeRow[]> {
    return this.db
      .selectFrom('consentChanges')
      .selectAll()
      .where((eb) => eb.and({ applicationId, key }))
      .orderBy('id', 'desc')
      .limit(MAX_CHANGES)
      .execute();
  }

  async policy(applicationId: Id): Promise<ConsentPolicy | undefined> {
    const row = await this.db
      .selectFrom('applications')
      .select(['allowTransactional', 'doubleOptIn'])
      .where('id', '=', applicationId)
      .executeTakeFirst();
    return (
      row && {
        allowTransactional: row.allowTransactional === 1,
        doubleOptIn: row.doubleOptIn === 1,
      }
    );
  }

  /** Returns whether the application exists. */
  setPolicy(
    applicationId: Id,
    { allowTransactional, doubleOptIn }: ConsentPolicy,
    audit?: AuditEntry,
  ): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('applications')
        .set({
          allowTransactional: allowTransactional ? 1 : 0,
          doubleOptIn: doubleOptIn ? 1 : 0,
        })
        .where('id', '=', applicationId)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      await recordAudit(trx, audit);
      return true;
    });
  }

  #all(applicationId: Id) {
    return this.db.selectFrom('consents').selectAll().where('applicationId', '=', applicationId);
  }
}

/**
 * Applies changes in a transaction, in key order, so that two nodes cannot deadlock. A change to the current state is
 * recorded as proof, but changes nothing.
 */
export async function applyChanges(
  engine: Engine,
  trx: Kysely<Schema>,
  changes: readonly DatedChange[],
): Promise<Consent[]> {
  const ordered = changes.toSorted(
    (a, b) => a.applicationId - b.applicationId || compare(a.key, b.key),
  );
  const changed: Consent[] = [];
  const ids = await engine.allocateSequences(trx, ordered.length);
  for (const [i, { at, ...change }] of ordered.entries()) {
    const { state, source, evidence } = change;
    const id = ids[i] ?? 0;
    await trx
      .insertInto('consentChanges')
      .values({ ...change, id, createdAt: at })
      .execute();
    const row = await trx
      .insertInto('consents')
      .values({ ...change, id, createdAt: at, updatedAt: at })
      .onConflict((conflict) =>
        conflict
          .columns(['applicationId', 'key', 'scope'])
          .doUpdateSet({ state, source, evidence, updatedAt: at })
          .where('consents.state', '!=', state),
      )
      .returningAll()
      .executeTakeFirst();
    if (row) changed.push(row);
  }
  return changed;
}

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
