import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Sweeper } from '../../src/deliver/sweeper.ts';
import { createLog } from '../../src/lib/telemetry/log.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';

const HOUR = 60 * 60 * 1000;

for (const engine of ENGINES) {
  describe(`sweeping (${engine})`, () => {
    /** A service on a clock that only goes when it is told to, and a sweeper on the same clock. */
    async function start() {
      const clock = new TestClock();
      const sb = await startTestService(engine, { clock });
      const log = await createLog({ level: 'silent', pretty: false });
      const sweeper = new Sweeper({
        sessionIdle: 3_600_000,
        statisticsRetention: 3_600_000,
        auditRetention: 24 * HOUR,
        stats: { count() {} },
        store: sb.store,
        clock,
        log,
        retention: 30 * 24 * HOUR,
        wake() {},
        receipts: { apply: () => Promise.resolve() },
        erasures: { run: () => Promise.resolve(false) },
      });
      return {
        sb,
        pass: (milliseconds: number) => clock.advance(milliseconds),
        async sweepAll() {
          while (await sweeper.sweep());
        },
      };
    }

    it('removes old audit entries, and invitations that have ended', async () => {
      const { sb, pass, sweepAll } = await start();
      await using _ = sb;
      const count = async (table: 'auditEntries' | 'invitations') =>
        (await sb.store.engine.db.selectFrom(table).select('id').execute()).length;
      await sb.api.post('/1/invitations', { days: 1 });
      pass(23 * HOUR);
      const fresh = sb.as(await sb.userToken(sb.owner));
      await fresh.post('/1/invitations', { days: 1 });
      await sweepAll();
      assert.deepEqual([await count('auditEntries'), await count('invitations')], [2, 2]);
      pass(2 * HOUR);
      await sweepAll();
      assert.deepEqual([await count('auditEntries'), await count('invitations')], [1, 1]);
    });

    it('forgets an Idempotency-Key after 24 hours, and not before', async () => {
      const { sb, pass, sweepAll } = await start();
      await using _ = sb;
      const { application, app } = await sb.application();
      await integrate(app, application.id);
      const once = { headers: { 'idempotency-key': 'daily' } };
      const first = await app.post('/1/message', message(), once);
      pass(23 * HOUR);
      await sweepAll();
      const fresh = sb.as(await sb.applicationToken(application.id));
      assert.equal((await fresh.post('/1/message', message(), once)).body.id, first.body.id);
      pass(2 * HOUR);
      await sweepAll();
      const later = sb.as(await sb.applicationToken(application.id));
      assert.notEqual((await later.post('/1/message', message(), once)).body.id, first.body.id);
    });

    it('removes keys of tokens that have expired, and keeps those without an end', async () => {
      const { sb, pass, sweepAll } = await start();
      await using _ = sb;
      const { application } = await sb.application();
      const asked = { resource_id: application.id, state: 'enable' };
      const { body: kept } = await sb.api.post('/1/keys/applications', asked);
      pass(8 * 24 * HOUR);
      await sweepAll();
      const api = sb.as(await sb.userToken(sb.owner));
      const { body } = await api.get(`/1/keys/applications?resource_id=${application.id}`);
      assert.deepEqual(
        body.data.map(({ id }: { id: number }) => id),
        [kept.id],
      );
    });

    it('removes the consents of a deleted application, with their proof, and no others', async () => {
      const { sb, pass, sweepAll } = await start();
      await using _ = sb;
      const [gone, kept] = [await sb.application(), await sb.application()];
      for (const { app } of [gone, kept]) {
        await app.post('/1/consents', { family: 'sms', address: '+15550001', state: 'revoked' });
      }
      await sb.api.delete(`/1/applications/${gone.application.id}`);
      await sweepAll();
      pass(2 * 60_000);
      await sweepAll();
      const left = async (id: number) => [
        (await sb.store.consents.of(id, 'sms:+15550001')).length,
        (await sb.store.consents.changes(id, 'sms:+15550001')).length,
      ];
      assert.deepEqual(await left(Number(gone.application.id)), [0, 0]);
      assert.deepEqual(await left(Number(kept.application.id)), [1, 1]);
    });

    it('keeps purging a deleted resource until no node can accept messages for it', async () => {
      const { sb, pass, sweepAll } = await start();
      await using _ = sb;
      const { application, app } = await sb.application();
      const integration = await integrate(app, application.id);
      await sb.api.delete(`/1/applications/${application.id}`);
      await sweepAll();
      // Another node had not noticed yet.
      const late = {
        applicationId: application.id as number,
        integrationId: integration.id,
        recipient: '1',
        activity: '{}',
        objectId: null,
        type: 'Create' as const,
        expiresAt: null,
        createdAt: Date.now(),
      };
      await sb.store.messages.accept([{ messages: [late] }]);
      pass(2 * 60_000);
      await sweepAll();
      const left = await sb.store.messages.list(application.id, {}, { limit: 1 });
      assert.deepEqual(left.items, []);
      assert.deepEqual(await sb.store.purges.list(), [], 'and then it is done');
    });
  });
}
