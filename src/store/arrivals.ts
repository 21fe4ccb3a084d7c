import { type Kysely, sql } from 'kysely';

import { indexKey } from '../lib/index-key.ts';
import type { NewEvent } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Engine } from './engine.ts';
import { appendEvents } from './events.ts';
import type { Part, Schema, Watermark } from './schema.ts';

/** What a channel reported in one go: it is stored whole or not at all. */
export interface Report {
  integrationId: Id;
  at: Millis;
  /** Each under the name that the channel has for it: what comes again under the same is not told again. */
  events: readonly { key: string; event: NewEvent }[];
  receipts: readonly Pick<Part, 'channelId' | 'state' | 'code' | 'detail'>[];
  watermarks: readonly Omit<Watermark, 'integrationId'>[];
  /** Where listening goes on after it. */
  cursor?: string;
}

/** What comes in from channels. */
export class Arrivals {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Stores all reports in one durable commit; answers, for each, how many of its events were new. */
  accept(reports: readonly Report[]): Promise<number[]> {
    return this.#engine.db.transaction().execute(async (trx) => {
      const fresh = await claim(trx, reports);
      for (const report of reports) await this.#record(trx, report);
      await appendEvents(trx, fresh.flat());
      return fresh.map((events) => events.length);
    });
  }

  async #record(trx: Kysely<Schema>, report: Report): Promise<void> {
    const { integrationId, receipts, watermarks, cursor, at } = report;
    for (const { channelId, state, code, detail } of receipts) {
      const row = { integrationId, channelId: indexKey(channelId), state, code, detail };
      await trx
        .insertInto('parts')
        .values({ ...row, pending: 1, createdAt: at })
        .onConflict((conflict) =>
          conflict
            .columns(['integrationId', 'channelId'])
            .doUpdateSet({ state, code, detail, pending: 1 })
            .where(({ eb }) => eb(rank('parts.state'), '<', RANK[state ?? 'failed'])),
        )
        .execute();
    }
    for (const { recipient, state, upTo } of watermarks) {
      await trx
        .insertInto('watermarks')
        .values({ integrationId, recipient, state, upTo })
        .onConflict((conflict) =>
          conflict
            .columns(['integrationId', 'recipient', 'state'])
            .doUpdateSet({ upTo })
            .where('watermarks.upTo', '<', upTo),
        )
        .execute();
      await trx
        .updateTable('parts')
        .set({ pending: 1 })
        .where('integrationId', '=', integrationId)
        .where('recipient', '=', recipient)
        .where('sentAt', '<=', upTo)
        .where('messageId', 'is not', null)
        .where(({ eb }) => eb(rank('state'), '<', RANK[state]))
        .execute();
    }
    if (cursor === undefined) return;
    await trx.updateTable('integrations').set({ cursor }).where('id', '=', integrationId).execute();
  }

  /** Forgets up to `limit` names of what arrived before that; answers how many it were. */
  async forget(before: Millis, limit: number): Promise<number> {
    const { numAffectedRows } = await sql`delete from arrivals where (integration_id, key) in
      (select integration_id, key from arrivals where created_at < ${before} limit ${limit})`.execute(
      this.#engine.db,
    );
    return Number(numAffectedRows ?? 0);
  }
}

/** What a later report must be more than: one that was delivered was, whatever else is said. */
const RANK = { failed: 1, delivered: 2, read: 3 } as const;

const rank = (column: string) =>
  sql<number>`case ${sql.ref(column)} when 'failed' then 1 when 'delivered' then 2 when 'read' then 3 else 0 end`;

/** Those of the events, report by report, that nobody has told of before. */
async function claim(trx: Kysely<Schema>, reports: readonly Report[]): Promise<NewEvent[][]> {
  const rows = reports.flatMap(({ integrationId, events, at }) =>
    events.map(({ key }) => ({ integrationId, key: indexKey(key), createdAt: at })),
  );
  if (rows.length === 0) return reports.map(() => []);
  // In their own order, so that two nodes with the same cannot wait for each other.
  const ordered = rows.toSorted(
    (a, b) => a.integrationId - b.integrationId || (a.key < b.key ? -1 : 1),
  );
  const claimed = await trx
    .insertInto('arrivals')
    .values(ordered)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['integrationId', 'key'])
    .execute();
  const left = new Set(claimed.map(({ integrationId, key }) => `${integrationId} ${key}`));
  return reports.map(({ integrationId, events }) =>
    // Taken away as it is found: one report may name the same thing twice.
    events.flatMap(({ key, event }) =>
      left.delete(`${integrationId} ${indexKey(key)}`) ? [event] : [],
    ),
  );
}
