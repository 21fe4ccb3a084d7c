import { type Kysely, sql } from 'kysely';

import type { Sealer } from '../../lib/crypto/seal.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { contactEvent } from '../../model/people/contact-event.ts';
import type { AddressKey } from '../../model/people/contact.ts';
import type { MergedContact } from '../../model/people/merge.ts';
import { consentKey } from '../../model/sending/consent.ts';
import type { Millis } from '../../model/timestamp.ts';
import { recordAudit } from '../accounts/audit.ts';
import { deleteRows } from '../delete-rows.ts';
import type { Engine } from '../engine.ts';
import { appendEvents } from '../feed/events.ts';
import { SealedRepository } from '../repository.ts';
import type { Part, Schema } from '../schema.ts';
import type { ConsentDigests } from './consent-digests.ts';
import { keepAsDigests, removeConsents } from './erased-consents.ts';
import { type ImportPlace, nextBlocks, removeErrors, removeFromBlock } from './erased-imports.ts';
import { removeMentions } from './erased-mentions.ts';
import { removeOutboxRows, removePlace } from './erased-rows.ts';
import type { OutboxRow } from './personal-data.ts';
import type { ErasureRow } from './rows.ts';

/** Seals the addresses of the person. */
export const erasurePlaceOf = (row: Id) => ({ table: 'erasures', row, field: 'subject' });

/** The person to erase. */
export interface Subject {
  /** Of the contact, and of those that were merged into it. */
  contactIds: Id[];
  externalIds: string[];
  addresses: AddressKey[];
  /** Addresses of the person as messages and events wrote them. */
  places: { integrationId: Id; recipient: string }[];
}

/** An erasure in progress. */
export type OpenErasure = Omit<ErasureRow, 'subject'> & { subject: Subject };

/** The position from which an erasure continues after a step. */
type ErasureProgress = Pick<ErasureRow, 'phase'> &
  Partial<Pick<ErasureRow, 'afterAt' | 'afterId'>> & { subject?: Subject };

type ContactKey = Pick<ErasureRow, 'applicationId' | 'id'>;

const MAX_REWRITTEN_BYTES = 64 * 1024 * 1024;

/** Thrown to end the transaction: another node made the step. */
class StepAlreadyMade extends Error {}

/**
 * Erasures of people, in steps. A step and the place to continue commit in one transaction, which does nothing if
 * another node was faster: after a crash, nothing is left out.
 */
export class Erasures extends SealedRepository {
  readonly #digests: ConsentDigests;

  constructor(engine: Engine, sealer: Sealer, digests: ConsentDigests) {
    super(engine, sealer);
    this.#digests = digests;
  }

  /**
   * Deletes the contact, and stores the addresses of the person, sealed. Revoked consents are kept as digests from now
   * on. Undefined if there is no such contact.
   */
  start({ applicationId, id }: ContactKey, now: Millis, audit?: AuditEntry) {
    return this.db.transaction().execute(async (trx) => {
      const byContact = { applicationId, contactId: id };
      const contact = await trx
        .deleteFrom('contacts')
        .where((eb) => eb.and({ applicationId, id }))
        .returning('externalId')
        .executeTakeFirst();
      if (!contact) return undefined;
      const addresses = await trx
        .deleteFrom('addresses')
        .where((eb) => eb.and(byContact))
        .returning(['family', 'integrationId', 'address'])
        .execute();
      await trx
        .deleteFrom('contactTerms')
        .where((eb) => eb.and(byContact))
        .execute();
      const merges = await trx
        .deleteFrom('contactMerges')
        .where((eb) => eb.and(byContact))
        .returning(['mergedId', 'merged'])
        .execute();
      const merged = merges.map((row) => (JSON.parse(row.merged) as MergedContact).contact);
      const secret = await this.#digests.ensureSecret(trx, applicationId);
      const keys = addresses.map((address) => consentKey(address));
      await keepAsDigests(this.engine, trx, { applicationId, secret }, keys);
      const subject: Subject = {
        contactIds: [id, ...merges.map(({ mergedId }) => mergedId)],
        externalIds: [contact, ...merged].flatMap(({ externalId }) => externalId ?? []),
        addresses,
        places: [],
      };
      const row: OpenErasure = {
        applicationId,
        id,
        phase: 'imports',
        subject,
        afterAt: 0,
        afterId: 0,
        messages: 0,
        events: 0,
        createdAt: now,
        finishedAt: null,
      };
      const sealed = this.#seal({ applicationId, id }, subject);
      await trx
        .insertInto('erasures')
        .values({ ...row, subject: sealed })
        .execute();
      await recordAudit(trx, audit);
      return row;
    });
  }

  get(applicationId: Id, id: Id): Promise<ErasureRow | undefined> {
    return this.db
      .selectFrom('erasures')
      .selectAll()
      .where((eb) => eb.and({ applicationId, id }))
      .executeTakeFirst();
  }

  /** Unfinished erasures, oldest first. */
  async open(limit: number): Promise<OpenErasure[]> {
    const rows = await this.db
      .selectFrom('erasures')
      .selectAll()
      .where('finishedAt', 'is', null)
      .orderBy('createdAt')
      .limit(limit)
      .execute();
    return rows.map((row) => Object.assign({}, row, { subject: this.#open(row) }));
  }

  /** Advances the erasure without removing anything. */
  async skip(erasure: OpenErasure, progress: ErasureProgress): Promise<void> {
    await this.#step(erasure, progress, async () => {});
  }

  /** Removes messages and webhook deliveries; false if some are being sent. Then the step must be repeated. */
  async removeMessages(
    erasure: OpenErasure,
    rows: readonly OutboxRow[],
    progress: ErasureProgress,
    now: Millis,
  ): Promise<boolean> {
    let isClear = true;
    await this.#step(erasure, progress, async (trx) => {
      const { applicationId } = erasure;
      const { removed, hasRemaining } = await removeOutboxRows(
        this.engine,
        trx,
        applicationId,
        rows,
        now,
      );
      isClear = !hasRemaining;
      return { messages: removed, isStalled: hasRemaining };
    });
    return isClear;
  }

  /** Removes messages that wait; returns how many. Those that are being sent meanwhile stay. */
  removeWaiting(
    { applicationId, id }: ContactKey,
    rows: readonly OutboxRow[],
    now: Millis,
  ): Promise<number> {
    return this.db.transaction().execute(async (trx) => {
      const { removed } = await removeOutboxRows(this.engine, trx, applicationId, rows, now);
      await trx
        .updateTable('erasures')
        .set((eb) => ({ messages: eb('messages', '+', removed) }))
        .where((eb) => eb.and({ applicationId, id }))
        .execute();
      return removed;
    });
  }

  async removeEvents(
    erasure: OpenErasure,
    ids: readonly number[],
    progress: ErasureProgress,
  ): Promise<void> {
    const { applicationId } = erasure;
    await this.#step(erasure, progress, async (trx) => {
      // Waits for copies of events that are being made for the webhook: the next phase removes them.
      await trx
        .updateTable('endpoints')
        .set((eb) => ({ cursor: eb.ref('cursor') }))
        .where((eb) => eb.and({ applicationId }))
        .execute();
      if (ids.length === 0) return {};
      await trx
        .deleteFrom('events')
        .where('applicationId', '=', applicationId)
        .where('id', 'in', ids)
        .execute();
      return { events: ids.length };
    });
  }

  /**
   * Removes up to `limit` rows about a recipient from each table that refers to the address. Returns whether there may
   * be more.
   */
  removePlace(
    { applicationId }: OpenErasure,
    place: { integrationId: Id; recipient: string; windowAddress: string },
    limit: number,
  ): Promise<boolean> {
    return this.db
      .transaction()
      .execute((trx) => removePlace(this.engine, trx, { applicationId, ...place }, limit));
  }

  /** Removes the rows about the person from some blocks that are not imported yet; returns where to continue. */
  async removeImported(
    { applicationId, subject }: OpenErasure,
    after: ImportPlace,
    limit: number,
  ): Promise<ImportPlace | undefined> {
    const blocks = await nextBlocks(this.db, applicationId, after, limit);
    for (const block of blocks) {
      await this.db
        .transaction()
        .execute((trx) => removeFromBlock(this.engine, trx, applicationId, block, subject));
    }
    return blocks.length === limit ? blocks.at(-1) : undefined;
  }

  /** Checks the next `limit` errors of imports, and removes those that name the person; returns where to continue. */
  removeImportErrors(
    { applicationId }: OpenErasure,
    after: ImportPlace,
    isNamed: (text: string) => boolean,
    limit: number,
  ): Promise<ImportPlace | undefined> {
    return removeErrors(this.db, applicationId, after, isNamed, limit);
  }

  /** The next `limit` parts of an integration, with the reports on them. */
  parts(
    applicationId: Id,
    integrationId: Id,
    after: string,
    limit: number,
  ): Promise<Pick<Part, 'channelId' | 'messageId' | 'detail'>[]> {
    return this.db
      .selectFrom('parts')
      .select(['channelId', 'messageId', 'detail'])
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('channelId', '>', after)
      .orderBy('channelId')
      .limit(limit)
      .execute();
  }

  async removeParts(
    { applicationId }: OpenErasure,
    integrationId: Id,
    channelIds: readonly string[],
  ): Promise<void> {
    if (channelIds.length === 0) return;
    await this.db
      .deleteFrom('parts')
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('channelId', 'in', channelIds)
      .execute();
  }

  /** The next `limit` vendor ids of received events of an integration. */
  receivedKeys(
    applicationId: Id,
    integrationId: Id,
    after: string,
    limit: number,
  ): Promise<{ key: string }[]> {
    return this.db
      .selectFrom('receivedKeys')
      .select('key')
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('key', '>', after)
      .orderBy('key')
      .limit(limit)
      .execute();
  }

  async removeReceivedKeys(
    { applicationId }: OpenErasure,
    integrationId: Id,
    keys: readonly string[],
  ): Promise<void> {
    if (keys.length === 0) return;
    await this.db
      .deleteFrom('receivedKeys')
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where('key', 'in', keys)
      .execute();
  }

  /** Removes the filters of jobs, and error texts, that name the person. */
  async removeMentions(
    erasure: OpenErasure,
    names: (text: string) => boolean,
    progress: ErasureProgress,
  ): Promise<void> {
    await this.#step(erasure, progress, (trx) => removeMentions(trx, erasure.applicationId, names));
  }

  /** Removes up to `limit` consents and changes that name the person; returns whether there may be more. */
  removeConsents({ applicationId, subject }: OpenErasure, limit: number): Promise<boolean> {
    return this.db.transaction().execute(async (trx) => {
      const secret = await this.#digests.ensureSecret(trx, applicationId);
      const keys = subject.addresses.map((address) => consentKey(address));
      return removeConsents(this.engine, trx, { applicationId, secret }, keys, limit);
    });
  }

  /** Removes the addresses of the person, and emits `contact.erased`. */
  async finish(erasure: OpenErasure, now: Millis): Promise<void> {
    const { applicationId, id } = erasure;
    await this.#rewriteFile();
    await this.db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('erasures')
        .set({ phase: 'done', subject: null, finishedAt: now })
        .where((eb) => eb.and({ applicationId, id }))
        .where('finishedAt', 'is', null)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return;
      await appendEvents(trx, [contactEvent('contact.erased', { applicationId, id }, now)]);
    });
  }

  /** Deletes up to `limit` records of older erasures; returns how many. */
  forget(before: Millis, limit: number): Promise<number> {
    return deleteRows(this.db, 'erasures', sql`finished_at < ${before}`, limit);
  }

  /**
   * SQLite overwrites deleted rows, but not the copies that it left in a page when it moved them to another. Small
   * files are rewritten, which takes less than a second; nothing else can be written meanwhile.
   */
  async #rewriteFile(): Promise<void> {
    if (this.engine.name !== 'sqlite') return;
    const { rows } = await sql<{ bytes: number }>`select page_count * page_size as bytes
      from pragma_page_count(), pragma_page_size()`.execute(this.db);
    if ((rows[0]?.bytes ?? 0) <= MAX_REWRITTEN_BYTES) await sql`vacuum`.execute(this.db);
  }

  /** Makes a step. A stalled one keeps its place. */
  async #step(
    erasure: OpenErasure,
    { phase, afterAt = 0, afterId = 0, subject }: ErasureProgress,
    work: (
      trx: Kysely<Schema>,
    ) => Promise<{ messages?: number; events?: number; isStalled?: boolean } | void>,
  ): Promise<void> {
    const { applicationId, id, phase: before } = erasure;
    try {
      await this.db.transaction().execute(async (trx) => {
        const { messages = 0, events = 0, isStalled = false } = (await work(trx)) ?? {};
        const { numUpdatedRows } = await trx
          .updateTable('erasures')
          .set((eb) => ({
            messages: eb('messages', '+', messages),
            events: eb('events', '+', events),
            ...(subject && { subject: this.#seal({ applicationId, id }, subject) }),
            ...(!isStalled && { phase, afterAt, afterId }),
          }))
          .where((eb) => eb.and({ applicationId, id, phase: before }))
          .where((eb) => eb.and({ afterAt: erasure.afterAt, afterId: erasure.afterId }))
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new StepAlreadyMade();
      });
    } catch (error) {
      if (!(error instanceof StepAlreadyMade)) throw error;
    }
  }

  #seal({ id }: ContactKey, subject: Subject): string {
    return this.sealer.seal(JSON.stringify(subject), erasurePlaceOf(id));
  }

  #open({ id, subject }: ErasureRow): Subject {
    const json = this.sealer.open(subject ?? '', erasurePlaceOf(id));
    return JSON.parse(json) as Subject;
  }
}
