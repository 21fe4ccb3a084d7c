import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { noCounts } from '../../src/model/statistics.ts';
import { numberOf } from '../../src/sandbox/faults.ts';
import { MAX_SANDBOX_BYTES } from '../../src/store/sandbox/sandbox-files.ts';
import {
  MAX_SANDBOX_BODY_BYTES,
  MAX_SANDBOX_MESSAGES,
} from '../../src/store/sandbox/sandbox-messages.ts';
import { MAX_SANDBOX_REPORTS } from '../../src/store/sandbox/sandbox-reports.ts';
import { TestClock } from '../support/clock.ts';
import { clientOf } from '../support/service/delivery.ts';
import { feedOf } from '../support/service/feed.ts';
import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/* What the sandbox keeps, counts and survives. */

const NOTE = { type: 'Note', content: 'Hello' };
const DAY_MS = 24 * 60 * 60 * 1000;
const isOut = ({ state }: { state: string }) => /^(sent|delivered|read)$/.test(state);

for (const engine of ENGINES) {
  describe(`sandbox limits (${engine})`, () => {
    let sandboxes: SandboxService;

    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    it('a phone keeps the newest 1,000 entries', async () => {
      const { applicationId, integrationId, service } = await sandboxes.open('telegram');
      const place = { applicationId, integrationId };
      const { sandboxMessages } = service.store;
      const entry = {
        person: 'ada',
        author: 'person',
        createdAt: Date.now(),
        updatedAt: 1,
      } as const;
      for (let i = 0; i < MAX_SANDBOX_MESSAGES + 5; i++) {
        const id = await sandboxMessages.nextId();
        await sandboxMessages.insert({ ...place, ...entry, id, vendorId: `${i}`, body: '{}' });
      }
      assert.equal(await sandboxMessages.findByVendorId(place, '4'), undefined);
      assert.ok(await sandboxMessages.findByVendorId(place, '5'));
      assert.ok(await sandboxMessages.findByVendorId(place, `${MAX_SANDBOX_MESSAGES + 4}`));
    });

    it('a phone keeps the newest 20 MB of entries, also after edits', async () => {
      const { applicationId, integrationId, service } = await sandboxes.open('telegram');
      const place = { applicationId, integrationId };
      const { sandboxMessages } = service.store;
      const common = { ...place, person: 'ada', author: 'person', updatedAt: 1 } as const;
      const body = JSON.stringify('x'.repeat(MAX_SANDBOX_BODY_BYTES / 4 - 100));
      const ids: number[] = [];
      for (const size of ['large', 'large', 'small', 'large', 'large', 'large'] as const) {
        const id = await sandboxMessages.nextId();
        ids.push(id);
        const own = { id, vendorId: `${id}`, createdAt: Date.now() };
        await sandboxMessages.insert({ ...common, ...own, body: size === 'small' ? '{}' : body });
      }
      const kept = async () => {
        const found = await Promise.all(ids.map((id) => sandboxMessages.get(place, id)));
        return found.flatMap((row) => (row ? [ids.indexOf(row.id)] : []));
      };
      assert.deepEqual(await kept(), [1, 2, 3, 4, 5]);
      const [, , small = 0] = ids;
      await sandboxMessages.update(place, small, body, 2);
      assert.deepEqual(await kept(), [2, 3, 4, 5]);
    });

    it('a phone keeps the newest 20 MB of files', async () => {
      const { applicationId, integrationId, service } = await sandboxes.open('telegram');
      const place = { applicationId, integrationId };
      const { sandboxFiles } = service.store;
      const bytes = Buffer.alloc(MAX_SANDBOX_BYTES / 4);
      for (let i = 0; i < 6; i++) {
        const file = { id: `file${i}`, name: 'a', mediaType: 'image/png', size: bytes.length };
        await sandboxFiles.put({ ...place, ...file, createdAt: Date.now() + i, bytes });
      }
      const kept = await Promise.all(
        Array.from({ length: 6 }, (_, i) => sandboxFiles.get(place, `file${i}`)),
      );
      assert.deepEqual(
        kept.map((file) => file !== undefined),
        [false, false, true, true, true, true],
      );
    });

    it('a simulated vendor keeps the newest 1,000 reports that no session takes', async () => {
      const { applicationId, integrationId, service } = await sandboxes.open('telegram');
      const place = { applicationId, integrationId };
      const { sandboxReports, sandboxMessages } = service.store;
      for (let i = 0; i < MAX_SANDBOX_REPORTS + 2; i++) {
        const id = await sandboxMessages.nextId();
        await sandboxReports.insert({
          ...place,
          id,
          createdAt: Date.now(),
          dueAt: null,
          body: `${i}`,
        });
      }
      const [oldest, ...others] = await sandboxReports.forSession(place, 2_000);
      assert.equal(oldest?.body, '2');
      assert.equal(others.length, MAX_SANDBOX_REPORTS - 1);
    });

    it('a phone keeps entries, files and reports for 7 days', async () => {
      const { applicationId, integrationId, service } = await sandboxes.open('telegram');
      const place = { applicationId, integrationId };
      const { sandboxFiles, sandboxMessages, sandboxReports } = service.store;
      const now = Date.now();
      for (const age of [6, 8]) {
        const createdAt = now - age * DAY_MS;
        const id = await sandboxMessages.nextId();
        const entry = { person: 'ada', author: 'person', vendorId: `v${age}`, body: '{}' } as const;
        await sandboxMessages.insert({ ...place, id, ...entry, createdAt, updatedAt: createdAt });
        const file = { name: 'a', mediaType: 'image/png', size: 1, bytes: Buffer.alloc(1) };
        await sandboxFiles.put({ ...place, id: `f${age}`, ...file, createdAt });
        await sandboxReports.insert({ ...place, id, createdAt, dueAt: null, body: `${age}` });
      }
      // The sweeper of the service does it.
      await until('the old ones are gone', async () => {
        const [message, file, reports] = await Promise.all([
          sandboxMessages.findByVendorId(place, 'v8'),
          sandboxFiles.get(place, 'f8'),
          sandboxReports.forSession(place, 10),
        ]);
        if (!message && !file && reports.length === 1) return reports;
        await sandboxFiles.forget(now - 7 * DAY_MS, 100);
        return undefined;
      });
      assert.ok(await sandboxMessages.findByVendorId(place, 'v6'));
      assert.ok(await sandboxFiles.get(place, 'f6'));
    });

    it('the sandbox is counted apart in statistics and metrics', async () => {
      const sandbox = await sandboxes.open('telegram');
      await sandbox.message(await sandbox.send(NOTE), isOut);
      const { app, applicationId } = sandbox;
      const path = `/1/statistics?application_id=${applicationId}`;
      const apart = await until('it is counted', async () => {
        const { body } = await app.get(`${path}&mode=sandbox`);
        return body.total.sent > 0 && body;
      });
      assert.equal(apart.total.accepted, 1);
      assert.equal(apart.channels[0].channel, 'telegram');
      const live = await app.get(path);
      assert.partialDeepStrictEqual(live.body.total, { accepted: 0, sent: 0 });
      assert.equal((await app.get(`${path}&mode=other`)).status, 422);
      const overview = await app.get('/1/overview');
      assert.equal(overview.body.last_24_hours.sent, 0);
      const metrics = await fetch(`${sandboxes.service.url}/metrics`);
      const text = await metrics.text();
      assert.match(
        text,
        /switchboard_sandbox_attempts_total\{channel="telegram",outcome="sent"\} [1-9]/,
      );
      assert.match(text, /switchboard_sandbox_messages_accepted_total [1-9]/);
      assert.match(text, /switchboard_messages_accepted_total 0/);
      assert.doesNotMatch(text, /switchboard_delivery_attempts_total\{/);
      assert.doesNotMatch(text, /switchboard_delivery_duration_seconds_count\{channel="telegram"/);
    });

    it('counts of both modes of an integration stay apart', async () => {
      const { applicationId, integrationId, app, service } = await sandboxes.open('telegram');
      const at = Date.now() - (Date.now() % 3_600_000);
      const place = { applicationId, integrationId, channel: 'telegram', lastSentAt: 0, at };
      const row = { ...place, step: 'hour', ...noCounts() } as const;
      await service.store.statistics.add([
        { ...row, sandbox: 1, sent: 3 },
        { ...row, sandbox: 0, sent: 5 },
      ]);
      const path = `/1/statistics?application_id=${applicationId}&step=hour`;
      assert.equal((await app.get(path)).body.total.sent, 5);
      assert.equal((await app.get(`${path}&mode=sandbox`)).body.total.sent, 3);
    });

    it('events of the sandbox say so', async () => {
      const sandbox = await sandboxes.open('telegram');
      await sandbox.message(await sandbox.send(NOTE), isOut);
      await sandbox.act('reply', { text: 'Hi' });
      const failing = sandbox.simulator.magicAddress(numberOf('unknown'));
      await sandbox.message(await sandbox.send(NOTE, failing), ({ state }) => state === 'failed');
      const events = await until('three kinds of events', async () => {
        const feed = await feedOf(sandbox.app);
        const types = new Set<string>(feed.map(({ type }) => type));
        const wanted = ['message.sent', 'message.failed', 'message.received'];
        return wanted.every((type) => types.has(type)) && feed;
      });
      for (const { type, data } of events) assert.equal(data.sandbox, true, type);
    });
  });

  describe(`sandbox and restarts (${engine})`, () => {
    it('a late receipt survives a restart', async () => {
      const database = await createDatabase(engine, { migrated: true });
      const clock = new TestClock();
      const first = await openSandboxes(engine, { clock, database });
      const sandbox = await first.open('whatsapp');
      const { applicationId, simulator } = sandbox;
      const id = await sandbox.send(NOTE, simulator.magicAddress(numberOf('late_receipt')));
      await sandbox.message(id, isOut);
      await until('the report is stored', async () => {
        const { sandboxReports } = first.service.store;
        return (await sandboxReports.due(clock.now() + DAY_MS, 10)).length === 1;
      });
      await first[Symbol.asyncDispose]();

      await using second = await openSandboxes(engine, { clock, database });
      const app = await clientOf(second.service, 'application', applicationId, clock);
      assert.equal((await app.get(`/1/messages/${id}`)).body.state, 'sent');
      await until('the report has arrived', async () => {
        await clock.advanceGently(5_000);
        return (await app.get(`/1/messages/${id}`)).body.state === 'delivered';
      });
      assert.deepEqual(await second.service.store.sandboxReports.due(clock.now(), 10), []);
      await database.dispose();
    });

    it('a service without sandbox refuses and stops sandbox integrations', async () => {
      const database = await createDatabase(engine, { migrated: true });
      const first = await openSandboxes(engine, { database });
      const { applicationId, integrationId } = await first.open('telegram');
      await first[Symbol.asyncDispose]();

      const environment = { SWITCHBOARD_SANDBOX: 'off' };
      await using second = await openSandboxes(engine, { database, environment });
      const app = await clientOf(second.service, 'application', applicationId);
      const fields = { application_id: applicationId, name: 'telegram', state: 'enable' };
      const added = await app.post('/1/integrations', { ...fields, mode: 'sandbox' });
      assert.deepEqual([added.status, added.body.code], [422, 'sandbox_off']);
      for (const path of ['', '/messages']) {
        const { status, body } = await app.get(`/1/sandbox/${integrationId}${path}`);
        assert.deepEqual([status, body.code], [422, 'sandbox_off']);
      }
      const { body: channels } = await app.get('/1/channels');
      const telegram = channels.data.find((each: { name: string }) => each.name === 'telegram');
      assert.equal(telegram.sandbox, false);
      const sent = await app.post('/1/message', {
        message: {
          '@context': 'https://www.w3.org/ns/activitystreams',
          type: 'Create',
          generator: { type: 'Service', id: integrationId },
          to: { type: 'Person', id: '123456789' },
          object: NOTE,
        },
      });
      const failed = await until('it has failed', async () => {
        const { body } = await app.get(`/1/messages/${sent.body.id}`);
        return body.state === 'failed' && body;
      });
      assert.equal(failed.error.code, 'unsupported');
      await database.dispose();
    });
  });
}
