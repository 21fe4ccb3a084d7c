import type { Clock } from '../lib/runtime/clock.ts';
import { repeat } from '../lib/runtime/repeat.ts';
import type { Store } from '../store/store.ts';
import { LATE_RECEIPT_MS, type SandboxFault } from './faults.ts';
import type { SandboxIntegration } from './integration.ts';

/** A late report of the vendor, as stored. */
interface LateReport {
  to: string;
  /** The number of the message. */
  message: number;
  fault: SandboxFault;
}

interface LateReportsOptions {
  store: Store;
  clock: Clock;
  report(
    place: Pick<SandboxIntegration, 'applicationId' | 'id'>,
    report: LateReport,
  ): Promise<void>;
}

/** How soon a node notices a late report that another one has stored. */
const POLL_MS = 5_000;
const MAX_LATE_REPORTS = 100;

/** Reports that arrive later. They are stored, so that they survive a restart. */
export class LateReports {
  readonly #options: LateReportsOptions;
  #polling: { end(): void } | undefined;

  constructor(options: LateReportsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#polling = repeat(() => this.#report(), POLL_MS, this.#options.clock);
  }

  stop(): void {
    this.#polling?.end();
  }

  async add(
    { id: integrationId, applicationId }: Pick<SandboxIntegration, 'applicationId' | 'id'>,
    report: LateReport,
  ): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.now();
    await store.sandboxReports.insert({
      applicationId,
      integrationId,
      id: await store.sandboxMessages.nextId(),
      createdAt: now,
      dueAt: now + LATE_RECEIPT_MS,
      body: JSON.stringify(report),
    });
  }

  async #report(): Promise<void> {
    const { store, clock, report } = this.#options;
    for (const row of await store.sandboxReports.due(clock.now(), MAX_LATE_REPORTS)) {
      const { applicationId, integrationId: id, body } = row;
      await report({ id, applicationId }, JSON.parse(body) as LateReport);
      // Afterwards: a report that arrives twice does no harm, one that is lost does.
      await store.sandboxReports.remove(row, row.id);
    }
  }
}
