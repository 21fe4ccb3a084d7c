import { Queue, Worker } from 'bullmq';
import IORedis from 'ioredis';

import { batched } from './batch.js';
import { AT_ONCE, TRIES, deliver, isTuned, sends, serve } from './gateway.js';

/*
 * Fastify and BullMQ on Redis, as BullMQ's guide to production advises. A job a message. Tuned, requests that come
 * together are added together.
 */

const QUEUE = 'messages';
const { REDIS_URL = '' } = process.env;
const connect = () => new IORedis(REDIS_URL, { maxRetriesPerRequest: null });

const queue = new Queue(QUEUE, {
  connection: connect(),
  defaultJobOptions: {
    attempts: TRIES,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.2 },
    // Memory is dear in Redis, and a record of what was sent would only cost more.
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
    // Connections that were handed in are left open by those who use them.
    process.exit(0);
  },
});
