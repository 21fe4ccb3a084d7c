import { type Kysely, sql } from 'kysely';

import { indexKey } from '../../lib/text/index-key.ts';
import type { NewEvent } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import { consentEvents } from '../../model/sending/consent-event.ts';
import type { ConsentChange } from '../../model/sending/consent.ts';
import type { Millis } from '../../model/timestamp.ts';
import { appendEvents } from '../feed/events.ts';
import { Repository } from '../repository.ts';
import type { Part, Schema, Watermark } from '../schema.ts';
import { keyIn } from '../tables.ts';
import { type DatedChange, applyChanges } from './consents.ts';

const INSERT_BATCH = 1_000;

/** An event by the channel's own key, and what the person allows from then on. */
export interface InboundReport {
  key: string;
  event: NewEvent;
  consent?: ConsentChange;
}

/** One report of a channel. Stored in full or not at all; then the channel must report it again. */
export interface Report {
  applicationId: Id;
  integrationId: Id;
  at: Millis;
  /** Events by the channel's own key. A key that was seen before is ignored. */
  events: readonly InboundReport[];
  receipts: readonly Pick<Part, 'channelId' | 'state' | 'code' | 'detail'>[];
  watermarks: readonly Omit<Watermark, 'applicationId' | 'integrationId'>[];
  /** Where listening continues afterwards. */
  cursor?: string;
}

/** Stores the reports of channels. */
export class InboundEvents extends Repository {
  /** Stores all reports durably; returns the number of new events for each. */
  async accept(reports: readonly Report[]): Promise<number[]> {
    await this.#raiseWatermarks(reports);
    return this.db.transaction().execute(async (trx) => {
      const newEvents = await claimKeys(trx, reports);
      await this.#recordReceipts(trx, reports);
      for (const { applicationId, integrationId, cursor } of reports) {
        if (cursor === undefined) continue;
        await trx
          .updateTable('integrations')
          .set({ cursor })
          .where((eb) => eb.and({ applicationId, id: integrationId }))
          .execute();
      }
      const fresh = newEvents.flat();
      const changed = await applyChanges(this.engine, trx, fresh.flatMap(consentIn));
      await appendEvents(trx, [
        ...fresh.map(({ event }) => event),
        ...changed.flatMap((consent) => consentEvents(consent, consent.updatedAt)),
      ]);
      return newEvents.map((events) => events.length);
    });
  }

  /**
   * Raises watermarks in separate commits, before the parts are marked: a message sent in between either exists to be
   * marked, or is compared with a watermark that exists. Repeating this is harmless if storing the rest fails.
   */
  async #raiseWatermarks(reports: readonly Report[]): Promise<void> {
    const { db, name } = this.engine;
    const lock = name === 'postgres' ? sql`for update` : sql``;
    for (const { applicationId, integrationId, watermarks } of reports) {
      for (const { recipient, state, upTo } of watermarks) {
        await db
          .insertInto('watermarks')
          .values({ applicationId, integrationId, recipient, state, upTo })
          .onConflict((conflict) =>
            conflict
              .columns(keyIn(name, 'watermarks'))
              .doUpdateSet({ upTo })
              .where('watermarks.upTo', '<', upTo),
          )
          .execute();
        await sql`update parts set pending = 1 where (application_id, integration_id, channel_id) in
          (select application_id, integration_id, channel_id from parts
            where application_id = ${applicationId} and integration_id = ${integrationId} and recipient = ${recipient} and sent_at <= ${upTo}
              and message_id is not null and ${rank('state')} < ${RANK[state]}
            order by application_id, integration_id, channel_id ${lock})`.execute(db);
      }
    }
  }

  /** Deletes up to `limit` keys of older reports; returns how many. */
  async forget(before: Millis, limit: number): Promise<number> {
    const { numAffectedRows } =
      await sql`delete from received_keys where (application_id, integration_id, key) in
      (select application_id, integration_id, key from received_keys where created_at < ${before} limit ${limit})`.execute(
        this.db,
      );
    return Number(numAffectedRows ?? 0);
  }

  /** Uses the key order of parts, in which all statements lock them. */
  async #recordReceipts(trx: Kysely<Schema>, reports: readonly Report[]): Promise<void> {
    const rows = reports.flatMap(({ applicationId, integrationId, receipts, at }) =>
      receipts.map(({ channelId, ...receipt }) => ({
        ...receipt,
        applicationId,
        integrationId,
        channelId: indexKey(channelId),
        createdAt: at,
      })),
    );
    const ordered = rows.toSorted(
      (a, b) =>
        byIntegration(a, b) || Buffer.compare(Buffer.from(a.channelId), Buffer.from(b.channelId)),
    );
    for (const row of ordered) {
      const { state, code, detail } = row;
      await trx
        .insertInto('parts')
        .values({ ...row, pending: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(keyIn(this.engine.name, 'parts'))
            .doUpdateSet({ state, code, detail, pending: 1 })
            .where(({ eb }) => eb(rank('parts.state'), '<', RANK[state ?? 'failed'])),
        )
        .execute();
    }
  }
}

/** A repeated event changes no consent: the person may have changed their mind since. */
function consentIn({ event, consent }: InboundReport): DatedChange[] {
  const { applicationId, createdAt: at } = event;
  return consent ? [{ ...consent, applicationId, at }] : [];
}

type IntegrationKey = Pick<Report, 'applicationId' | 'integrationId'>;

const byIntegration = (a: IntegrationKey, b: IntegrationKey) =>
  a.applicationId - b.applicationId || a.integrationId - b.integrationId;

/** A later report must rank higher: once delivered, a message cannot fail any more. */
const RANK = { failed: 1, delivered: 2, read: 3 } as const;

const rank = (column: string) =>
  sql<number>`case ${sql.ref(column)} when 'failed' then 1 when 'delivered' then 2 when 'read' then 3 else 0 end`;

/** The events of each report whose keys are new. */
async function claimKeys(
  trx: Kysely<Schema>,
  reports: readonly Report[],
): Promise<InboundReport[][]> {
  const rows = reports.flatMap(({ applicationId, integrationId, events, at }) =>
    events.map(({ key }) => ({ applicationId, integrationId, key: indexKey(key), createdAt: at })),
  );
  if (rows.length === 0) return reports.map(() => []);
  // In key order, so that two nodes with the same keys cannot deadlock.
  const ordered = rows.toSorted((a, b) => byIntegration(a, b) || (a.key < b.key ? -1 : 1));
  const newKeys = new Set<string>();
  for (let i = 0; i < ordered.length; i += INSERT_BATCH) {
    const claimed = await trx
      .insertInto('receivedKeys')
      .values(ordered.slice(i, i + INSERT_BATCH))
      .onConflict((conflict) => conflict.doNothing())
      .returning(['integrationId', 'key'])
      .execute();
    for (const { integrationId, key } of claimed) newKeys.add(`${integrationId} ${key}`);
  }
  return reports.map(({ integrationId, events }) =>
    // Delete on use: a report may contain the same key twice.
    events.filter(({ key }) => newKeys.delete(`${integrationId} ${indexKey(key)}`)),
  );
}
