import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';

/** Finds jobs of nodes that ended. A node starts its own jobs at once. */
const POLL_INTERVAL_MS = 5_000;
/** The pause between two rounds, which leaves the store to delivery for most of the time. */
const REST_MS = 50;
/** Jobs that a node works on at once; each gets one batch per round. */
const MAX_JOBS = 20;

interface JobKey {
  applicationId: Id;
  id: Id;
}

/** Jobs in the store, which live nodes divide among themselves. */
export interface JobQueue<Batch> {
  /** Claims up to `limit` jobs without a live node; returns all jobs of this node. */
  claim(node: string, limit: number, now: Millis): Promise<JobKey[]>;
  /** Processes the next batch of a job of this node. */
  runBatch(job: JobKey, node: string, now: Millis): Promise<Batch>;
}

export interface JobRunnerOptions<Batch> {
  queue: JobQueue<Batch>;
  clock: Clock;
  log: Log;
  /** This node's id. */
  node: string;
  /** Called after each batch. */
  onBatch(batch: Batch): void;
}

/** Runs this node's jobs, in batches small enough not to delay other work. */
export class JobRunner<Batch extends { hasMore: boolean }> {
  readonly #options: JobRunnerOptions<Batch>;
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;
  /** Whether a job may have been created since the current round claimed its jobs. */
  #isWanted = false;
  #isStopped = false;

  constructor(options: JobRunnerOptions<Batch>) {
    this.#options = options;
  }

  /** Call also when a job may have been created. */
  start(): void {
    this.#isWanted = true;
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#running;
  }

  /** Runs one batch of each job; returns whether any job has more. */
  async #round(): Promise<boolean> {
    const { queue, clock, log, node, onBatch } = this.#options;
    let hasMore = false;
    for (const job of await queue.claim(node, MAX_JOBS, clock.now())) {
      if (this.#isStopped) return false;
      try {
        const batch = await queue.runBatch(job, node, clock.now());
        onBatch(batch);
        hasMore ||= batch.hasMore;
      } catch (error) {
        // Other jobs continue.
        log.warn({ err: error, job_id: job.id }, 'job failed, retrying');
      }
    }
    return hasMore;
  }

  #schedule(delay: number): void {
    if (this.#running || this.#isStopped) return;
    this.#cancel?.();
    this.#cancel = this.#options.clock.after(delay, () => {
      this.#isWanted = false;
      this.#running = this.#round()
        .catch((error: unknown) => {
          this.#options.log.warn({ err: error }, 'claiming jobs failed, retrying');
          return false;
        })
        .then((hasMore) => {
          this.#running = undefined;
          this.#schedule(hasMore || this.#isWanted ? REST_MS : POLL_INTERVAL_MS);
        });
    });
  }
}
