import { DatabaseSync } from 'node:sqlite';

import { isPostgres } from '../../src/store/open.ts';
import { connected } from '../harness/postmaster.ts';
import type { Sample } from '../harness/sample.ts';

/** Rows per statement, small enough that the benchmark can be interrupted. */
const MAX_BATCH = 100_000;
/** Higher than any id in the store. */
const FIRST_ID = 100_000_000;

/**
 * Adds conversations to a store that is not open, with one received message each: the first `talkative` ones with
 * `recipient-N`, to whom messages were sent, and others with people who have none.
 */
export async function fillConversations(
  database: string,
  { applicationId, integrationId }: Sample,
  { count, talkative, events }: { count: number; talkative: number; events: number },
): Promise<void> {
  const now = Date.now();
  const recipient = `case when n < ${talkative} then 'recipient-' else 'person-' end || n`;
  const statements = [
    `insert into projections (application_id, cursor)
     select application_id, last from feeds where application_id = ${applicationId}`,
  ];
  for (let from = 0; from < count; from += MAX_BATCH) {
    const to = Math.min(count, from + MAX_BATCH);
    const numbers = `with recursive numbers (n) as
      (select cast(${from} as bigint) union all select n + 1 from numbers where n < ${to - 1})`;
    statements.push(
      `insert into conversations (application_id, integration_id, recipient, recipient_term, id, unread, last_at,
         last_event, last_message, created_at) ${numbers}
       select ${applicationId}, ${integrationId}, ${recipient}, ${recipient}, ${FIRST_ID} + n, 1, ${now} + n % 7919,
         1 + n % ${events}, null, ${now} from numbers`,
      `insert into conversation_events (application_id, conversation_id, created_at, event_id) ${numbers}
       select ${applicationId}, ${FIRST_ID} + n, ${now} + n % 7919, 1 + n % ${events} from numbers`,
    );
  }
  if (!isPostgres(database)) {
    using db = new DatabaseSync(database);
    // Safe, because an incomplete store is discarded.
    db.exec('pragma synchronous = off; pragma cache_size = -1000000');
    for (const statement of statements) db.exec(statement);
    db.exec('pragma wal_checkpoint(truncate)');
    return;
  }
  await connected(database, async (client) => {
    await client.query('set statement_timeout = 0; set synchronous_commit = off');
    for (const statement of statements) await client.query(statement);
    await client.query('vacuum analyze');
  });
}
