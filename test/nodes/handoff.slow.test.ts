import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openEndpoint } from '../emulators/endpoint.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const INTEGRATIONS = 7;

describe('nodes that join and leave', () => {
  it('share integrations evenly, while messages are sent once and in order', async () => {
    await using stack = new AsyncDisposableStack();
    const database = await createDatabase('postgres');
    stack.defer(() => database.dispose());
    const peer = await openEndpoint();
    stack.defer(() => peer.close());
    const node = () =>
      startTestService('postgres', { database, environment: { SWITCHBOARD_ROLE: 'all' } });
    const first = stack.use(await node());
    const { application, app } = await first.application();
    const ids: number[] = [];
    for (let i = 0; i < INTEGRATIONS; i++) {
      const fields = { name: 'webhook', address: `${peer.url}/${i}` };
      ids.push((await integrate(app, application.id, fields)).id);
    }
    const counts = async () => {
      const byNode = await first.store.ownerships.counts();
      return [...byNode.values()].toSorted((a, b) => a - b).join(' ');
    };
    let isOver = false;
    let count = 0;
    const load = (async () => {
      for (; !isOver; count++) {
        const generator = { type: 'Service', id: ids[count % INTEGRATIONS] };
        const object = { type: 'Note', content: String(count) };
        const reply = await app.post('/1/message', message({ generator, object }));
        assert.equal(reply.status, 202, JSON.stringify(reply.body));
      }
    })();
    await until('all are owned', async () => (await counts()) === '7');
    await using rest = new AsyncDisposableStack();
    const second = rest.use(await node());
    await until('two share', async () => (await counts()) === '3 4');
    rest.use(await node());
    await until('three share', async () => (await counts()) === '2 2 3');
    await second.service.stop();
    await until('the other two share', async () => (await counts()) === '3 4');
    isOver = true;
    await load;
    await until('all are sent', () => peer.seen.length >= count);
    for (let i = 0; i < INTEGRATIONS; i++) {
      const texts = peer.seen
        .filter(({ path }) => path === `/${i}`)
        .map(({ text }) => Number(/"content":"(\d+)"/.exec(text)?.[1]));
      assert.deepEqual(
        texts,
        Array.from(
          { length: Math.ceil((count - i) / INTEGRATIONS) },
          (_, k) => k * INTEGRATIONS + i,
        ),
      );
    }
  });
});
