import type { Kysely } from 'kysely';

import { chunksOf } from '../../lib/runtime/chunks.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import {
  type ContactImport,
  type ImportError,
  type ImportRow,
  planImport,
} from '../../model/people/contact-import.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { isFree, takeJobs } from '../delivery/job-claims.ts';
import { isUniqueViolation } from '../faults.ts';
import { type IdempotencyRecord, recordAnswer } from '../messages/idempotency.ts';
import { type Page, type PageRequest, page } from '../paging.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { ContactRefusal } from './contact-refusal.ts';
import { findPeople, storePeople } from './imported-people.ts';

/** A block must wait. Thrown to end its transaction. */
class Deferred extends Error {}

type ImportKey = Pick<ContactImport, 'applicationId' | 'id'>;

/** Errors that are kept of one import. */
export const MAX_IMPORT_ERRORS = 10_000;
/** Attempts at a block while other requests change the same contacts. */
const MAX_ATTEMPTS = 5;
/** Abandoned imports that are removed at once. */
const MAX_REMOVED = 10;
/** An import whose node ended while it received the file. */
const ABANDONED_MS = 60 * 60 * 1000;

/**
 * Files of contacts. Each block of rows and the progress commit in one transaction, so after a crash nothing is
 * repeated or skipped. The imports of an application run one after the other.
 */
export class ContactImports extends Repository {
  /** Begins to receive a file. Nobody sees it until `start`. */
  async insert(key: ImportKey, now: Millis): Promise<void> {
    const counts = { total: 0, created: 0, updated: 0, unchanged: 0, failed: 0 };
    const progress = { blocks: 0, nextBlock: 0, node: null, finishedAt: null };
    const dates = { createdAt: now, updatedAt: now };
    await this.db
      .insertInto('contactImports')
      .values({ ...key, state: 'receiving', ...counts, ...progress, ...dates })
      .execute();
  }

  /** Adds the next rows of the file, each an ImportRow as JSON. */
  async addBlock(
    { applicationId, id: importId }: ImportKey,
    number: number,
    rows: readonly string[],
  ): Promise<void> {
    await this.db
      .insertInto('importBlocks')
      .values({ applicationId, importId, number, rows: `[${rows.join(',')}]` })
      .execute();
  }

  /** Adds errors that were found while the file was received. */
  addErrors(key: ImportKey, errors: readonly ImportError[]): Promise<void> {
    return insertErrors(this.db, key, errors);
  }

  /** The file is complete: from now on it is imported. */
  async start(
    { applicationId, id, total, failed, blocks }: ContactImport,
    answer?: IdempotencyRecord,
    audit?: AuditEntry,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      await recordAnswer(trx, answer);
      const change = { total, failed, blocks, state: 'running' } as const;
      await write(trx, { applicationId, id }, change);
      await recordAudit(trx, audit);
    });
  }

  /** Removes an import that was not started. */
  async discard({ applicationId, id }: ImportKey): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('contactImports')
        .where((eb) => eb.and({ applicationId, id, state: 'receiving' }))
        .executeTakeFirst();
      if (numDeletedRows > 0n) await removeRows(trx, { applicationId, id });
    });
  }

  get(applicationId: Id, id: Id): Promise<ContactImport | undefined> {
    return this.#all(applicationId).where('id', '=', id).executeTakeFirst();
  }

  /** Newest first. */
  list(applicationId: Id, request: PageRequest): Promise<Page<ContactImport>> {
    return page(this.#all(applicationId), request);
  }

  /** Up to `limit` errors after a line, in the order of the file. */
  errors(
    { applicationId, id: importId }: ImportKey,
    after: number,
    limit: number,
  ): Promise<ImportError[]> {
    return this.db
      .selectFrom('importErrors')
      .select(['line', 'detail'])
      .where((eb) => eb.and({ applicationId, importId }))
      .where('line', '>', after)
      .orderBy('line')
      .limit(limit)
      .execute();
  }

  async countOpen(applicationId: Id): Promise<number> {
    const { count } = await this.db
      .selectFrom('contactImports')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('applicationId', '=', applicationId)
      .where('finishedAt', 'is', null)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Stops an import; imported rows stay. A finished one is unchanged. */
  async cancel({ applicationId, id }: ImportKey, now: Millis, audit?: AuditEntry): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('contactImports')
        .set({ state: 'canceled', updatedAt: now, finishedAt: now })
        .where((eb) => eb.and({ applicationId, id }))
        .where('finishedAt', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      await trx
        .deleteFrom('importBlocks')
        .where((eb) => eb.and({ applicationId, importId: id }))
        .execute();
      await recordAudit(trx, audit);
    });
  }

  /** Claims up to `limit` imports without a live node, the oldest of each application; returns all of this node. */
  async claim(node: string, limit: number, now: Millis): Promise<ImportKey[]> {
    const free = await this.db
      .selectFrom('contactImports')
      .select(['applicationId', 'id', 'node'])
      .where('finishedAt', 'is', null)
      .where('state', '=', 'running')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('contactImports as o')
              .select('o.id')
              .whereRef('o.applicationId', '=', 'contactImports.applicationId')
              .where('o.finishedAt', 'is', null)
              .where('o.state', '=', 'running')
              .whereRef('o.id', '<', 'contactImports.id'),
          ),
        ),
      )
      .where(isFree(this.engine, 'node', node, now))
      .orderBy('createdAt')
      .limit(limit)
      .execute();
    return takeJobs(this.engine, 'contactImports', free, node);
  }

  /** Imports the next block of an import of this node. */
  async runBatch(
    key: ImportKey,
    node: string,
    now: Millis,
  ): Promise<{ hasMore: boolean; applicationId: Id }> {
    for (let attempt = 1; ; attempt++) {
      try {
        const hasMore = await this.#run(key, node, now);
        return { hasMore, applicationId: key.applicationId };
      } catch (error) {
        if (error instanceof Deferred) return { hasMore: true, applicationId: key.applicationId };
        // Another request took an external id or address meanwhile: read the contacts again.
        const isTaken = error instanceof ContactRefusal || isUniqueViolation(error);
        if (!isTaken || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  #run({ applicationId, id }: ImportKey, node: string, now: Millis): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      let query = trx
        .selectFrom('contactImports')
        .selectAll()
        .where((eb) => eb.and({ applicationId, id, node }))
        .where('finishedAt', 'is', null);
      if (this.engine.name === 'postgres') query = query.forUpdate();
      const found = await query.executeTakeFirst();
      if (!found) return false;
      const place = { applicationId, importId: id, number: found.nextBlock };
      const block = await trx
        .deleteFrom('importBlocks')
        .where((eb) => eb.and(place))
        .returning('rows')
        .executeTakeFirst();
      const rows = block ? (JSON.parse(block.rows) as ImportRow[]) : [];
      const people = await findPeople(this.engine, trx, applicationId, rows);
      // Read after the contacts, whose locks an erasure needs.
      if (await isErasurePending(trx, applicationId)) throw new Deferred();
      const plan = planImport(applicationId, people, rows, now);
      const free = Math.max(0, MAX_IMPORT_ERRORS - found.failed);
      await insertErrors(trx, found, plan.errors.slice(0, free));
      const nextBlock = found.nextBlock + 1;
      const hasMore = nextBlock < found.blocks;
      await write(trx, found, {
        created: found.created + plan.created,
        updated: found.updated + plan.updated,
        unchanged: found.unchanged + plan.unchanged,
        failed: found.failed + plan.errors.length,
        nextBlock,
        updatedAt: now,
        ...(!hasMore && { state: 'done', finishedAt: now }),
      });
      await storePeople(this.engine, trx, plan.people, now);
      return hasMore;
    });
  }

  /** Deletes some imports whose file never arrived in full, with their rows; returns whether there may be more. */
  async removeAbandoned(now: Millis): Promise<boolean> {
    const lost = await this.db
      .selectFrom('contactImports')
      .select(['applicationId', 'id'])
      .where('finishedAt', 'is', null)
      .where('createdAt', '<', now - ABANDONED_MS)
      .where('state', '=', 'receiving')
      .limit(MAX_REMOVED)
      .execute();
    for (const key of lost) await this.#remove(key);
    return lost.length === MAX_REMOVED;
  }

  /** The row comes last: a removal that was interrupted is repeated. */
  async #remove({ applicationId, id }: ImportKey): Promise<void> {
    await removeRows(this.db, { applicationId, id });
    await this.db
      .deleteFrom('contactImports')
      .where((eb) => eb.and({ applicationId, id }))
      .execute();
  }

  #all(applicationId: Id) {
    return this.db
      .selectFrom('contactImports')
      .selectAll()
      .where('applicationId', '=', applicationId)
      .where('state', '!=', 'receiving');
  }
}

/** Whether an erasure has yet to remove rows about the person: they would make a contact of them again. */
async function isErasurePending(trx: Kysely<Schema>, applicationId: Id): Promise<boolean> {
  const found = await trx
    .selectFrom('erasures')
    .select('id')
    .where((eb) => eb.and({ applicationId, phase: 'imports' }))
    .where('finishedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

async function write(
  trx: Kysely<Schema>,
  { applicationId, id }: ImportKey,
  change: Partial<ContactImport>,
): Promise<void> {
  await trx
    .updateTable('contactImports')
    .set(change)
    .where((eb) => eb.and({ applicationId, id }))
    .execute();
}

/** Rows per statement. */
const MAX_PER_STATEMENT = 500;

async function insertErrors(
  db: Kysely<Schema>,
  { applicationId, id: importId }: ImportKey,
  errors: readonly ImportError[],
): Promise<void> {
  for (const chunk of chunksOf(errors, MAX_PER_STATEMENT)) {
    const rows = chunk.map(({ line, detail }) => ({ applicationId, importId, line, detail }));
    await db.insertInto('importErrors').values(rows).execute();
  }
}

async function removeRows(
  db: Kysely<Schema>,
  { applicationId, id: importId }: ImportKey,
): Promise<void> {
  for (const table of ['importBlocks', 'importErrors'] as const) {
    await db
      .deleteFrom(table)
      .where('applicationId', '=', applicationId)
      .where('importId', '=', importId)
      .execute();
  }
}
