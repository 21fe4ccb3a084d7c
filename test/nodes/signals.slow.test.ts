import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import pg from 'pg';

import { formatKeyRing, generateRingKey } from '../../src/lib/crypto/seal.ts';
import { openEndpoint } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import { extendLeases, looksAround } from '../support/service/nodes.ts';
import { startTestService } from '../support/service/service.ts';
import { type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { startPostgres } from '../support/store/postgres.ts';
import { until } from '../support/until.ts';

/*
 * The clock of one node stands still, so it never polls: everything it does is caused by a signal from another node.
 */
async function openNodes(database: TestDatabase) {
  const stack = new AsyncDisposableStack();
  const peer = await openEndpoint();
  stack.defer(() => peer.close());
  const clock = new TestClock(Date.now() + 60_000);
  const node = (role: string, still: boolean) =>
    startTestService('postgres', {
      database,
      environment: { SWITCHBOARD_ROLE: role },
      ...(still && { clock }),
    });
  const sender = stack.use(await node('deliver', true));
  await until('it is known', async () => (await sender.store.ownerships.nodes(0)).length === 1);
  await extendLeases(sender);
  const taker = stack.use(await node('api', false));
  await looksAround(taker);
  const { application, app } = await taker.application();
  return { stack, peer, clock, sender, taker, application, app };
}

/** All signals sent in a database, by any node. */
async function recordSignals(
  database: TestDatabase,
  stack: AsyncDisposableStack,
): Promise<string[]> {
  const client = new pg.Client(database.environment['SWITCHBOARD_DATABASE']);
  await client.connect();
  stack.defer(() => client.end());
  const received: string[] = [];
  client.on('notification', ({ payload = '' }) => received.push(payload));
  await client.query('listen switchboard');
  return received;
}

describe('nodes wake each other', () => {
  it('nodes wake each other when an integration is unowned, a message is due, a feed has grown or an event must be forwarded', async () => {
    const database = await createDatabase('postgres');
    const { stack, peer, taker, application, app, sender } = await openNodes(database);
    await using _ = stack;
    stack.defer(() => database.dispose());
    await integrate(app, application.id, { name: 'webhook', address: peer.url });
    await until('it is owned', async () => (await sender.store.ownerships.counts()).size === 1);
    await app.post('/1/message', message());
    await until('it is sent', () => peer.seen.length === 1);

    // A long poll at a node whose clock stands still too.
    const reader = stack.use(
      await startTestService('postgres', { database, clock: new TestClock(Date.now()) }),
    );
    const waiting = reader.as(app.token).get('/1/events?after=1&wait=60');
    await until('the sender sees the reader', async () => {
      return (await sender.store.ownerships.nodes(0)).length === 3;
    });
    await extendLeases(sender);
    await looksAround(taker);
    const own = `/1/applications/${application.id}`;
    const { body: before } = await taker.api.get(own);
    await taker.api.put(own, { ...before, webhook_url: `${peer.url}/events` });
    await until('the endpoint is owned', async () => {
      const counts = await sender.store.ownerships.counts();
      return counts.size === 1 && !counts.has(null);
    });
    // An inbound message arrives at one node, and the other sends its event to the webhook.
    const secret = 'fake-secret-of-a-hook';
    const telegram = { name: 'telegram', token: '1:fake-token', secret };
    const { id } = await integrate(app, application.id, telegram);
    const { body: hook } = await app.get(`/1/integrations/${id}/hook`);
    const written = { message_id: 1, date: 1_794_700_800, text: 'Hello' };
    const [from, chat] = [
      { id: 7, is_bot: false, first_name: 'Ada' },
      { id: 7, type: 'private' },
    ];
    const response = await fetch(hook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
      body: JSON.stringify({ update_id: 1, message: { ...written, from, chat } }),
    });
    assert.equal(response.status, 200);
    await until('it is forwarded', () =>
      peer.seen.some(({ path, text }) => path === '/events' && text.includes('message.received')),
    );
    assert.ok((await waiting).body.data.length > 0);
  });

  it('nodes wake each other when a message is canceled', async () => {
    const database = await createDatabase('postgres');
    await using stack = new AsyncDisposableStack();
    stack.defer(() => database.dispose());
    const taker = stack.use(await startTestService('postgres', { database }));
    const reader = stack.use(
      await startTestService('postgres', { database, clock: new TestClock(Date.now()) }),
    );
    await until('they know of each other', async () => {
      return (await taker.store.ownerships.nodes(0)).length === 2;
    });
    await extendLeases(taker);
    await looksAround(taker);
    const { application, app } = await taker.application();
    await integrate(app, application.id, { name: 'webhook', address: 'http://127.0.0.1:9' });
    const { body } = await app.post('/1/message', message());
    const waiting = reader.as(app.token).get('/1/events?after=0&wait=60');
    await app.delete(`/1/messages/${body.id}`);
    const [event] = (await waiting).body.data;
    assert.equal(event.type, 'message.canceled');
  });

  it('nodes wake each other after PostgreSQL has crashed and restarted', async () => {
    const postgres = await startPostgres({ fsync: 'off' });
    await using last = new AsyncDisposableStack();
    last.defer(() => postgres.dispose());
    const environment = {
      SWITCHBOARD_DATABASE: postgres.url,
      SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
    };
    const dispose = () => postgres.dispose();
    const database = { environment, folder: '', dispose };
    const { stack, peer, application, app, taker, clock } = await openNodes(database);
    await using _ = stack;
    await integrate(app, application.id, { name: 'webhook', address: peer.url });
    await app.post('/1/message', message());
    await until('it is sent', () => peer.seen.length === 1);
    await postgres.stop('immediate');
    await postgres.start();
    await until('both listen again', async () => {
      const client = new pg.Client(postgres.url);
      await client.connect();
      const { rowCount } = await client.query(
        `select 1 from pg_stat_activity where application_name = 'switchboard signals'
          and query like 'select pg_notify%'`,
      );
      await client.end();
      return rowCount === 2;
    });
    await looksAround(taker);
    clock.advance(4_000);
    const { status } = await app.post('/1/message', message());
    assert.equal(status, 202);
    await until('it is sent', () => peer.seen.length === 2);
  });

  it('nodes wake each other with few notifications, and with none if there is only one node', async () => {
    const database = await createDatabase('postgres');
    await using stack = new AsyncDisposableStack();
    stack.defer(() => database.dispose());
    const alone = stack.use(await startTestService('postgres', { database }));
    await looksAround(alone);
    const received = await recordSignals(database, stack);
    const { application, app } = await alone.application();
    await integrate(app, application.id, { name: 'webhook', address: 'http://127.0.0.1:9' });
    const send = () =>
      Promise.all(Array.from({ length: 200 }, () => app.post('/1/message', message())));
    await send();
    const other = stack.use(await startTestService('postgres', { database }));
    await until('the other node tests its connection', () => received.length > 0);
    const isSignal = (text: string) => text.includes('=');
    assert.deepEqual(received.filter(isSignal), []);
    await looksAround(other);
    await looksAround(alone);
    await send();
    await until('a signal is sent', () => received.some(isSignal));
    assert.ok(
      received.filter(isSignal).length < 100,
      `${received.filter(isSignal).length} for 200 messages`,
    );
  });
});
