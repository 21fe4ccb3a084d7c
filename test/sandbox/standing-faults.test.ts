import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { clientOf } from '../support/service/delivery.ts';
import { openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/* Standing faults that several requests and nodes change at once. */

const NOTE = { type: 'Note', content: 'Hello' };
const isSettled = ({ state }: { state: string }) => !/queued|sending/.test(state);
const people = (count: number) => Array.from({ length: count }, (_, i) => String(1_000_000 + i));

for (const engine of ENGINES) {
  describe(`standing faults (${engine})`, () => {
    it('a fault for three messages fails exactly three of many concurrent ones', async () => {
      await using sandboxes = await openSandboxes(engine);
      const sandbox = await sandboxes.open('telegram');
      const { app, integrationId } = sandbox;
      const path = `/1/sandbox/${integrationId}`;
      const fault = { fault: 'unknown', times: 3 };
      const set = await app.put(`${path}/behaviour`, { behaviours: [fault] });
      assert.equal(set.status, 204, set.text);
      assert.deepEqual((await app.get(path)).body.behaviours, [fault]);
      // A request without a recipient neither gets the fault nor counts.
      const check = await app.post(`/1/integrations/${integrationId}/check`, {});
      assert.equal(check.body.status, 'ok');
      const ids = await Promise.all(people(12).map((to) => sandbox.send(NOTE, to)));
      const settled = await Promise.all(ids.map((id) => sandbox.message(id, isSettled)));
      const failed = settled.filter(({ state }) => state === 'failed');
      assert.equal(failed.length, 3);
      assert.deepEqual((await app.get(path)).body.behaviours, []);
    });

    it('concurrent changes of standing faults through all nodes are all kept', async () => {
      await using opened = new AsyncDisposableStack();
      const database = await createDatabase(engine, { migrated: true });
      opened.defer(() => database.dispose());
      const first = opened.use(await openSandboxes(engine, { database }));
      // Only one process may have an embedded store.
      const { service } =
        engine === 'sqlite' ? first : opened.use(await openSandboxes(engine, { database }));
      const sandbox = await first.open('telegram');
      const { app, applicationId, integrationId } = sandbox;
      const path = `/1/sandbox/${integrationId}`;
      const fault = { fault: 'unknown', times: 3 };
      await app.put(`${path}/behaviour`, { behaviours: [fault] });
      const other = await clientOf(service, 'application', applicationId);
      const sending = Promise.all(people(12).map((to) => sandbox.send(NOTE, `7${to}`)));
      const blocked = await Promise.all(
        people(30).map((from, i) => (i % 2 ? app : other).post(`${path}/block`, { from })),
      );
      for (const { status, text } of blocked) assert.equal(status, 200, text);
      const ids = await sending;
      const settled = await Promise.all(ids.map((id) => sandbox.message(id, isSettled)));
      assert.equal(settled.filter(({ state }) => state === 'failed').length, 3);
      const { body } = await other.get(path);
      const blocks = body.people.filter(
        ({ blocked: isBlocked }: { blocked: boolean }) => isBlocked,
      );
      assert.equal(blocks.length, 30);
    });

    it('erasing a contact removes the faults of an address that JSON escapes', async () => {
      await using sandboxes = await openSandboxes(engine);
      const { app, integrationId, simulator } = await sandboxes.open('webpush');
      const [{ address: to }, other] = simulator.people;
      const kept = { fault: 'slow', to: other?.address };
      const path = `/1/sandbox/${integrationId}`;
      await app.put(`${path}/behaviour`, { behaviours: [{ fault: 'slow', to }, kept] });
      const addresses = [
        { channel: 'sandbox.webpush', address: to, integration_id: integrationId },
      ];
      const { body: contact, status } = await app.post('/1/contacts', { addresses });
      assert.equal(status, 201, JSON.stringify(contact));
      await app.post(`/1/contacts/${contact.id}/erase`);
      await until('the erasure', async () => {
        const { body } = await app.get(`/1/contacts/${contact.id}/erasure`);
        return body.state === 'done';
      });
      assert.deepEqual((await app.get(path)).body.behaviours, [kept]);
    });
  });
}
