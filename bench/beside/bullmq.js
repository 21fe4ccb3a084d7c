import { Queue, Worker } from 'bullmq';
import IORedis from 'ioredis';

import { batched } from './batch.js';
import { AT_ONCE, MAX_ATTEMPTS, deliver, isTuned, sends, serve } from './gateway.js';

/*
 * Fastify and BullMQ on Redis, set up as BullMQ's production guide advises, with one job per message. Tuned, it adds the
 * jobs of concurrent requests in bulk.
 */

const QUEUE = 'messages';
const { REDIS_URL = '' } = process.env;
const connect = () => new IORedis(REDIS_URL, { maxRetriesPerRequest: null });

const queue = new Queue(QUEUE, {
  connection: connect(),
  defaultJobOptions: {
    attempts: MAX_ATTEMPTS,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.2 },
    // Keeping sent jobs would cost memory and time.
    removeOnComplete: true,
  },
});
const worker = sends
  ? new Worker(QUEUE, ({ data }) => deliver(data), { connection: connect(), concurrency: AT_ONCE })
  : undefined;
worker?.on('error', (error) => process.stderr.write(`${error.message}\n`));

const add = async (message) => Number((await queue.add('send', message)).id);
const addAll = async (messages) => {
  const jobs = await queue.addBulk(messages.map((data) => ({ name: 'send', data })));
  return jobs.map(({ id }) => Number(id));
};

await serve({
  enqueue: isTuned ? batched(addAll) : add,
  async close() {
    await worker?.close();
    await queue.close();
    // BullMQ does not close connections that it was given.
    process.exit(0);
  },
});
