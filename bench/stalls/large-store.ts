import { createTeam } from '../../src/setup.ts';
import type { Database } from '../../src/store/sqlite/database.ts';
import type { Store } from '../../src/store/store.ts';
import {
  type Subject,
  acceptMessages,
  createApplication,
} from '../../test/support/store/exercise/subject.ts';

/** The supported size of one embedded store. */
export const TENANTS = 10_000;
export const MESSAGES = 1_000_000;

/** First ids of the tenants' rows, far from those that the store allocates. */
const FIRST_APPLICATION = 10_000_000;
const FIRST_INTEGRATION = 20_000_000;
const FIRST_ENDPOINT = 30_000_000;
const MINUTES_COUNTED = 20;
const MINUTE_MS = 60_000;

/**
 * Fills an empty embedded store with SQL, because its methods would take hours. One tenant has half of the messages. Of
 * each ten messages, seven are sent, one failed, one is canceled and one is queued.
 */
export async function fillStore(
  store: Store,
  database: Database,
  now: number,
  { tenants = TENANTS, messages = MESSAGES } = {},
): Promise<Subject> {
  const owner = { name: 'team', email: 'owner@example.com', password: null };
  const { team, owner: user } = await createTeam(store, owner);
  const subject = await createApplication(store, { teamId: team.id, userId: user.id });
  await acceptMessages(store, subject, ['sample']);
  const run = (text: string) => database.query(text, []);
  const copy = (table: string, count: number, where: string, changes: Record<string, string>) => {
    const { rows } = database.query('select name from pragma_table_info(?)', [table]);
    const names = (rows as { name: string }[]).map(({ name }) => name);
    const values = names.map((name) => changes[name] ?? `one.${name}`);
    run(`insert into ${table} (${names.join(', ')})
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select ${values.join(', ')} from ${table} one cross join numbers where ${where}`);
  };
  const { applicationId, integrationId } = subject;
  const application = `${FIRST_APPLICATION} + n`;
  const integration = `${FIRST_INTEGRATION} + n`;
  copy('applications', tenants, `one.id = ${applicationId}`, { id: application });
  copy('feeds', tenants, `one.application_id = ${applicationId}`, { application_id: application });
  for (const [id, name] of [
    [integration, 'one.name'],
    [`${FIRST_ENDPOINT} + n`, `'events'`],
  ] as const) {
    const place = { application_id: application, id, name };
    copy('integrations', tenants, `one.id = ${integrationId}`, place);
    const owned = { application_id: application, integration_id: id, node: 'null' };
    copy('ownerships', tenants, `one.integration_id = ${integrationId}`, owned);
  }
  run(`insert into endpoints (application_id, integration_id, cursor)
    select application_id, id, 0 from integrations where name = 'events'`);
  // Half of the messages belong to the subject; the others are spread over all tenants.
  const own = 'n % 2 = 0';
  const of = `case when ${own} then ${applicationId} else ${FIRST_APPLICATION} + 1 + n % ${tenants} end`;
  const through = `case when ${own} then ${integrationId} else ${FIRST_INTEGRATION} + 1 + n % ${tenants} end`;
  const moment = `${now} - ${messages} + n`;
  const state = `case (n / 2) % 10 when 0 then 'failed' when 1 then 'canceled' when 2 then 'queued' else 'sent' end`;
  copy('outbox', messages, `one.application_id = ${applicationId} and one.id = 1`, {
    id: 'n + 1',
    sequence: 'n + 1',
    application_id: of,
    integration_id: through,
    recipient: `'recipient-' || n % 50000`,
    state,
    settled_at: `case (n / 2) % 10 when 2 then 0 else ${moment} end`,
    created_at: moment,
    updated_at: moment,
  });
  run(`update sequences set last = ${messages} + 1 where name = 'message_ids'`);
  run(`insert or ignore into lanes (application_id, integration_id, recipient, due_at)
    select application_id, integration_id, recipient, created_at from outbox where state = 'queued'`);
  run(`insert into attempts (application_id, message_id, number, started_at, duration, outcome, part)
    select application_id, id, 1, created_at, 5, 'sent', 0 from outbox where state <> 'queued'`);
  run(`insert into events (application_id, id, type, data, created_at)
    select application_id, row_number() over (partition by application_id order by id),
      'message.sent', '{}', created_at from outbox where state <> 'queued'`);
  run(`update feeds set last = coalesce(
    (select max(id) from events e where e.application_id = feeds.application_id), 0)`);
  copyStatistics(run, tenants, now - (now % MINUTE_MS));
  return subject;
}

function copyStatistics(run: (text: string) => unknown, tenants: number, minute: number): void {
  run(`insert into statistics (application_id, step, at, integration_id, channel, sandbox, last_sent_at)
    with recursive minutes (n) as (select 1 union all select n + 1 from minutes where n < ${MINUTES_COUNTED})
    select application_id, 'minute', ${minute} - n * ${MINUTE_MS}, id, name, 0, 0
    from integrations cross join minutes
    where id > ${FIRST_INTEGRATION} and id <= ${FIRST_INTEGRATION + tenants}`);
}
