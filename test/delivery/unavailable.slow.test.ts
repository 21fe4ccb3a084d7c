import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { formatKeyRing, generateRingKey } from '../../src/lib/crypto/seal.ts';
import type { MessageState } from '../../src/model/message.ts';
import { openStore } from '../../src/setup.ts';
import type { Store } from '../../src/store/store.ts';
import { contentOf } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import {
  type DeliveryService,
  asTimePasses,
  openWebhookDelivery,
  passTime,
} from '../support/service/delivery.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/* An integration that a node cannot use: its messages wait and none fails. */

const MESSAGES = 40;
const RECIPIENTS = 4;
const LIMIT_MS = 6_000;

/** Queues messages while the channel blocks all sending. */
async function queue({ peer, send, sendAll, waiting }: DeliveryService): Promise<number[]> {
  peer.next({ status: 429, headers: { 'retry-after': '5' } });
  const first = await send('0', 'person0');
  await waiting(first, 'rate_limit');
  const rest = Array.from({ length: MESSAGES - 1 }, (_unused, i) => ({
    text: String(i + 1),
    to: `person${(i + 1) % RECIPIENTS}`,
  }));
  return [first, ...(await sendAll(rest))];
}

async function areAll(
  wanted: MessageState,
  { messages }: Store,
  applicationId: number,
  ids: readonly number[],
): Promise<boolean> {
  const found = await messages.getAll(applicationId, ids);
  return found.every(({ state }) => state === wanted);
}

/** Advancing the clock faster than the node renews its lease may repeat messages in flight. */
function checkOrder(contents: readonly string[]): void {
  const once = [...new Set(contents)];
  assert.equal(once.length, MESSAGES);
  for (let person = 0; person < RECIPIENTS; person++) {
    const own = once.map(Number).filter((number) => number % RECIPIENTS === person);
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
    );
  }
}

for (const engine of ENGINES) {
  describe(`an integration that the node cannot use (${engine})`, () => {
    it('fails no message when its credentials are encrypted with a key that the node lacks', async () => {
      const [older, newer] = [generateRingKey(), generateRingKey()];
      const ring = (...keys: (typeof older)[]) => ({
        SWITCHBOARD_SECRET_KEYS: formatKeyRing(keys),
      });
      const database = await createDatabase(engine);
      try {
        const clock = new TestClock();
        const environment = ring(older);
        const sb = await openWebhookDelivery(engine, { clock, database, environment });
        const ids = await queue(sb);
        // As after a key rotation, on a node that has only the older key.
        const both = { ...database.environment, ...ring(newer, older) };
        const other = await openStore(readConfig(both));
        await other.resealAll();
        await other.close();
        const { store } = sb.service;
        const pause = () =>
          store.engine.db
            .selectFrom('ownerships')
            .select(['pausedReason'])
            .where('integrationId', '=', sb.integrationId)
            .executeTakeFirst();
        await passTime(sb.service, clock, LIMIT_MS);
        await until(
          'the integration is paused',
          async () => (await pause())?.pausedReason === 'unavailable',
        );
        await until('all messages wait', () => areAll('queued', store, sb.applicationId, ids));
        const { peer } = sb;
        const before = peer.seen.length;
        await sb.service[Symbol.asyncDispose]();

        await using after = await startTestService(engine, {
          clock,
          database,
          environment: {
            ...ring(newer),
            SWITCHBOARD_ROLE: 'all',
            SWITCHBOARD_WEBHOOK_URL: peer.url,
          },
        });
        await asTimePasses(clock, 1000, 'all are sent', () =>
          areAll('sent', after.store, sb.applicationId, ids),
        );
        checkOrder(peer.seen.slice(before).map(contentOf));
        await peer.close();
      } finally {
        await database.dispose();
      }
    });

    it('fails no message when this version does not know its channel', async () => {
      const clock = new TestClock();
      await using sb = await openWebhookDelivery(engine, { clock });
      const ids = await queue(sb);
      const rename = (name: string) =>
        sb.service.store.engine.db
          .updateTable('integrations')
          .set({ name })
          .where('id', '=', sb.integrationId)
          .execute();
      await rename('channel-of-a-later-version');
      const [first = 0] = ids;
      await passTime(sb.service, clock, LIMIT_MS);
      await sb.waiting(first, 'unavailable');
      for (const id of ids) await sb.message(id, ({ state }) => state === 'queued');
      await rename('webhook');
      const before = sb.peer.seen.length;
      await asTimePasses(clock, 1000, 'all are sent', () =>
        areAll('sent', sb.service.store, sb.applicationId, ids),
      );
      checkOrder(sb.peer.seen.slice(before).map(contentOf));
    });
  });
}
