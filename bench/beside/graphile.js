import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

import { batched } from './batch.js';
import { AT_ONCE, TRIES, deliver, sends, serve } from './gateway.js';

/*
 * Fastify and graphile-worker on PostgreSQL, with the batching that its page about performance advises. A job a message.
 */

const pgPool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
// It would write a line for each job.
const logger = new Logger(() => () => {});
const preset = {
  worker: {
    concurrentJobs: AT_ONCE,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
};

const utils = await makeWorkerUtils({ pgPool, logger });
await utils.migrate();
const taskList = { send: (message) => deliver(message) };
const runner = sends
  ? await run({ pgPool, logger, preset, taskList, noHandleSignals: true })
  : undefined;

await serve({
  enqueue: batched(async (messages) => {
    const specs = messages.map((payload) => ({ identifier: 'send', payload, maxAttempts: TRIES }));
    const jobs = await utils.addJobs(specs);
    return jobs.map(({ id }) => Number(id));
  }),
  async close() {
    await runner?.stop();
    await utils.release();
    await pgPool.end();
  },
});
