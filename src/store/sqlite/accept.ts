import type { SQLInputValue } from 'node:sqlite';

import type { Id } from '../../model/id.ts';
import { SCHEDULED } from '../../model/message.ts';
import type { Millis } from '../../model/timestamp.ts';
import { columnsOf, placesOf } from '../fields.ts';
import { NEW_MESSAGE_FIELDS, NEW_ROUTE_FIELDS } from '../messages/submission-fields.ts';
import { equals, isSuppressed } from '../messages/suppression.ts';
import type { Database } from './database.ts';
import { type Batch, type BatchResult, FLAT_KEY, FLAT_MESSAGE, FLAT_ROUTE } from './protocol.ts';

/*
 * Accept: stores submissions and opens their lanes, in one transaction. It takes all ids in one update, inserts the
 * idempotency keys, and skips the submissions whose key exists, or with a message that its recipient does not accept;
 * then it inserts the messages, and the lanes that do not exist yet; scheduled messages join their lanes when they are
 * due. Every statement finds its row by a primary key, so the cost depends on the batch alone. Inserts have no plan to
 * get wrong, but indexes can slow them down: with `in (…)` in its condition, an index builds a temporary table for each
 * message. test/store/sqlite-plans.test.ts checks that INSERT_MESSAGE builds none, test/store/contract.test.ts checks
 * the result.
 */
const TAKE_IDS = `update sequences set last = last + ? where name = 'message_ids' returning last`;
const INSERT_KEY = `insert into idempotency (tenant_id, scope, key, hash, message_ids, created_at)
  values (?, ?, ?, ?, ?, ?) on conflict do nothing`;
/*
 * Without numbers, because node:sqlite asks for the name of every parameter at each run, and SQLite scans a list for
 * the name of a numbered one.
 */
const MESSAGE_COLUMNS = columnsOf(NEW_MESSAGE_FIELDS);
const MESSAGE_PLACES = placesOf(NEW_MESSAGE_FIELDS);
export const INSERT_MESSAGE = `insert into outbox
  (id, sequence, state, settled_at, updated_at, ${MESSAGE_COLUMNS})
  values (?, ?, ?, ?, ?, ${MESSAGE_PLACES})`;
const { message: _message, ...ROUTE_FIELDS } = NEW_ROUTE_FIELDS;
const ROUTE_COLUMNS = columnsOf(ROUTE_FIELDS);
const ROUTE_PLACES = placesOf(ROUTE_FIELDS);
const INSERT_ROUTE = `insert into routes (application_id, message_id, ${ROUTE_COLUMNS})
  values (?, ?, ${ROUTE_PLACES})`;
const OPEN_LANE = `insert into lanes (application_id, integration_id, recipient, due_at) values (?, ?, ?, ?)
  on conflict do nothing`;

const DELETE_KEY = `delete from idempotency where tenant_id = ? and scope = ? and key = ?`;
const IS_SUPPRESSED = isSuppressed(
  {
    key: '?2',
    applicationId: '?1',
    category: '?3',
    allowTransactional: 'a.allow_transactional',
    doubleOptIn: 'a.double_opt_in',
  },
  equals,
);
/** Whether the address has any consents, by their primary key. Most have none, which decides unless it is marketing. */
const HAS_CONSENTS = `select 1 from consents where application_id = ? and key = ? limit 1`;
/** Whether the recipient does not accept the message, by two primary keys. */
const SUPPRESSED = `select ${IS_SUPPRESSED} as suppressed from applications a where a.id = ?1`;

/** Stores submissions in one commit; see Engine. */
export function accept(db: Database, batch: Batch): BatchResult {
  const { sizes, messages, routes, keys } = batch;
  const total = messages.length / FLAT_MESSAGE.width;
  return db.commit(() => {
    const first = Number(db.prepare(TAKE_IDS).get(total)?.['last']) - total + 1;
    const repeated = keys.length === 0 ? [] : claimKeys(db, batch, first);
    const suppressed = suppressedIn(db, messages);
    const refused = suppressed.length === 0 ? [] : refuse(db, batch, repeated, suppressed);
    const insert = db.prepare(INSERT_MESSAGE);
    const open = db.prepare(OPEN_LANE);
    const { applicationId, integrationId, recipient, dueAt, createdAt } = FLAT_MESSAGE.at;
    let message = 0;
    let route = 0;
    for (const [submission, size] of sizes.entries()) {
      if (repeated.includes(submission) || refused.includes(submission)) {
        message += size;
        while (isRouteBefore(routes, route, message)) route += FLAT_ROUTE.width;
        continue;
      }
      for (const end = message + size; message < end; message++) {
        const start = message * FLAT_MESSAGE.width;
        const values = messages.slice(start, start + FLAT_MESSAGE.width) as SQLInputValue[];
        const id = first + message;
        const isQueued = values[dueAt] === null;
        const state = isQueued ? (['queued', 0] as const) : (['scheduled', SCHEDULED] as const);
        insert.run(id, id, ...state, values[createdAt] as Millis, ...values);
        for (; isRouteBefore(routes, route, message + 1); route += FLAT_ROUTE.width) {
          // Without `message`, the first field.
          const routeValues = routes.slice(route + 1, route + FLAT_ROUTE.width) as SQLInputValue[];
          db.prepare(INSERT_ROUTE).run(values[applicationId] as Id, id, ...routeValues);
        }
        if (!isQueued) continue;
        open.run(
          values[applicationId] as Id,
          values[integrationId] as Id,
          values[recipient] as string,
          values[createdAt] as Millis,
        );
      }
    }
    return { first, repeated, suppressed };
  });
}

/** Whether the route at this place belongs to a message before this one. Routes are in the order of their messages. */
const isRouteBefore = (routes: Batch['routes'], at: number, message: number): boolean =>
  at < routes.length && Number(routes[at + FLAT_ROUTE.at.message]) < message;

/** The positions of the messages that their recipients do not accept. */
function suppressedIn(db: Database, messages: Batch['messages']): number[] {
  const any = db.prepare(HAS_CONSENTS);
  const find = db.prepare(SUPPRESSED);
  const { applicationId, consentKey, category } = FLAT_MESSAGE.at;
  const found: number[] = [];
  for (let start = 0; start < messages.length; start += FLAT_MESSAGE.width) {
    const key = messages[start + consentKey] as string | null;
    if (key === null) continue;
    const categoryOfMessage = messages[start + category] as string | null;
    const application = messages[start + applicationId] as Id;
    if (categoryOfMessage !== 'marketing' && any.get(application, key) === undefined) continue;
    const row = find.get(application, key, categoryOfMessage);
    if (row?.['suppressed'] === 1) found.push(start / FLAT_MESSAGE.width);
  }
  return found;
}

/** The new submissions that are not stored because of a suppressed message; releases their idempotency keys. */
function refuse(
  db: Database,
  { sizes, keys, withSuppressed }: Batch,
  repeated: readonly number[],
  suppressed: readonly number[],
): number[] {
  let next = 0;
  const refused = sizes.flatMap((size, submission) => {
    const start = next;
    next += size;
    const isStored = repeated.includes(submission) || withSuppressed.includes(submission);
    const isBlocked = suppressed.some((position) => position >= start && position < start + size);
    return isBlocked && !isStored ? [submission] : [];
  });
  for (let at = 0; at < keys.length; at += FLAT_KEY.width) {
    const { submission, tenantId, scope, key } = FLAT_KEY.read(keys, at);
    if (refused.includes(submission)) db.prepare(DELETE_KEY).run(tenantId, scope, key);
  }
  return refused;
}

/** Records the idempotency keys; returns the submissions whose key already existed. */
function claimKeys(
  db: Database,
  { sizes, messages, keys }: Pick<Batch, 'sizes' | 'messages' | 'keys'>,
  first: number,
): number[] {
  const insert = db.prepare(INSERT_KEY);
  let next = 0;
  const starts = sizes.map((size) => (next += size) - size);
  const repeated: number[] = [];
  for (let at = 0; at < keys.length; at += FLAT_KEY.width) {
    const { submission, tenantId, scope, key, hash } = FLAT_KEY.read(keys, at);
    const start = starts[submission] ?? 0;
    const ids = Array.from({ length: sizes[submission] ?? 0 }, (_, i) => {
      const dueAt = messages[(start + i) * FLAT_MESSAGE.width + FLAT_MESSAGE.at.dueAt];
      return dueAt === null ? first + start + i : [first + start + i, dueAt];
    });
    const { createdAt } = FLAT_MESSAGE.read(messages, start * FLAT_MESSAGE.width);
    const { changes } = insert.run(tenantId, scope, key, hash, JSON.stringify(ids), createdAt);
    if (changes !== 1) repeated.push(submission);
  }
  return repeated;
}
