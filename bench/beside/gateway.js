import Fastify from 'fastify';
import { Agent } from 'undici';

/*
 * What the gateways have in common: the route, the request to the vendor, and how they start and stop. No token and no
 * schema is checked, which is in their favour.
 */

/** How many messages are on their way to the vendor at once. */
export const AT_ONCE = 128;

/** How often a message is tried. */
export const TRIES = 11;

const { VENDOR_URL = '', ROLE = 'all', TUNED = '', ORDERED = '', RECORDED = '' } = process.env;

/** Whether it does what makes it fast beyond the first page of the manual. */
export const isTuned = TUNED !== '';

/** Whether messages to one recipient go out one after the other. */
export const isOrdered = ORDERED !== '';

/** Whether it can be asked later what became of a message. */
export const isRecorded = RECORDED !== '';

/** Whether this process sends as well, or only takes messages. */
export const sends = ROLE === 'all';

// Connections stay open between messages.
const vendor = new Agent({
  connections: AT_ONCE,
  keepAliveTimeout: 30_000,
  headersTimeout: 15_000,
  bodyTimeout: 15_000,
});

/** One try; answers what the vendor said, and throws when it did not take it, so that the queue tries again. */
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

/** Takes messages. `enqueue` answers the number of a message once it is in the queue. */
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
