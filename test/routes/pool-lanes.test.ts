import assert from 'node:assert/strict';
import { it } from 'node:test';

import { message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const NUMBER = '+15558675310';
const LATER_MS = 60_000;

// The service does not deliver: the test takes the steps.
onEachEngine('lanes of a pool', (sb) => {
  it('messages that change the member are in its lane before any later message', async () => {
    const { application, app } = await sb().application();
    const members: number[] = [];
    for (const name of ['twilio', 'vonage']) {
      const fields = { application_id: application.id, name, state: 'enable', mode: 'sandbox' };
      members.push((await app.post('/1/integrations', fields)).body.id);
    }
    const pool = { name: 'sms', members: members.map((id) => ({ integration_id: id })) };
    assert.equal((await app.post('/1/pools', pool)).status, 201);
    const generator = { type: 'Service', id: 'pool:sms' };
    const send = async (): Promise<number> =>
      (await app.post('/1/message', message({ generator, to: { type: 'Person', id: NUMBER } })))
        .body.id;
    const ids = [await send(), await send()];
    const now = Date.now() + LATER_MS;
    // The second looks at what the first has left behind.
    await Promise.all([sb().store.routes.run(now, 10), sb().store.routes.run(now, 10)]);
    ids.push(await send());
    const queued = await sb().store.messages.getAll(application.id, ids);
    const inOrder = queued.toSorted((a, b) => a.sequence - b.sequence);
    assert.deepEqual(
      inOrder.map(({ id, state, integrationId }) => [id, state, integrationId]),
      ids.map((id) => [id, 'queued', members[1]]),
    );
  });
});
