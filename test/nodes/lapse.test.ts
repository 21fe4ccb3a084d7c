import { it } from 'node:test';

import { openEndpoint } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

for (const engine of ENGINES) {
  it(`a node whose lease expired renews it when there is something to claim (${engine})`, async () => {
    await using stack = new AsyncDisposableStack();
    const peer = await openEndpoint(() => ({ status: 204 }));
    stack.defer(() => peer.close());
    // The clock stands still, so no later round can help.
    const service = stack.use(
      await startTestService(engine, {
        clock: new TestClock(),
        environment: { SWITCHBOARD_ROLE: 'all' },
      }),
    );
    const { store } = service;
    await until('it has a lease', async () => (await store.ownerships.nodes(0)).length === 1);
    await store.engine.db.updateTable('nodes').set({ expiresAt: 1 }).execute();
    const { application, app } = await service.application();
    await integrate(app, application.id, { name: 'webhook', address: peer.url });
    const { body } = await app.post('/1/message', message());
    await until(
      'it is sent',
      async () => (await app.get(`/1/messages/${body.id}`)).body.state === 'sent',
    );
  });
}
