import type { NewMessage } from '../../model/message.ts';
import type { Accepted, IdempotencyKey, Submission } from '../engine.ts';
import { columnsOf } from '../fields.ts';
import {
  IDEMPOTENCY_KEY_FIELDS,
  NEW_MESSAGE_FIELDS,
  NEW_ROUTE_FIELDS,
  type SubmittedRoute,
} from '../messages/submission-fields.ts';
import { equalsAny, isSuppressed } from '../messages/suppression.ts';
import { int4Array } from './arrays.ts';
import { type Connections, withPromptTimeout } from './connections.ts';
import { recordParameters, rowsOf } from './parameters.ts';
import type { StatementName } from './statement-name.ts';

/*
 * The parameters, in order: the submission of each message, the submission of each key, and the submissions that are
 * stored even with suppressed messages; then the messages, the keys and the routes.
 */
const MESSAGE_SUBMISSIONS = '$1::int[]';
const KEY_SUBMISSIONS = '$2::int[]';
const WITH_SUPPRESSED = '(select $3::int[])::int[]';
const MESSAGES = recordParameters(NEW_MESSAGE_FIELDS, 4);
const KEYS = recordParameters(IDEMPOTENCY_KEY_FIELDS, MESSAGES.next);
const ROUTES = recordParameters(NEW_ROUTE_FIELDS, KEYS.next);

const MESSAGE = MESSAGES.in;
/** Hides the length of an array, so that a plan for one message never looks cheaper than the generic plan. */
const hidden = (array: string) => `(select ${array})`;
const MESSAGE_ROWS = rowsOf('t', {
  submission: hidden(MESSAGE_SUBMISSIONS),
  applicationId: hidden(MESSAGE.applicationId),
  integrationId: hidden(MESSAGE.integrationId),
  recipient: hidden(MESSAGE.recipient),
  category: hidden(MESSAGE.category),
  consentKey: hidden(MESSAGE.consentKey),
  dueAt: hidden(MESSAGE.dueAt),
  createdAt: hidden(MESSAGE.createdAt),
});
/** A column of the message's application, by its primary key. */
const ofApplication = (column: string) =>
  `(select a.${column} from applications a where a.id = any (array[i.application_id]))`;
const SUPPRESSED = isSuppressed(
  {
    key: 'i.consent_key',
    applicationId: 'i.application_id',
    category: 'i.category',
    allowTransactional: ofApplication('allow_transactional'),
    doubleOptIn: ofApplication('double_opt_in'),
  },
  equalsAny,
);
const KEY_ROWS = rowsOf('k', { submission: KEY_SUBMISSIONS, ...KEYS.in });
const ROUTE_COLUMNS = columnsOf(NEW_ROUTE_FIELDS, 'r').replace('r.message, ', '');
const ROUTE_ROWS = `unnest(${Object.values<string>(ROUTES.in).join(', ')}) as r (${columnsOf(NEW_ROUTE_FIELDS)})`;

/** The step that stores the routes of messages that have several. */
const ROUTED = `, routed as (
  insert into routes (application_id, message_id, ${ROUTE_COLUMNS.replaceAll('r.', '')})
  select f.application_id, f.id, ${ROUTE_COLUMNS}
  from ${ROUTE_ROWS} join fresh f on f.position = r.message + 1
)`;

const COLUMNS = `id, application_id, integration_id, recipient, state, activity, instructions, category, consent_key,
  object_id, type, sequence, due_at, reason, route, expires_at, created_at, updated_at, settled_at, trace`;
const VALUES = `id, application_id, integration_id, recipient,
  case when due_at is null then 'queued' else 'scheduled' end, (${MESSAGE.activity})[position],
  (${MESSAGE.instructions})[position], category, consent_key, (${MESSAGE.objectId})[position],
  (${MESSAGE.type})[position], id, due_at, (${MESSAGE.reason})[position], (${MESSAGE.route})[position],
  (${MESSAGE.expiresAt})[position], created_at, created_at,
  case when due_at is null then 0 else -1 end, (${MESSAGE.trace})[position]`;

/*
 * Accept: stores any number of submissions with one statement, so with one round trip and one commit. It skips whole
 * submissions whose idempotency key exists, and returns them as repeated. It also skips those with a suppressed message,
 * unless they are listed in `WITH_SUPPRESSED`. It inserts keys, and lanes, in key order like every other statement, so
 * that two nodes cannot deadlock. If a lane exists, it raises `version`, which shows concurrent statements that the lane
 * is not empty.
 *
 * Indexes: it inserts into idempotency and lanes by their unique keys, and finds consents, applications and the keys of
 * refused submissions by their primary keys.
 *
 * Partitions: it names outbox_open and, for scheduled messages, outbox_scheduled, so no other partition is touched.
 * Every step copies its rows, so long values stay in the parameters and are read by position where they are stored.
 *
 * Routes are stored by a second form of the statement, so that messages without routes do not pay for them.
 *
 * test/store/plans.test.ts checks the plan and that it is made once, test/store/contract.test.ts the result.
 */
const statement = (routed: string) => `
with input as materialized (
  select nextval('message_ids') as id, t.*
  from ${MESSAGE_ROWS}
), suppressed as materialized (
  select i.submission, i.position from input i where ${SUPPRESSED}
), blocked as materialized (
  select distinct submission from suppressed where submission <> all (${WITH_SUPPRESSED})
), keyed as materialized (
  select k.*, k.submission in (select submission from blocked) as is_blocked,
    row_number() over (partition by tenant_id, scope, key, k.submission in (select submission from blocked)
      order by submission) as turn
  from ${KEY_ROWS}
), claimed as (
  insert into idempotency (tenant_id, scope, key, hash, message_ids, created_at)
  select tenant_id, scope, key, hash, json_agg(case when due_at is null then to_json(id) else json_build_array(id, due_at) end
    order by input.position)::text, min(created_at)
  from keyed join input using (submission)
  where turn = 1 and not is_blocked
  group by tenant_id, scope, key, hash order by tenant_id, scope, key
  on conflict do nothing
  returning tenant_id, scope, key
), repeated as materialized (
  select submission from keyed left join claimed using (tenant_id, scope, key)
  where not is_blocked and (claimed.key is null or turn > 1)
  union all
  select k.submission from keyed k where is_blocked and exists (select 1 from idempotency i
    where i.tenant_id = any (array[k.tenant_id]) and i.scope = any (array[k.scope]) and i.key = any (array[k.key]))
), fresh as materialized (
  select * from input where submission not in (select submission from repeated)
    and submission not in (select submission from blocked)
), opened as (
  insert into lanes (application_id, integration_id, recipient, due_at)
  select application_id, integration_id, recipient, min(created_at) from fresh where due_at is null
  group by application_id, integration_id, recipient
  order by application_id, integration_id, recipient collate "C"
  on conflict (application_id, integration_id, recipient) do update set version = lanes.version + 1
), stored as (
  insert into outbox_open (${COLUMNS}) select ${VALUES} from fresh where due_at is null
), parked as (
  insert into outbox_scheduled (${COLUMNS}) select ${VALUES} from fresh where due_at is not null
)${routed}
select id, submission, submission in (select submission from repeated) as repeated,
  position in (select position from suppressed) as suppressed,
  submission in (select submission from blocked) as blocked
from input order by position`;

export const ACCEPT = statement('');
export const ACCEPT_ROUTED = statement(ROUTED);

interface AcceptedRow {
  id: number;
  submission: number;
  repeated: boolean;
  suppressed: boolean;
  blocked: boolean;
}

export async function accept(
  connections: Connections,
  named: StatementName,
  submissions: readonly Submission[],
): Promise<Accepted[]> {
  const routes = routesIn(submissions);
  const values = toParameters(submissions);
  const query = withPromptTimeout(
    routes.length === 0
      ? { ...named('accept'), text: ACCEPT, values }
      : {
          ...named('accept-routed'),
          text: ACCEPT_ROUTED,
          values: [...values, ...ROUTES.encode(routes)],
        },
  );
  const { rows } = await connections.runPrompt((client) => client.query<AcceptedRow>(query));
  const bySubmission = Map.groupBy(rows, ({ submission }) => submission);
  return submissions.map((_, i) => outcomeOf(bySubmission.get(i) ?? []));
}

function outcomeOf(rows: readonly AcceptedRow[]): Accepted {
  if (rows[0]?.repeated) return { repeated: true };
  if (rows[0]?.blocked) return { refused: rows.findIndex(({ suppressed }) => suppressed) };
  return {
    ids: rows.map(({ id }) => id),
    suppressed: rows.flatMap(({ suppressed }, position) => (suppressed ? [position] : [])),
  };
}

/** The routes of all messages, each with the position of its message. */
function routesIn(submissions: readonly Submission[]): SubmittedRoute[] {
  const routes: SubmittedRoute[] = [];
  let position = 0;
  for (const { messages } of submissions) {
    for (const message of messages) {
      for (const route of message.routes ?? []) routes.push({ ...route, message: position });
      position++;
    }
  }
  return routes;
}

function toParameters(submissions: readonly Submission[]): Buffer[] {
  const messageSubmissions: number[] = [];
  const messages: NewMessage[] = [];
  const keySubmissions: number[] = [];
  const keys: IdempotencyKey[] = [];
  const suppressedSubmissions: number[] = [];
  for (const [submission, one] of submissions.entries()) {
    const { messages: submitted, idempotency, withSuppressed } = one;
    if (withSuppressed) suppressedSubmissions.push(submission);
    for (const message of submitted) {
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
    int4Array(suppressedSubmissions),
    ...MESSAGES.encode(messages),
    ...KEYS.encode(keys),
  ];
}
