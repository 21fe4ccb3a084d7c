import assert from 'node:assert/strict';
import { it } from 'node:test';

import { message } from '../support/service/activity.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';
import { longestTurns } from '../support/turns.ts';

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

it('a batch with many rules of quiet hours holds up no other request', async () => {
  await using sb = await openWebhookDelivery('sqlite');
  const rules = Array.from({ length: 20 }, (_, i) => ({
    categories: ['marketing'],
    days: DAYS,
    from: `${String(i).padStart(2, '0')}:00`,
    until: `${String(i).padStart(2, '0')}:30`,
    action: 'defer',
  }));
  const path = `/1/applications/${sb.applicationId}/policies`;
  const set = await sb.api.put(path, { quiet_hours: { default_zone: 'Europe/Berlin', rules } });
  assert.equal(set.status, 204, JSON.stringify(set.body));
  const batch = {
    messages: Array.from({ length: 1_000 }, (_, i) => ({
      ...message({ to: { type: 'Person', id: `person-${i}` } }),
      category: 'marketing',
    })),
  };
  const longest = longestTurns();
  const { status, body } = await sb.app.post('/1/messages', batch);
  assert.equal(status, 202, JSON.stringify(body));
  const held = longest.stop().at(-1) ?? 0;
  assert.ok(held < 120, `held for ${held} ms`);
});
