import { batchLoad } from '../lib/runtime/batch-load.ts';
import { Cache } from '../lib/runtime/cache.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Id } from '../model/id.ts';
import { NO_QUIET_HOURS, type QuietHours } from '../model/sending/quiet-hours.ts';
import type { ChangeWatch } from '../store/accounts/change-watch.ts';
import type { Store } from '../store/store.ts';
import { type Candidate, toCandidate } from './routing.ts';

/** Maximum age of a cached application if no change was seen. */
const MAX_AGE_MS = 60_000;
const MAX_CACHED_APPLICATIONS = 50_000;
/** Applications per statement when reading integrations. */
const MAX_APPLICATIONS_PER_READ = 100;

/** The settings of an application that its messages depend on. */
export interface SendingApplication {
  integrations: readonly Candidate[];
  quietHours: QuietHours;
  /** The secret of the digests of erased people; undefined if nobody was erased. */
  secret: Buffer | undefined;
}

/** A cache of the applications that send; it follows their changes. */
export function sendingApplications(
  store: Store,
  clock: Clock,
  changes: ChangeWatch,
): Cache<Id, SendingApplication> {
  const load = batchLoad(
    (ids: readonly Id[]) => store.integrations.listOutlines(ids),
    MAX_APPLICATIONS_PER_READ,
  );
  const find = async (id: Id): Promise<SendingApplication> => {
    const [outlines = [], quietHours = NO_QUIET_HOURS, secret] = await Promise.all([
      load(id),
      store.schedule.quietHours(id),
      store.consentDigests.secret(id),
    ]);
    return { integrations: outlines.map(toCandidate), quietHours, secret };
  };
  const applications = new Cache(find, {
    freshness: changes,
    dependsOn: (applicationId) => [applicationId],
    maxAgeMs: MAX_AGE_MS,
    maxEntries: MAX_CACHED_APPLICATIONS,
    now: () => clock.elapsed(),
  });
  changes.attach(applications);
  return applications;
}
