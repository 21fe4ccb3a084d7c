import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/activity.ts';
import { startTestService } from '../support/service.ts';

/** Asks again until the answer is the wanted one; answers after how many milliseconds. */
async function until(ask: () => Promise<{ status: number }>, status: number): Promise<number> {
  const start = performance.now();
  while ((await ask()).status !== status) {
    assert.ok(performance.now() - start < 5000, `it never became ${status}`);
  }
  return performance.now() - start;
}

it('another node notices a revoked key, a disabled application, integration and user within a second', async () => {
  await using first = await startTestService('postgres');
  await using second = await startTestService('postgres', { database: first.database });
  const { application, app } = await first.application();
  const integration = await integrate(app, application.id);
  const elsewhere = second.as(app.token);
  const send = () => elsewhere.post('/1/message', message());
  const { api } = first;

  assert.equal((await send()).status, 202);
  await app.delete(`/1/integrations/${integration.id}/disable`);
  assert.ok((await until(send, 422)) < 1000);
  await app.put(`/1/integrations/${integration.id}`, { name: 'telegram', state: 'enable' });
  assert.ok((await until(send, 202)) < 1000);
  await api.delete(`/1/applications/${application.id}/disable`);
  assert.ok((await until(send, 403)) < 1000);

  const { body: member } = await api.post('/1/users', {
    email: 'nodes@example.com',
    state: 'enable',
  });
  const user = await first.store.users.get(member.id);
  assert.ok(user);
  const memberElsewhere = second.as(await first.userToken(user));
  assert.equal((await memberElsewhere.get('/1/applications')).status, 200);
  await api.put(`/1/users/${member.id}`, { email: user.email, state: 'disable' });
  assert.ok((await until(() => memberElsewhere.get('/1/applications'), 403)) < 1000);

  const { body: keys } = await api.get(`/1/keys/users?resource_id=${member.id}`);
  await api.delete(`/1/keys/users/${keys.data[0].id}`);
  assert.ok((await until(() => memberElsewhere.get('/1/users/me'), 401)) < 1000);
});
