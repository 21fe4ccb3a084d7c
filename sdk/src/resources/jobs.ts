import type { Job } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import { pause } from '../retry.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** How often it is looked how far a job has come, in milliseconds. */
const LOOK = 500;

/** What is done to many messages at once, as begun by `messages.resendAll`. Takes a token of an application. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** How far it has come. */
  get(id: number, options?: CallOptions): Promise<Job> {
    return this.#transport.call('GET /1/jobs/{id}', { path: { id } }, options);
  }

  /** Those of the application, the newest first. */
  list(query: PageOptions = {}, options?: CallOptions): List<Job> {
    return listOf(this.#transport, 'GET /1/jobs', { query }, options);
  }

  /** Goes no further with it. What it has done stays done. */
  cancel(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/jobs/{id}', { path: { id } }, options);
  }

  /** Waits until it is over, and tells how far it has come on the way. */
  async finished(
    id: number,
    { onProgress, ...options }: CallOptions & { onProgress?: (job: Job) => void } = {},
  ): Promise<Job> {
    for (;;) {
      const job = await this.get(id, options);
      onProgress?.(job);
      if (job.finished_at !== null) return job;
      await pause(LOOK, options.signal);
    }
  }
}
