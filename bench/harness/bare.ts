import Fastify from 'fastify';

/* The baseline for the service: the same framework and the same body, with an immediate response and no storage. */
const app = Fastify();
let last = 0;
app.post('/1/message', async (_request, reply) => {
  reply.code(202);
  return {
    id: ++last,
    state: 'queued',
    created_at: '2026-11-15T09:30:00',
    integration_id: 5,
    application_id: 3,
  };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${url}\n`);
process.on('SIGTERM', () => void app.close());
