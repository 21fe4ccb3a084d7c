import type { Accepted, Submission } from '../engine.ts';
import { int4Array, int8Array, textArray } from './arrays.ts';
import { type Connections, promptly } from './connections.ts';
import type { Named } from './named.ts';

/*
 * Accepts any number of submissions with one statement: one round trip and one commit. Skips whole submissions whose
 * idempotency key already exists and returns them as repeated. Inserts keys, and lanes, in key order like every other
 * statement, so that two nodes cannot deadlock. If a lane exists, raising `version` tells concurrent statements that
 * it is not empty.
 *
 * It only inserts: into idempotency and lanes by their unique keys, and into messages_open directly, so no other
 * partition is touched. Long values stay in the parameters and are read by position. test/store/plans.test.ts checks
 * the plan.
 */
export const ACCEPT = `
with input as materialized (
  select nextval('message_ids') as id, t.*
  from unnest($1::int[], $2::bigint[], $3::bigint[], $4::text[], $7::bigint[]) with ordinality
    as t (submission, application_id, integration_id, recipient, created_at, position)
), keyed as materialized (
  select k.*, row_number() over (partition by tenant_id, scope, key order by submission) as turn
  from unnest($8::int[], $9::text[], $10::text[], $11::text[], $14::bigint[])
    as k (submission, scope, key, hash, tenant_id)
), claimed as (
  insert into idempotency (tenant_id, scope, key, hash, message_ids, created_at)
  select tenant_id, scope, key, hash, json_agg(id order by position)::text, min(created_at)
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
  insert into messages_open (id, application_id, integration_id, recipient, state, activity, object_id, type,
    sequence, expires_at, created_at, updated_at, settled_at, trace)
  select id, application_id, integration_id, recipient, 'queued', ($5::text[])[position], ($12::text[])[position],
    ($13::text[])[position], id, ($6::bigint[])[position], created_at, created_at, 0, ($15::text[])[position]
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
  named: Named,
  submissions: readonly Submission[],
): Promise<Accepted[]> {
  const query = promptly({ ...named('accept'), text: ACCEPT, values: toColumns(submissions) });
  const { rows } = await connections.prompt((client) => client.query<AcceptedRow>(query));
  const accepted = submissions.map((): Accepted => ({ ids: [] }));
  for (const { id, submission, repeated } of rows) {
    const entry = accepted[submission];
    if (repeated) accepted[submission] = { repeated: true };
    else if (entry && 'ids' in entry) entry.ids.push(id);
  }
  return accepted;
}

function toColumns(submissions: readonly Submission[]): Buffer[] {
  const messages = submissions.flatMap(({ messages: own }, submission) =>
    own.map((message) => ({ submission, ...message })),
  );
  const keyed = submissions.flatMap(({ idempotency }, submission) =>
    idempotency ? [{ submission, ...idempotency }] : [],
  );
  return [
    int4Array(messages.map((message) => message.submission)),
    int8Array(messages.map((message) => message.applicationId)),
    int8Array(messages.map((message) => message.integrationId)),
    textArray(messages.map((message) => message.recipient)),
    textArray(messages.map((message) => message.activity)),
    int8Array(messages.map((message) => message.expiresAt)),
    int8Array(messages.map((message) => message.createdAt)),
    int4Array(keyed.map((key) => key.submission)),
    textArray(keyed.map((key) => key.scope)),
    textArray(keyed.map((key) => key.key)),
    textArray(keyed.map((key) => key.hash)),
    textArray(messages.map((message) => message.objectId)),
    textArray(messages.map((message) => message.type)),
    int8Array(keyed.map((key) => key.tenantId)),
    textArray(messages.map((message) => message.trace)),
  ];
}
