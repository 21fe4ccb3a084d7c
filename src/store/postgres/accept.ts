import type { NewMessage } from '../../model/message.ts';
import type { Accepted, IdempotencyKey, Submission } from '../engine.ts';
import { IDEMPOTENCY_KEY_FIELDS, NEW_MESSAGE_FIELDS } from '../messages/submission-fields.ts';
import { int4Array } from './arrays.ts';
import { type Connections, withPromptTimeout } from './connections.ts';
import type { StatementName } from './named.ts';
import { recordParameters, rowsOf } from './parameters.ts';

/* The parameters: the submissions of the messages and of the keys, then both. */
const MESSAGE_SUBMISSIONS = '$1::int[]';
const KEY_SUBMISSIONS = '$2::int[]';
const MESSAGES = recordParameters(NEW_MESSAGE_FIELDS, 3);
const KEYS = recordParameters(IDEMPOTENCY_KEY_FIELDS, MESSAGES.next);

const MESSAGE = MESSAGES.in;
const MESSAGE_ROWS = rowsOf('t', {
  submission: MESSAGE_SUBMISSIONS,
  applicationId: MESSAGE.applicationId,
  integrationId: MESSAGE.integrationId,
  recipient: MESSAGE.recipient,
  createdAt: MESSAGE.createdAt,
});
const KEY_ROWS = rowsOf('k', { submission: KEY_SUBMISSIONS, ...KEYS.in });

/*
 * Accept: stores any number of submissions with one statement, so with one round trip and one commit. It skips whole
 * submissions whose idempotency key exists and returns them as repeated. It inserts keys, and lanes, in key order like
 * every other statement, so that two nodes cannot deadlock. If a lane exists, it raises `version`, from which
 * concurrent statements see that the lane is not empty.
 *
 * Indexes: it only inserts, into idempotency and lanes by their unique keys.
 *
 * Partitions: it names outbox_open, so no other partition is touched. Every step copies its rows, so long values stay
 * in the parameters and are read by position where they are stored.
 *
 * test/store/plans.test.ts checks the plan and that it is made once, test/store/contract.test.ts the result.
 */
export const ACCEPT = `
with input as materialized (
  select nextval('message_ids') as id, t.*
  from ${MESSAGE_ROWS}
), keyed as materialized (
  select k.*, row_number() over (partition by tenant_id, scope, key order by submission) as turn
  from ${KEY_ROWS}
), claimed as (
  insert into idempotency (tenant_id, scope, key, hash, message_ids, created_at)
  select tenant_id, scope, key, hash, json_agg(id order by input.position)::text, min(created_at)
  from keyed join input using (submission)
  where turn = 1
  group by tenant_id, scope, key, hash order by tenant_id, scope, key
  on conflict do nothing
  returning tenant_id, scope, key
), refused as materialized (
  select submission from keyed left join claimed using (tenant_id, scope, key)
  where claimed.key is null or turn > 1
), fresh as materialized (
  select * from input where submission not in (select submission from refused)
), opened as (
  insert into lanes (application_id, integration_id, recipient, due_at)
  select application_id, integration_id, recipient, min(created_at) from fresh
  group by application_id, integration_id, recipient
  order by application_id, integration_id, recipient collate "C"
  on conflict (application_id, integration_id, recipient) do update set version = lanes.version + 1
), stored as (
  insert into outbox_open (id, application_id, integration_id, recipient, state, activity, instructions, object_id, type,
    sequence, expires_at, created_at, updated_at, settled_at, trace)
  select id, application_id, integration_id, recipient, 'queued', (${MESSAGE.activity})[position],
    (${MESSAGE.instructions})[position], (${MESSAGE.objectId})[position], (${MESSAGE.type})[position], id, (${MESSAGE.expiresAt})[position], created_at,
    created_at, 0, (${MESSAGE.trace})[position]
  from fresh
)
select id, submission, submission in (select submission from refused) as repeated
from input order by position`;

interface AcceptedRow {
  id: number;
  submission: number;
  repeated: boolean;
}

export async function accept(
  connections: Connections,
  named: StatementName,
  submissions: readonly Submission[],
): Promise<Accepted[]> {
  const query = withPromptTimeout({
    ...named('accept'),
    text: ACCEPT,
    values: toParameters(submissions),
  });
  const { rows } = await connections.runPrompt((client) => client.query<AcceptedRow>(query));
  const accepted = submissions.map((): Accepted => ({ ids: [] }));
  for (const { id, submission, repeated } of rows) {
    const entry = accepted[submission];
    if (repeated) accepted[submission] = { repeated: true };
    else if (entry && 'ids' in entry) entry.ids.push(id);
  }
  return accepted;
}

function toParameters(submissions: readonly Submission[]): Buffer[] {
  const messageSubmissions: number[] = [];
  const messages: NewMessage[] = [];
  const keySubmissions: number[] = [];
  const keys: IdempotencyKey[] = [];
  for (const [submission, { messages: own, idempotency }] of submissions.entries()) {
    for (const message of own) {
      messageSubmissions.push(submission);
      messages.push(message);
    }
    if (!idempotency) continue;
    keySubmissions.push(submission);
    keys.push(idempotency);
  }
  return [
    int4Array(messageSubmissions),
    int4Array(keySubmissions),
    ...MESSAGES.encode(messages),
    ...KEYS.encode(keys),
  ];
}
