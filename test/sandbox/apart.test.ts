import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { integrate } from '../support/service/activity.ts';
import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';

/* The sandbox reaches no other service of the machine, and never shares a message with live integrations. */

const isSettled = ({ state }: { state: string }) => !/queued|sending/.test(state);

/** A service on loopback that counts connections. */
async function openTrap() {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, count: () => connections, close: () => server.close() };
}

for (const engine of ENGINES) {
  describe(`the sandbox apart from everything else (${engine})`, () => {
    let trap: Awaited<ReturnType<typeof openTrap>>;
    let sandboxes: SandboxService;
    before(async () => {
      trap = await openTrap();
      sandboxes = await openSandboxes(engine, {
        environment: { SWITCHBOARD_ALLOW_LOOPBACK: 'on', SWITCHBOARD_TELEGRAM_URL: trap.url },
      });
    });
    after(async () => {
      await sandboxes[Symbol.asyncDispose]();
      trap.close();
    });

    for (const channel of [
      'gotify',
      'mattermost',
      'ntfy',
      'rocketchat',
      'slack',
      'telegram',
      'webhook',
      'zulip',
    ]) {
      it(`${channel} connects to no service on loopback, though it could`, async () => {
        const earlier = trap.count();
        const sandbox = await sandboxes.open(channel);
        const { app, applicationId, integrationId } = sandbox;
        const url = `${trap.url}/report.pdf`;
        const file = await sandbox.send({ type: 'Document', url, name: 'report.pdf' });
        const { error } = await sandbox.message(file, isSettled);
        // As if somebody had stored credentials with another address.
        await sandboxes.service.store.integrations.update(
          applicationId,
          integrationId,
          (current) => ({
            ...current,
            credentials: { ...current.credentials, address: trap.url },
          }),
        );
        const id = await sandbox.send({ type: 'Note', content: 'Hello' });
        await sandbox.message(id, ({ failed_attempts: count, ...message }) =>
          count > 0 ? true : isSettled(message),
        );
        await app.post(`/1/integrations/${integrationId}/check`, {});
        assert.equal(trap.count(), earlier, JSON.stringify(error));
      });
    }

    it('a live integration does reach that service', async () => {
      const { application, app } = await sandboxes.service.application();
      const earlier = trap.count();
      const { id } = await integrate(app, application.id);
      await app.post(`/1/integrations/${id}/check`, {});
      assert.ok(trap.count() > earlier);
    });

    it('pools and routes do not mix live and sandbox', async () => {
      const { app, applicationId, integrationId } = await sandboxes.open('telegram');
      const live = await integrate(app, applicationId);
      const pool = await app.post('/1/pools', {
        name: 'mixed',
        members: [{ integration_id: integrationId }, { integration_id: live.id }],
      });
      assert.deepEqual([pool.status, pool.body.errors[0].pointer], [422, '/members']);
      for (const [first, second] of [
        [integrationId, live.id],
        [live.id, integrationId],
      ] as const) {
        const { status, body } = await app.post('/1/message', {
          message: {
            '@context': 'https://www.w3.org/ns/activitystreams',
            type: 'Create',
            to: { type: 'Person', id: '123456789' },
            generator: { type: 'Service' },
            object: { type: 'Note', content: 'Hello' },
          },
          routes: [
            { via: String(first), until: 'sent', after: 'PT2M' },
            { via: String(second), to: '223456789' },
          ],
        });
        assert.deepEqual([status, body.errors?.[0].pointer], [422, '/routes/1/via'], body.detail);
      }
      const { body: list } = await app.get('/1/messages');
      assert.deepEqual(list.data, []);
    });

    it('waiting messages of the sandbox are counted apart', async () => {
      const { app, integrationId, ...sandbox } = await sandboxes.open('telegram');
      const behaviours = [{ fault: 'unavailable' }];
      await app.put(`/1/sandbox/${integrationId}/behaviour`, { behaviours });
      const id = await sandbox.send({ type: 'Note', content: 'Waits' });
      await sandbox.message(id, ({ waiting }) => waiting?.reason === 'retry');
      const live = await app.get('/1/overview');
      assert.deepEqual(live.body.queue, { waiting: 0, oldest_at: null });
      const apart = await app.get('/1/overview?mode=sandbox');
      assert.equal(apart.body.queue.waiting, 1);
      assert.ok(apart.body.queue.oldest_at);
    });

    it('integrations in the sandbox are problems of the sandbox only', async () => {
      const { app, integrationId, ...sandbox } = await sandboxes.open('telegram');
      const behaviours = [{ fault: 'credentials' }];
      await app.put(`/1/sandbox/${integrationId}/behaviour`, { behaviours });
      const id = await sandbox.send({ type: 'Note', content: 'Waits' });
      await sandbox.message(id, ({ waiting }) => waiting?.reason === 'credentials');
      const apart = await app.get('/1/overview?mode=sandbox');
      const kinds = apart.body.problems.map(({ kind }: { kind: string }) => kind);
      assert.deepEqual(kinds, ['integration_refused']);
      assert.deepEqual((await app.get('/1/overview')).body.problems, []);
    });
  });
}
