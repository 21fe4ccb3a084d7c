import { type Kysely, sql } from 'kysely';

import { indexKey } from '../../lib/text/index-key.ts';
import type { Id } from '../../model/id.ts';
import type { StoredCost } from '../../model/sending/cost.ts';
import { STEPS } from '../../model/statistics.ts';
import type { Millis } from '../../model/timestamp.ts';
import { type Scope, applicationsIn } from '../applications-in-scope.ts';
import { deleteRows } from '../delete-rows.ts';
import type { Engine } from '../engine.ts';
import { Repository } from '../repository.ts';
import type { Schema } from '../schema.ts';
import { keyIn } from '../tables.ts';
import type { CostRow, CostTotal } from './cost-rows.ts';

/** A cost that a vendor reports for a part. */
export type NewCost = StoredCost &
  Pick<CostRow, 'channelId'> &
  Pick<CostTotal, 'channel' | 'sandbox'>;

/** The costs of an application on a channel, in a span of time. */
export type CostSum = Omit<CostTotal, 'at' | 'integrationId' | 'sandbox'>;

const APPLICATIONS_PER_STATEMENT = 20;

/** Costs of messages, as vendors report them. */
export class Costs extends Repository {
  /** The reported costs of parts, by the channel's ids. */
  of(applicationId: Id, integrationId: Id, channelIds: readonly string[]): Promise<CostRow[]> {
    if (channelIds.length === 0) return Promise.resolve([]);
    return this.db
      .selectFrom('costs')
      .selectAll()
      .where((eb) => eb.and({ applicationId, integrationId }))
      .where(
        'channelId',
        'in',
        channelIds.map((id) => indexKey(id)),
      )
      .execute();
  }

  /** Sums per application, channel, currency and category. */
  async totals(scope: Scope, { from, to }: { from: Millis; to: Millis }): Promise<CostSum[]> {
    const { channel, mode = 'live' } = scope;
    const sums: CostSum[] = [];
    for await (const ids of applicationsIn(this.db, scope, APPLICATIONS_PER_STATEMENT)) {
      let query = this.db
        .selectFrom('costTotals')
        .select(({ fn }) => [
          'applicationId',
          'channel',
          'currency',
          'category',
          // PostgreSQL sums bigint to numeric, which arrives as text.
          fn.sum<number | string>('parts').as('parts'),
          fn.sum<number | string>('amountMicros').as('amountMicros'),
        ])
        .where('applicationId', 'in', ids)
        .where('at', '>=', from)
        .where('at', '<', to)
        .where('sandbox', '=', mode === 'sandbox' ? 1 : 0);
      if (channel !== undefined) query = query.where('channel', '=', channel);
      const rows = await query
        .groupBy(['applicationId', 'channel', 'currency', 'category'])
        .execute();
      for (const { parts, amountMicros, ...group } of rows) {
        sums.push({ ...group, parts: Number(parts), amountMicros: Number(amountMicros) });
      }
    }
    return sums;
  }

  /** Deletes up to `limit` older sums; returns how many. */
  forgetTotals(before: Millis, limit: number): Promise<number> {
    return deleteRows(this.db, 'costTotals', sql`at < ${before}`, limit);
  }
}

/** Stores costs; a repeated report counts once. In key order, so that two nodes cannot deadlock. */
export async function recordCosts(
  { name }: Engine,
  trx: Kysely<Schema>,
  place: { applicationId: Id; integrationId: Id },
  costs: readonly NewCost[],
  now: Millis,
): Promise<void> {
  const ordered = costs.toSorted((a, b) =>
    Buffer.compare(Buffer.from(a.channelId), Buffer.from(b.channelId)),
  );
  for (const { channel, sandbox, channelId, ...cost } of ordered) {
    const row = { ...place, ...cost, channelId: indexKey(channelId), createdAt: now };
    const added = await trx
      .insertInto('costs')
      .values(row)
      .onConflict((conflict) => conflict.columns(keyIn(name, 'costs')).doNothing())
      .returning('channelId')
      .executeTakeFirst();
    if (!added) continue;
    const { currency, category, amountMicros } = cost;
    await trx
      .insertInto('costTotals')
      .values({
        ...place,
        at: now - (now % STEPS.hour),
        channel,
        currency,
        category,
        sandbox,
        parts: 1,
        amountMicros: amountMicros ?? 0,
      })
      .onConflict((conflict) =>
        conflict.columns(keyIn(name, 'costTotals')).doUpdateSet((eb) => ({
          parts: eb('costTotals.parts', '+', 1),
          amountMicros: eb('costTotals.amountMicros', '+', amountMicros ?? 0),
        })),
      )
      .execute();
  }
}
