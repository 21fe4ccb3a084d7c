import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

import { batched } from './batch.js';
import {
  AT_ONCE,
  MAX_ATTEMPTS,
  deliver,
  isOrdered,
  isRecorded,
  isTuned,
  sends,
  serve,
} from './gateway.js';
import { openRecord } from './record.js';

/*
 * Fastify and graphile-worker on PostgreSQL, with one job per message. Tuned, it fetches and completes jobs in batches, as
 * the worker's performance page advises, and adds the jobs of concurrent requests in bulk. Ordered, each recipient has its
 * own queue. Recorded, each message is a row that stays and can be queried.
 */

const pgPool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
// The default logger writes a line for each job.
const logger = new Logger(() => () => {});
const preset = {
  worker: {
    concurrentJobs: AT_ONCE,
    ...(isTuned && { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }),
  },
};

const utils = await makeWorkerUtils({ pgPool, logger });
await utils.migrate();
const record = isRecorded ? await openRecord(pgPool) : undefined;
const taskList = {
  async send({ id, message }) {
    const started = Date.now();
    const answer = await deliver(message);
    await record?.sent({ id, started, took: Date.now() - started, ...answer });
  },
};
const runner = sends
  ? await run({ pgPool, logger, preset, taskList, noHandleSignals: true })
  : undefined;

const specOf = (message) => ({
  maxAttempts: MAX_ATTEMPTS,
  ...(isOrdered && { queueName: `${message.generator.id} ${message.to.id}` }),
});
const add = async (message) =>
  Number((await utils.addJob('send', { message }, specOf(message))).id);
const addAll = async (messages) => {
  const ids = await record?.accepted(messages);
  const jobs = await utils.addJobs(
    messages.map((message, i) => ({
      identifier: 'send',
      payload: { id: ids?.[i], message },
      ...specOf(message),
    })),
  );
  return ids ?? jobs.map(({ id }) => Number(id));
};

await serve({
  enqueue: isTuned ? batched(addAll) : add,
  async close() {
    await runner?.stop();
    await utils.release();
    await pgPool.end();
  },
});
