import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

/** The delay depends on one read per second; test/events/realtime.test.ts tests it with a test clock. */
const becomes = (request: () => Promise<{ status: number }>, status: number) =>
  until(`the status ${status}`, async () => (await request()).status === status);

it('another node notices a revoked key, a disabled application, integration and user', async () => {
  await using first = await startTestService('postgres');
  await using second = await startTestService('postgres', { database: first.database });
  const { application, app } = await first.application();
  const integration = await integrate(app, application.id);
  const elsewhere = second.as(app.token);
  const send = () => elsewhere.post('/1/message', message());
  const { api } = first;

  assert.equal((await send()).status, 202);
  await app.delete(`/1/integrations/${integration.id}/disable`);
  await becomes(send, 422);
  await app.put(`/1/integrations/${integration.id}`, { name: 'telegram', state: 'enable' });
  await becomes(send, 202);
  await api.delete(`/1/applications/${application.id}/disable`);
  await becomes(send, 403);

  const { body: member } = await api.post('/1/users', {
    email: 'nodes@example.com',
    state: 'enable',
  });
  const user = await first.store.users.get(member.id);
  assert.ok(user);
  const memberElsewhere = second.as(await first.userToken(user));
  assert.equal((await memberElsewhere.get('/1/applications')).status, 200);
  await api.put(`/1/users/${member.id}`, { email: user.email, state: 'disable' });
  await becomes(() => memberElsewhere.get('/1/applications'), 403);

  const { body: keys } = await api.get(`/1/keys/users?resource_id=${member.id}`);
  await api.delete(`/1/keys/users/${keys.data[0].id}`);
  await becomes(() => memberElsewhere.get('/1/users/me'), 401);
});
