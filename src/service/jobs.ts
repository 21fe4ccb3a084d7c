import { type JobQueue, JobRunner } from '../deliver/job-runner.ts';
import type { Id } from '../model/id.ts';
import type { Core } from './core.ts';

/** Bulk work in the background: messages that are resent, and imports of contacts. */
export interface Jobs {
  /** Call also when a job may have been created. */
  start(): void;
  stop(): Promise<void>;
}

export function buildJobs(
  { store, clock, log }: Core,
  node: string,
  links: { wake(integrationId: Id): void; feedChanged(applicationId: Id): void },
): Jobs {
  const runner = <Batch extends { hasMore: boolean }>(
    queue: JobQueue<Batch>,
    onBatch: (batch: Batch) => void,
  ) => new JobRunner({ queue, clock, log, node, onBatch });
  const runners = [
    runner(store.jobs, ({ woken }) => {
      for (const integrationId of woken) links.wake(integrationId);
    }),
    runner(store.contactImports, ({ applicationId }) => links.feedChanged(applicationId)),
  ];
  return {
    start() {
      for (const one of runners) one.start();
    },
    async stop() {
      await Promise.all(runners.map((one) => one.stop()));
    },
  };
}
