import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { after, before, describe, it, mock } from 'node:test';

import { openTelegram } from '../emulators/telegram.ts';
import { integrate } from '../support/service/activity.ts';
import type { Reply } from '../support/service/client.ts';
import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';

const NOTE = { type: 'Note', content: 'Hello' };
const isSettled = ({ state }: { state: string }) => !/queued|sending/.test(state);

for (const engine of ENGINES) {
  describe(`sandbox isolation (${engine})`, () => {
    let sandboxes: SandboxService;

    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    it('a sandbox message opens no connection, with any media URL', async () => {
      const sandbox = await sandboxes.open('slack');
      const connected = mock.method(Socket.prototype, 'connect');
      const id = await sandbox.send({
        type: 'Document',
        url: 'http://169.254.169.254/latest/meta-data/report.pdf',
        name: 'report.pdf',
      });
      const message = await sandbox.message(id, isSettled);
      const targets = connected.mock.calls.map(({ arguments: given }) => JSON.stringify(given[0]));
      connected.mock.restore();
      assert.equal(message.state, 'sent', JSON.stringify(message.error));
      const own = new URL(sandboxes.service.url).port;
      const others = targets.filter(
        (target) => !target.includes(own) && !/5432|postgres/.test(target),
      );
      // The connections to PostgreSQL have any address.
      const forbidden =
        engine === 'sqlite' ? others : others.filter((target) => target.includes('169.254.'));
      assert.deepEqual(forbidden, []);
      const shown = await sandbox.shown('the file', ({ media }) => media);
      assert.equal(shown.media[0].name, 'report.pdf');
    });

    it('a sandbox integration shows its mode and no credentials', async () => {
      const sandbox = await sandboxes.open('telegram');
      const path = `/1/integrations/${sandbox.integrationId}`;
      const { body } = await sandbox.app.get(path);
      assert.equal(body.mode, 'sandbox');
      assert.equal(body.token, undefined);
      const check = await sandbox.app.post(`${path}/check`, {});
      assert.equal(check.body.status, 'ok');
    });

    it('a live integration shows no mode and has no phone', async () => {
      const { application, app } = await sandboxes.service.application();
      const { id, mode } = await integrate(app, application.id);
      assert.equal(mode, undefined);
      const { status, body } = await app.get(`/1/sandbox/${id}`);
      assert.deepEqual([status, body.code], [409, 'not_sandbox']);
      const change = { name: 'telegram', mode: 'sandbox' };
      const changed = await app.put(`/1/integrations/${id}`, change);
      assert.deepEqual([changed.status, changed.body.code], [409, 'mode_fixed']);
    });

    it('a sandbox integration refuses credentials and channels without a simulator', async () => {
      const { application, app } = await sandboxes.service.application();
      const fields = { application_id: application.id, state: 'enable', mode: 'sandbox' };
      const withToken = await app.post('/1/integrations', {
        ...fields,
        name: 'telegram',
        token: '1:a',
      });
      assert.deepEqual([withToken.status, withToken.body.errors[0].pointer], [422, '/token']);
      const other = await app.post('/1/integrations', { ...fields, name: 'webmessenger' });
      assert.deepEqual([other.status, other.body.code], [422, 'no_simulator']);
    });

    it('another application does not see the phone', async () => {
      const sandbox = await sandboxes.open('telegram');
      const { app } = await sandboxes.service.application();
      for (const path of ['', '/messages', '/files/a']) {
        assert.equal((await app.get(`/1/sandbox/${sandbox.integrationId}${path}`)).status, 404);
      }
      const reply = await app.post(`/1/sandbox/${sandbox.integrationId}/reply`, { text: 'Hi' });
      assert.equal(reply.status, 404);
    });

    it('a page of the phone is limited in bytes, and the next one continues it', async () => {
      const { app, integrationId, act } = await sandboxes.open('line');
      const text = 'x'.repeat(60_000);
      for (let i = 0; i < 100; i++) await act('reply', { text: `${i} ${text}` });
      let path: string | undefined = `/1/sandbox/${integrationId}/messages?limit=1000`;
      let seen = 0;
      while (path !== undefined) {
        const { body, text: answer, headers }: Reply = await app.get(path);
        assert.ok(answer.length < 6_000_000, `${answer.length} bytes`);
        for (const entry of body.data) assert.match(entry.text, new RegExp(`^${99 - seen++} `));
        const next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
        path = next && next.slice(next.indexOf('/1/'));
      }
      assert.equal(seen, 100);
    });

    it('deleting a sandbox integration purges its phone', async () => {
      const sandbox = await sandboxes.open('telegram');
      await sandbox.message(await sandbox.send(NOTE), isSettled);
      const { applicationId, integrationId, app } = sandbox;
      await app.delete(`/1/integrations/${integrationId}`);
      const { store } = sandboxes.service;
      const purges = await store.purges.list();
      const purge = purges.find((each) => each.resourceId === integrationId);
      assert.ok(purge);
      await store.purges.removeChats(purge, 100);
      const left = await store.sandboxMessages.list({ applicationId, integrationId }, { limit: 1 });
      assert.deepEqual(left.items, []);
    });
  });

  describe(`going live (${engine})`, () => {
    it('no channel offers a sandbox that is switched off', async () => {
      await using sandboxes = await openSandboxes(engine, {
        environment: { SWITCHBOARD_SANDBOX: 'off' },
      });
      const { application, app } = await sandboxes.service.application();
      const { body: channels } = await app.get('/1/channels');
      const offered = channels.data.filter(({ sandbox }: { sandbox: boolean }) => sandbox);
      assert.deepEqual(offered, []);
      const refused = await app.post('/1/integrations', {
        application_id: application.id,
        name: 'telegram',
        state: 'enable',
        mode: 'sandbox',
      });
      assert.deepEqual([refused.status, refused.body.code], [422, 'sandbox_off']);
    });

    it('a sandbox integration goes live with accepted credentials, and its messages do not', async () => {
      await using peer = Object.assign(await openTelegram(), {
        [Symbol.asyncDispose]: async () => {},
      });
      await using sandboxes = await openSandboxes(engine, {
        environment: { SWITCHBOARD_TELEGRAM_URL: peer.url, SWITCHBOARD_ALLOW_LOOPBACK: 'on' },
      });
      const sandbox = await sandboxes.open('telegram');
      const path = `/1/integrations/${sandbox.integrationId}`;
      const id = await sandbox.send(NOTE);
      await sandbox.message(id, isSettled);
      assert.deepEqual(peer.seen, []);

      const bare = await sandbox.app.put(path, { name: 'telegram', mode: 'live' });
      assert.deepEqual([bare.status, bare.body.code], [422, 'integration_incomplete']);
      const wrong = { name: 'telegram', mode: 'live', token: '1:wrong' };
      const refused = await sandbox.app.put(path, wrong);
      assert.deepEqual([refused.status, refused.body.code], [422, 'check_failed']);
      assert.equal((await sandbox.app.get(path)).body.mode, 'sandbox');

      const token = '4242:fake-token-of-a-bot';
      const live = await sandbox.app.put(path, { name: 'telegram', mode: 'live', token });
      assert.equal(live.status, 204, live.text);
      assert.equal((await sandbox.app.get(path)).body.mode, undefined);
      const count = peer.seen.length;
      const again = await sandbox.app.post(`/1/messages/${id}/resend`, {});
      if (again.status < 300) {
        const resent = await sandbox.message(id, ({ state }) => state === 'failed');
        assert.equal(resent.error.code, 'unsupported');
      }
      assert.equal(peer.seen.length, count, 'a sandbox message reached the vendor');
      const fresh = await sandbox.send(NOTE);
      const sent = await sandbox.message(fresh, isSettled);
      assert.deepEqual([sent.state, sent.sandbox], ['sent', undefined]);
      await peer.close();
    });

    it('an integration whose messages wait does not go live, and its messages never do', async () => {
      await using peer = Object.assign(await openTelegram(), {
        [Symbol.asyncDispose]: () => peer.close(),
      });
      await using sandboxes = await openSandboxes(engine, {
        environment: { SWITCHBOARD_TELEGRAM_URL: peer.url, SWITCHBOARD_ALLOW_LOOPBACK: 'on' },
      });
      const { app, integrationId, applicationId, ...sandbox } = await sandboxes.open('telegram');
      const path = `/1/integrations/${integrationId}`;
      const token = '4242:fake-token-of-a-bot';
      const live = { name: 'telegram', mode: 'live', token };
      // The simulated vendor is down, so the message waits.
      const behaviours = [{ fault: 'unavailable' }];
      assert.ok(
        (await app.put(`/1/sandbox/${integrationId}/behaviour`, { behaviours })).status < 300,
      );
      const id = await sandbox.send(NOTE);
      await sandbox.message(id, ({ failed_attempts: count }) => count >= 1);
      const early = await app.put(path, live);
      assert.deepEqual([early.status, early.body.code], [409, 'mode_fixed']);
      assert.equal((await app.get(path)).body.mode, 'sandbox');

      // As if a message had been accepted on another node while the integration went live.
      const { integrations } = sandboxes.service.store;
      await integrations.update(applicationId, integrationId, (current) => ({
        ...current,
        mode: 'live',
        credentials: { token },
      }));
      assert.equal((await app.put(path, { name: 'telegram', label: 'Live' })).status, 204);
      // Refused if the message was retried meanwhile.
      await app.post(`/1/messages/${id}/retry`, {});
      const failed = await sandbox.message(id, ({ state }) => state === 'failed');
      assert.equal(failed.error.code, 'unsupported');
      const reached = peer.seen.filter(({ path: each }) => each.includes('sendMessage'));
      assert.deepEqual(reached, []);
    });
  });
}
