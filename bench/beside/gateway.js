import Fastify from 'fastify';
import { Agent } from 'undici';

/*
 * The common part of the gateways: the route, the request to the vendor, start and stop. They check neither tokens nor
 * schemas, which is in their favor.
 */

/** Messages in flight to the vendor at once. */
export const AT_ONCE = 128;

export const MAX_ATTEMPTS = 11;

const { VENDOR_URL = '', ROLE = 'all', TUNED = '', ORDERED = '', RECORDED = '' } = process.env;

/** Whether it uses the optimizations of the queue's documentation. */
export const isTuned = TUNED !== '';

/** Whether messages to one recipient are sent in order. */
export const isOrdered = ORDERED !== '';

/** Whether it records the result of each message. */
export const isRecorded = RECORDED !== '';

/** Whether this process also sends, rather than only accepting messages. */
export const sends = ROLE === 'all';

// Connections stay open between messages.
const vendor = new Agent({
  connections: AT_ONCE,
  keepAliveTimeout: 30_000,
  headersTimeout: 15_000,
  bodyTimeout: 15_000,
});

/** Makes one attempt and returns the vendor's response. Throws if the vendor refused it, so that the queue retries. */
export async function deliver(activity) {
  const { statusCode, body } = await vendor.request({
    origin: VENDOR_URL,
    path: '/',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(activity),
  });
  const answer = await body.text();
  if (statusCode >= 300) throw new Error(`the vendor answered ${statusCode}`);
  return { status: statusCode, answer };
}

/** Accepts messages. `enqueue` resolves to the id of a message once it is in the queue. */
export async function serve({ enqueue, close }) {
  const app = Fastify();
  app.post('/1/message', async ({ body: { message } }, reply) => {
    const id = await enqueue(message);
    reply.code(202);
    return {
      id,
      state: 'queued',
      created_at: new Date().toISOString().slice(0, 19),
      integration_id: Number(message.generator.id),
      application_id: 3,
    };
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  process.stdout.write(`${url}\n`);
  const stop = async () => {
    await app.close();
    await close();
    await vendor.close();
  };
  process.once('SIGTERM', () => void stop());
}
