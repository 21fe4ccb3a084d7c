import { type Kysely, sql } from 'kysely';

import { indexKey } from '../../lib/text/index-key.ts';
import type { NewEvent } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { NewMessage } from '../../model/message.ts';
import type { ConsentBlock, ConsentChange } from '../../model/sending/consent.ts';
import type { AnswerableKeyword } from '../../model/sending/keyword-answer.ts';
import type { OpenWindow } from '../../model/sending/window.ts';
import type { Millis } from '../../model/timestamp.ts';
import { deleteRows } from '../delete-rows.ts';
import type { Engine } from '../engine.ts';
import { appendEvents } from '../feed/events.ts';
import type { ConsentDigests } from '../people/consent-digests.ts';
import { Repository } from '../repository.ts';
import type { Part, Schema, Watermark } from '../schema.ts';
import { keyIn } from '../tables.ts';
import { type DatedChange, applyChanges, eventsOf } from './consents.ts';
import { type NewCost, recordCosts } from './costs.ts';
import { answerKeywords } from './keyword-answers.ts';
import { openWindows } from './windows.ts';

const INSERT_BATCH = 1_000;

/** An event with the channel's key for it, and what it changes besides the feed. */
export interface InboundReport {
  key: string;
  event: NewEvent;
  consents?: readonly ConsentChange[];
  /** A keyword to answer, if it changed a consent or asks for help. */
  answer?: AnswerableKeyword;
  /** The windows that it opens, where the vendor has any. */
  windows?: readonly OpenWindow[];
}

/** One report of a channel. Stored in full or not at all; if it is not, the channel must report it again. */
export interface Report {
  applicationId: Id;
  integrationId: Id;
  at: Millis;
  /** Events by the channel's own key. A key that was seen before is ignored. */
  events: readonly InboundReport[];
  receipts: readonly (Pick<Part, 'channelId' | 'state' | 'code' | 'detail'> &
    Partial<Pick<Part, 'block'>>)[];
  watermarks: readonly Omit<Watermark, 'applicationId' | 'integrationId'>[];
  /** Costs of parts, as the vendor reports them. */
  costs?: readonly NewCost[];
  /** The position from which listening continues afterwards. */
  cursor?: string;
}

/** Stores the reports of channels. */
export class InboundEvents extends Repository {
  readonly #digests: ConsentDigests;

  constructor(engine: Engine, digests: ConsentDigests) {
    super(engine);
    this.#digests = digests;
  }

  /**
   * Stores all reports durably; returns the number of new events for each. Calls `answered` with each message that
   * answers a keyword, once it is on disk.
   */
  async accept(
    reports: readonly Report[],
    answered: (message: NewMessage) => void = () => {},
  ): Promise<number[]> {
    await this.#raiseWatermarks(reports);
    let queued: NewMessage[] = [];
    const counts = await this.db.transaction().execute(async (trx) => {
      const newEvents = await claimKeys(trx, reports);
      await this.#recordReceipts(trx, reports);
      for (const { costs = [], at, ...place } of reports.toSorted(byIntegration)) {
        const { applicationId, integrationId } = place;
        await recordCosts(this.engine, trx, { applicationId, integrationId }, costs, at);
      }
      for (const { applicationId, integrationId, cursor } of reports) {
        if (cursor === undefined) continue;
        await trx
          .updateTable('integrations')
          .set({ cursor })
          .where((eb) => eb.and({ applicationId, id: integrationId }))
          .execute();
      }
      const fresh = newEvents.flatMap((events, i) => events.map((one) => dated(one, reports[i])));
      const applied = await applyChanges(
        this.engine,
        trx,
        fresh.flatMap(({ changes }) => changes),
        this.#digests,
      );
      const effective = new Set(applied.map(({ change }) => change));
      const answers = fresh.flatMap(({ answer, changes, ...place }) => {
        // A second STOP changes nothing, and so is not confirmed again.
        const isDue = answer?.keyword === 'help' || changes.some((one) => effective.has(one));
        return answer && isDue ? [{ ...place, answer }] : [];
      });
      await openWindows(this.engine, trx, reports.flatMap(windowsIn(newEvents)));
      queued = await answerKeywords(this.engine, trx, answers);
      await appendEvents(trx, [...fresh.map(({ event }) => event), ...eventsOf(applied)]);
      return newEvents.map((events) => events.length);
    });
    for (const message of queued) answered(message);
    return counts;
  }

  /**
   * Raises each watermark in a commit of its own, before marking the parts: a part that is stored meanwhile is either
   * found and marked, or is compared with the new watermark. If storing the rest fails, repeating this is harmless.
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

  async #block(trx: Kysely<Schema>, part: PartKey, block: ConsentBlock): Promise<void> {
    const { applicationId, integrationId, channelId } = part;
    await trx
      .updateTable('parts')
      .set({ block, pending: 1 })
      .where((eb) => eb.and({ applicationId, integrationId, channelId }))
      .execute();
  }

  /** Deletes up to `limit` keys of older reports; returns how many. */
  forget(before: Millis, limit: number): Promise<number> {
    return deleteRows(this.db, 'receivedKeys', sql`created_at < ${before}`, limit);
  }

  /** Uses the key order of parts, in which all statements lock them. */
  async #recordReceipts(trx: Kysely<Schema>, reports: readonly Report[]): Promise<void> {
    const rows = reports.flatMap(({ applicationId, integrationId, receipts, at }) =>
      receipts.map(({ channelId, block = null, ...receipt }) => ({
        ...receipt,
        block,
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
      const { state, code, detail, block } = row;
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
      // In any state: people also report delivered messages as spam.
      if (block !== null) await this.#block(trx, row, block);
    }
  }
}

/** A new event with its changes. A repeated one changes nothing: the person may have changed their mind since. */
function dated({ event, consents = [], answer }: InboundReport, report: Report | undefined) {
  const { applicationId, createdAt: at } = event;
  const changes: DatedChange[] = consents.map((change) => ({ ...change, applicationId, at }));
  return { event, answer, changes, applicationId, integrationId: report?.integrationId ?? 0, at };
}

type PartKey = Pick<Part, 'applicationId' | 'integrationId' | 'channelId'>;

/** The windows that the new events of a report open. */
const windowsIn =
  (newEvents: readonly InboundReport[][]) =>
  ({ applicationId, integrationId }: Report, position: number) =>
    (newEvents[position] ?? []).flatMap(({ windows = [] }) =>
      windows.map((window) => ({ ...window, applicationId, integrationId })),
    );

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
    const inserted = await trx
      .insertInto('receivedKeys')
      .values(ordered.slice(i, i + INSERT_BATCH))
      .onConflict((conflict) => conflict.doNothing())
      .returning(['integrationId', 'key'])
      .execute();
    for (const { integrationId, key } of inserted) newKeys.add(`${integrationId} ${key}`);
  }
  return reports.map(({ integrationId, events }) =>
    // Delete on use: a report may contain the same key twice.
    events.filter(({ key }) => newKeys.delete(`${integrationId} ${indexKey(key)}`)),
  );
}
