import type { Database } from './database.ts';
import { type Batch, type BatchResult, KEY_VALUES, VALUES } from './protocol.ts';

/*
 * The hot statements of accepting. All insert by primary keys; OPEN_LANE does nothing if the lane exists.
 * test/store/sqlite-plans.test.ts checks that INSERT_MESSAGE needs no temporary table.
 */
const TAKE_IDS = `update sequences set last = last + ? where name = 'message_ids' returning last`;
const INSERT_KEY = `insert into idempotency (tenant_id, scope, key, hash, message_ids, created_at)
  values (?, ?, ?, ?, ?, ?) on conflict do nothing`;
export const INSERT_MESSAGE = `insert into messages
  (id, application_id, integration_id, recipient, state, activity, object_id, type, sequence, expires_at,
    created_at, updated_at, trace)
  values (?1, ?2, ?3, ?4, 'queued', ?5, ?6, ?7, ?1, ?8, ?9, ?9, ?10)`;
const OPEN_LANE = `insert into lanes (application_id, integration_id, recipient, due_at) values (?, ?, ?, ?)
  on conflict do nothing`;

/** Stores submissions in one commit; see Engine. */
export function accept(db: Database, { sizes, values, keys }: Batch): BatchResult {
  const total = values.length / VALUES;
  return db.commit(() => {
    const first = Number(db.prepare(TAKE_IDS).get(total)?.['last']) - total + 1;
    const repeated = keys.length === 0 ? [] : claimKeys(db, keys, sizes, values, first);
    const insert = db.prepare(INSERT_MESSAGE);
    const open = db.prepare(OPEN_LANE);
    let message = 0;
    for (const [submission, size] of sizes.entries()) {
      if (repeated.includes(submission)) {
        message += size;
        continue;
      }
      for (const end = message + size; message < end; message++) {
        const own = slice(values, message);
        const [application, integration, recipient, , , , , at] = own;
        insert.run(first + message, ...own);
        open.run(application, integration, recipient, at);
      }
    }
    return { first, repeated };
  });
}

/** Records the idempotency keys; returns the submissions whose key already existed. */
function claimKeys(
  db: Database,
  keys: Batch['keys'],
  sizes: number[],
  values: Batch['values'],
  first: number,
): number[] {
  const insert = db.prepare(INSERT_KEY);
  let next = 0;
  const starts = sizes.map((size) => (next += size) - size);
  const repeated: number[] = [];
  for (let i = 0; i < keys.length; i += KEY_VALUES) {
    const [submission, tenant, scope, key, hash] = keys.slice(i, i + KEY_VALUES) as [
      number,
      number,
      string,
      string,
      string,
    ];
    const start = starts[submission] ?? 0;
    const ids = Array.from({ length: sizes[submission] ?? 0 }, (_, j) => first + start + j);
    const [, , , , , , , at] = slice(values, start);
    if (insert.run(tenant, scope, key, hash, JSON.stringify(ids), at).changes !== 1) {
      repeated.push(submission);
    }
  }
  return repeated;
}

type MessageValues = [
  application: number,
  integration: number,
  recipient: string,
  activity: string,
  object: string | null,
  type: string,
  expiry: number | null,
  moment: number,
  trace: string | null,
];

const slice = (values: Batch['values'], message: number) =>
  values.slice(message * VALUES, (message + 1) * VALUES) as MessageValues;
