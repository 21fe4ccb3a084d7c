import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';

import { readConfig } from '../../src/config.ts';
import { MESSAGE_STATES, isSent } from '../../src/model/message.ts';
import { openStore } from '../../src/setup.ts';
import { inState, matching, partsOf } from '../../src/store/messages/message-filter.ts';
import {
  dueMessages,
  endOfBatch,
  expiredMessages,
  scheduledMessages,
} from '../../src/store/messages/queue.ts';
import { INSERT_MESSAGE } from '../../src/store/sqlite/accept.ts';
import { SETTLE, START } from '../../src/store/sqlite/dispatch-round.ts';
import type { Store } from '../../src/store/store.ts';
import { type TestDatabase, createDatabase } from '../support/store/databases.ts';

describe('SQLite plans', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createDatabase('sqlite');
    store = await openStore(readConfig(database.environment));
  });
  after(async () => {
    await store.close();
    await database.dispose();
  });

  for (const state of MESSAGE_STATES) {
    it(`SQLite finds the latest ${state} messages by index, without sorting`, async () => {
      const { rows } = await sql<{ detail: string }>`explain query plan select * from messages
        where application_id = 1 and ${inState(state)} order by created_at desc, id desc limit 10`.execute(
        store.engine.db,
      );
      const details = rows.map(({ detail }) => detail);
      assert.equal(details.length, 1, details.join('\n'));
      const index = isSent(state) ? 'outbox_by_application' : 'outbox_by_state';
      assert.ok(details[0]?.startsWith(`SEARCH outbox USING INDEX ${index} `), details[0]);
    });
  }

  it('SQLite finds queued messages by index', async () => {
    const spot = { applicationId: 0, integrationId: 0, recipient: '', sequence: 0 };
    for (const [query, index] of [
      [expiredMessages(store.engine, 1, 200), 'outbox_by_expiry'],
      [endOfBatch(store.engine, spot, 5_000), 'outbox_by_lane'],
      [dueMessages(store.engine, 1, 500), 'outbox_by_due'],
      [scheduledMessages(store.engine, spot, 200), 'outbox_by_integration'],
    ] as const) {
      const { rows } = await sql<{ detail: string }>`explain query plan ${query}`.execute(
        store.engine.db,
      );
      const details = rows.map(({ detail }) => detail);
      assert.equal(details.length, 1, details.join('\n'));
      assert.match(
        details[0] ?? '',
        new RegExp(`^SEARCH outbox USING (COVERING )?INDEX ${index} `),
      );
    }
  });

  it('SQLite finds the latest messages to a recipient by one index for each part', async () => {
    const filter = { recipient: 'ada' };
    const all = store.engine.db
      .selectFrom('messages')
      .select(['id', 'createdAt'])
      .where('applicationId', '=', 1);
    for (const part of partsOf(store.engine, filter)) {
      const query = matching(store.engine, all, filter, part)
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(10)
        .compile();
      const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(
        query.sql.replaceAll('?', '1'),
      )}`.execute(store.engine.db);
      const details = rows.map(({ detail }) => detail);
      const index = part.isScheduled ? 'outbox_scheduled_to' : 'outbox_by_recipient';
      assert.equal(details.length, 1, details.join('\n'));
      assert.match(details[0] ?? '', new RegExp(`^SEARCH outbox USING INDEX ${index} `));
    }
  });

  for (const [what, statement] of Object.entries({ INSERT_MESSAGE, START, SETTLE })) {
    it(`SQLite creates no temporary table for ${what}`, async () => {
      const { rows } = await sql<{ opcode: string }>`explain ${sql.raw(statement)}`.execute(
        store.engine.db,
      );
      const opcodes = rows.map(({ opcode }) => opcode);
      assert.ok(opcodes.includes('IdxInsert') || opcodes.includes('IdxDelete'));
      assert.ok(!opcodes.includes('OpenEphemeral'));
    });
  }
});
