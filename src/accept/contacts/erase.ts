import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { isUnavailable } from '../../store/faults.ts';
import type { OpenErasure } from '../../store/people/erasures.ts';
import type { OutboxPlace, OutboxRow } from '../../store/people/personal-data.ts';
import type { ErasureRow } from '../../store/people/rows.ts';
import type { Store } from '../../store/store.ts';
import { findIn } from './find-personal-data.ts';

/** Messages that are removed in one transaction. */
const MAX_TOGETHER = 200;
const MAX_ATTEMPTS = 3;

/**
 * Begins to erase a person; the rest follows in the background. Undefined if there is no such contact. Messages that wait
 * are removed first, so that none leaves after the answer.
 */
export async function beginErasure(
  store: Store,
  key: { applicationId: Id; id: Id },
  now: Millis,
  audit: AuditEntry,
): Promise<Omit<ErasureRow, 'subject'> | undefined> {
  const begun = await store.erasures.start(key, now, audit);
  if (begun) await removeWaiting(store, begun, now);
  return store.erasures.get(key.applicationId, key.id);
}

async function removeWaiting(store: Store, erasure: OpenErasure, now: Millis): Promise<void> {
  const { applicationId, subject } = erasure;
  const found = await findIn(store, applicationId, subject);
  let attempt = 1;
  for (let after: OutboxPlace | undefined = { at: 0, id: 0 }; after;) {
    const { rows, next } = await found.waitingMessages(after, now, MAX_TOGETHER);
    const removed = rows.length === 0 ? 0 : await remove(store, erasure, rows, now);
    // What is left may have been released from the schedule, or started, in the same moment.
    const isRepeated = removed < rows.length && attempt < MAX_ATTEMPTS;
    attempt = isRepeated ? attempt + 1 : 1;
    if (!isRepeated) after = next;
  }
}

/** Returns how many were removed. The erasure removes the others later, too. */
async function remove(
  store: Store,
  erasure: OpenErasure,
  rows: readonly OutboxRow[],
  now: Millis,
): Promise<number> {
  try {
    return await store.erasures.removeWaiting(erasure, rows, now);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return 0;
  }
}
