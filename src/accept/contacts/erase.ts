import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';
import { isUnavailable } from '../../store/faults.ts';
import type { OpenErasure } from '../../store/people/erasures.ts';
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
  for (let attempt = 1; attempt <= MAX_ATTEMPTS;) {
    try {
      const rows = await found.waitingMessages(MAX_TOGETHER);
      if (rows.length === 0) return;
      if ((await store.erasures.removeWaiting(erasure, rows, now)) === 0) attempt++;
    } catch (error) {
      // A message was released from the schedule at the same time. The erasure has begun and removes it later, too.
      if (!isUnavailable(error)) throw error;
      attempt++;
    }
  }
}
