import assert from 'node:assert/strict';
import { it } from 'node:test';

import { fillStore } from '../../bench/stalls/large-store.ts';
import { Sealer, generateRingKey } from '../../src/lib/crypto/seal.ts';
import type { MessageState } from '../../src/model/message.ts';
import type { MessageFilter } from '../../src/store/messages/message-filter.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { sqliteEngine } from '../../src/store/sqlite/engine.ts';
import { Store } from '../../src/store/store.ts';
import { fc } from '../support/fast-check.ts';
import { InlineLine } from '../support/store/inline-store.ts';

const MESSAGES = 12_000;
/** Later than the first message, which has the time of the machine. */
const NOW = Date.UTC(3000, 0);
const RUNS = 60;

const filters: fc.Arbitrary<MessageFilter> = fc.record(
  {
    states: fc.constantFrom<MessageState[][]>(['sent'], ['read'], ['failed', 'sent']),
    idPrefix: fc.constantFrom('1', '11', '119', '7'),
    createdAfter: fc.integer({ min: NOW - MESSAGES, max: NOW }),
    createdBefore: fc.integer({ min: NOW - MESSAGES, max: NOW }),
  },
  { requiredKeys: [] },
);

const requests = fc.record(
  {
    limit: fc.integer({ min: 1, max: 100 }),
    startingAfter: fc.integer({ min: 1, max: MESSAGES }),
    endingBefore: fc.integer({ min: 1, max: MESSAGES }),
  },
  { requiredKeys: ['limit'] },
);

it('a filtered list of the embedded store has exactly the matching rows after its cursor', async () => {
  const database = new Database(':memory:');
  const store = new Store(sqliteEngine(new InlineLine(database)), new Sealer([generateRingKey()]));
  await store.migrate();
  const { applicationId } = await fillStore(store, database, NOW, {
    tenants: 3,
    messages: MESSAGES,
  });
  const { rows } = database.query(
    'select id, state, created_at from messages where application_id = ? order by created_at desc, id desc',
    [applicationId],
  );
  const all = rows as { id: number; state: string; created_at: number }[];

  await fc.assert(
    fc.asyncProperty(filters, requests, async (filter, request) => {
      const { states, idPrefix = '', createdAfter = 0, createdBefore = Infinity } = filter;
      const fits = all.filter(
        ({ id, state, created_at: at }) =>
          (states === undefined || (states as string[]).includes(state)) &&
          String(id).startsWith(idPrefix) &&
          at > createdAfter &&
          at < createdBefore,
      );
      const { limit, startingAfter, endingBefore } = request;
      const expected =
        startingAfter === undefined && endingBefore !== undefined
          ? fits.filter(({ id }) => id > endingBefore).slice(-limit)
          : fits.filter(({ id }) => id < (startingAfter ?? Infinity)).slice(0, limit);
      const page = await store.messages.list(applicationId, filter, request);
      assert.deepEqual(
        page.items.map(({ id }) => id),
        expected.map(({ id }) => id),
      );
    }),
    { numRuns: RUNS },
  );
  await store.close();
});
