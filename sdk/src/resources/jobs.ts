import type { Job } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import { pause } from '../retry.ts';
import type { CallOptions, Transport } from '../transport.ts';

const POLL_INTERVAL_MS = 500;

/** Bulk resends, started by `messages.resendAll`. Needs an application token. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The job and its progress. */
  get(id: number, options?: CallOptions): Promise<Job> {
    return this.#transport.call('GET /1/jobs/{id}', { path: { id } }, options);
  }

  /** The jobs of the application, newest first. */
  list(query: PageOptions = {}, options?: CallOptions): List<Job> {
    return listOf(this.#transport, 'GET /1/jobs', { query }, options);
  }

  /** Stops the job. Messages it has already resent stay resent. */
  cancel(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/jobs/{id}', { path: { id } }, options);
  }

  /** Waits until the job is finished, and calls `onProgress` meanwhile. */
  async finished(
    id: number,
    { onProgress, ...options }: CallOptions & { onProgress?: (job: Job) => void } = {},
  ): Promise<Job> {
    for (;;) {
      const job = await this.get(id, options);
      onProgress?.(job);
      if (job.finished_at !== null) return job;
      await pause(POLL_INTERVAL_MS, options.signal);
    }
  }
}
