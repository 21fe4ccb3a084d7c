import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Endpoint, contentOf, createGate } from '../emulators/endpoint.ts';
import { type DeliveryService, openWebhookDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/** Lets everything that is ready run first. */
const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

/** The states of all messages, once none is queued or being sent. */
function statesOf({ app }: DeliveryService<Endpoint>): Promise<Map<number, string>> {
  return until('all messages are settled', async () => {
    const { body } = await app.get('/1/messages?limit=1000');
    const states = new Map<number, string>(
      body.data.map(({ id, state }: { id: number; state: string }) => [id, state]),
    );
    return ![...states.values()].some((state) => /queued|sending/.test(state)) && states;
  });
}

for (const engine of ENGINES) {
  describe(`races (${engine})`, () => {
    it('a message is either canceled or sent, never both', async () => {
      await using sb = await openWebhookDelivery(engine);
      const ROUNDS = 12;
      const LANES = 10;
      for (let round = 0; round < ROUNDS; round++) {
        const lanes = Array.from({ length: LANES }, (_, i) => `${round}-${i}`);
        const gates = new Map(lanes.map((lane) => [`head ${lane}`, createGate()]));
        sb.peer.react = async (request) => {
          await gates.get(contentOf(request))?.opened;
          return { status: 204 };
        };
        const ids = await sb.sendAll([
          ...lanes.map((lane) => ({ text: `head ${lane}`, to: lane })),
          ...lanes.map((lane) => ({ text: `tail ${lane}`, to: lane })),
        ]);
        await until('all head messages are in flight', () => sb.peer.inFlight === LANES);
        const tails = ids.slice(LANES);
        // The end of each head starts its tail while the tail is being canceled, a little earlier or later.
        const replies = await Promise.all(
          tails.map(async (id, i) => {
            const open = () => gates.get(`head ${lanes[i]}`)?.open();
            const lead = (i - LANES / 2) * (1 + (round % 4)) * 4;
            if (lead < 0) open();
            for (let dispatcher = -lead; dispatcher > 0; dispatcher--) await turnOfLoop();
            const canceled = sb.app.delete(`/1/messages/${id}`);
            for (let dispatcher = lead; dispatcher > 0; dispatcher--) await turnOfLoop();
            open();
            return canceled;
          }),
        );
        for (const [i, id] of tails.entries()) {
          const status = replies[i]?.status;
          const { state } = await sb.settled(id);
          const times = sb.peer.seen.filter((one) => contentOf(one) === `tail ${lanes[i]}`).length;
          const expected = status === 204 ? ['canceled', 0] : ['sent', 1];
          assert.ok(status === 204 || status === 409, `${status}`);
          assert.deepEqual([state, times], expected, `answered ${status}`);
        }
      }
    });

    it('starts nothing after it has confirmed that the integration is disabled', async () => {
      await using sb = await openWebhookDelivery(engine);
      const ids = await sb.sendAll(
        Array.from({ length: 300 }, (_, i) => ({ text: String(i), to: `r${i % 20}` })),
      );
      const queued = async (): Promise<string[]> => {
        const { body } = await sb.app.get('/1/messages?state=queued&limit=1000');
        return body.data.map((one: { message: { object: { content: string } } }) => {
          return one.message.object.content;
        });
      };
      const sending = async (): Promise<number> =>
        (await sb.app.get('/1/messages?state=sending&limit=1000')).body.data.length;
      let rounds = 0;
      for (let seen = 0; ; rounds++) {
        await until(
          'more messages are in flight',
          () => sb.peer.seen.length > seen || sb.peer.seen.length === 300,
        );
        if (sb.peer.seen.length === 300) break;
        await sb.app.delete(`/1/integrations/${sb.integrationId}/disable`);
        const left = await queued();
        await until('the messages in flight are done', async () => (await sending()) === 0);
        assert.deepEqual(await queued(), left);
        const arrived = new Set(sb.peer.seen.map(contentOf));
        assert.deepEqual(
          left.filter((text) => arrived.has(text)),
          [],
        );
        seen = sb.peer.seen.length;
        await sb.change({ state: 'enable' });
      }
      assert.ok(rounds > 2, `only ${rounds} rounds`);
      const states = await statesOf(sb);
      for (const id of ids) assert.equal(states.get(id), 'sent');
      assert.equal(sb.peer.seen.length, 300, 'each message is sent once');
    });

    it('starts nothing after it has confirmed that the integration is deleted', async () => {
      for (let round = 0; round < 3; round++) {
        await using sb = await openWebhookDelivery(engine);
        const ids = await sb.sendAll(
          Array.from({ length: 200 }, (_, i) => ({ text: String(i), to: `r${i % 20}` })),
        );
        await until('some', () => sb.peer.seen.length > round * 40);
        await sb.app.delete(`/1/integrations/${sb.integrationId}`);
        const states = await statesOf(sb);
        let canceled = 0;
        for (const [i, id] of ids.entries()) {
          const state = states.get(id);
          const times = sb.peer.seen.filter((one) => contentOf(one) === String(i)).length;
          assert.deepEqual(state === 'canceled' ? 0 : 1, times, `${i} is ${state}`);
          if (state === 'canceled') canceled++;
        }
        assert.ok(canceled > 0);
      }
    });
  });
}
