import assert from 'node:assert/strict';
import { it } from 'node:test';

import { openEndpoint } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

it('a retry requested from a node without delivery wakes the owner', async () => {
  await using stack = new AsyncDisposableStack();
  const database = await createDatabase('postgres');
  stack.defer(() => database.dispose());
  const peer = await openEndpoint(() => ({ status: 503 }));
  stack.defer(() => peer.close());
  // The clock stands still, so only the request makes the message due.
  const clock = new TestClock();
  const node = async (role: string) =>
    stack.use(
      await startTestService('postgres', {
        clock,
        database,
        environment: { SWITCHBOARD_ROLE: role },
      }),
    );
  await node('deliver');
  const api = await node('api');
  const { application, app } = await api.application();
  await integrate(app, application.id, { name: 'webhook', address: peer.url });
  const { body: accepted } = await app.post('/1/message', message());
  const path = `/1/messages/${accepted.id}`;
  await until('it waits for its next attempt', async () => {
    return (await app.get(path)).body.waiting?.reason === 'retry';
  });
  peer.react = () => ({ status: 204 });
  const { status } = await app.post(`${path}/retry`);
  assert.equal(status, 202);
  await until('it is sent', async () => (await app.get(path)).body.state === 'sent');
  assert.equal(peer.seen.length, 2);
});
