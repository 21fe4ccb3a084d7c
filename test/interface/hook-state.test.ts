import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';

const SECRET = 'fake-webhook-secret';

onEachEngine('webhook state', (sb) => {
  async function open() {
    const { app, application } = await sb().application();
    const { id } = await integrate(app, application.id, { secret: SECRET });
    return { app, id };
  }
  const hookOf = async (app: Client, id: number) =>
    (await app.get(`/1/integrations/${id}/hook`)).body;
  const call = (url: string, secret: string, body: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-telegram-bot-api-secret-token': secret,
      },
      body,
    });
  const update = (id: number) =>
    JSON.stringify({
      update_id: id,
      message: {
        message_id: id,
        date: 1_700_000_000,
        chat: { id: 5, type: 'private' },
        from: { id: 5, is_bot: false, first_name: 'Ada' },
        text: 'Hello',
      },
    });

  it('a webhook shows that no request has arrived, then the time of the last one', async () => {
    const { app, id } = await open();
    const { url, ...unused } = await hookOf(app, id);
    assert.deepEqual([unused.received_at, unused.refused], [null, null]);
    assert.equal((await call(url, SECRET, update(1))).status, 200);
    await until('the time is stored', async () => (await hookOf(app, id)).received_at !== null);
    assert.equal((await hookOf(app, id)).refused, null);
  });

  it('a refused request is shown with its reason, and not as received', async () => {
    const { app, id } = await open();
    const { url } = await hookOf(app, id);
    assert.equal((await call(url, 'fake-other-secret', update(1))).status, 401);
    await until('the refusal is stored', async () => (await hookOf(app, id)).refused !== null);
    const { refused, received_at: receivedAt } = await hookOf(app, id);
    assert.ok(refused.detail.length > 0);
    assert.ok(!refused.detail.includes(SECRET));
    assert.equal(receivedAt, null);
    assert.equal((await call(url, SECRET, '{')).status, 400);
    assert.equal((await hookOf(app, id)).received_at, null);
  });

  it('an earlier request does not replace a later one', async () => {
    const { app, id } = await open();
    const { integrations } = sb().store;
    const applicationId = (await app.get(`/1/integrations/${id}`)).body.application_id;
    const place = { applicationId, id };
    for (const at of [2_000, 1_000]) {
      await integrations.setHookRequest(place, { at });
      await integrations.setHookRequest(place, { at, refusal: String(at) });
    }
    const state = await integrations.hookOf(applicationId, id);
    assert.deepEqual([state?.receivedAt, state?.refused], [2_000, { at: 2_000, detail: '2000' }]);
  });
});
