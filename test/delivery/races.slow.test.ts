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

const RECIPIENTS = 20;

/** Messages to many recipients. */
const sendMany = (sb: DeliveryService<Endpoint>, count: number) =>
  sb.sendAll(
    Array.from({ length: count }, (_, i) => ({ text: String(i), to: `r${i % RECIPIENTS}` })),
  );

/**
 * Makes a change between messages that are being sent: the recipients after the first `count` respond once the change is
 * requested. So that some messages are left, most of the others wait until it is confirmed.
 */
async function changeAfter(
  { peer }: DeliveryService<Endpoint>,
  count: number,
  change: () => Promise<unknown>,
): Promise<void> {
  const [requested, confirmed] = [createGate(), createGate()];
  peer.react = async () => {
    if (peer.seen.length > count + 2 * RECIPIENTS) await confirmed.opened;
    else if (peer.seen.length > count) await requested.opened;
    return { status: 204 };
  };
  await until('more messages are in flight', () => peer.seen.length > count);
  const changed = change();
  requested.open();
  await changed;
  confirmed.open();
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
      const queued = async (): Promise<string[]> => {
        const { body } = await sb.app.get('/1/messages?state=queued&limit=1000');
        return body.data.map((one: { message: { object: { content: string } } }) => {
          return one.message.object.content;
        });
      };
      const sending = async (): Promise<number> =>
        (await sb.app.get('/1/messages?state=sending&limit=1000')).body.data.length;
      const COUNT = 300;
      const disable = () => sb.app.delete(`/1/integrations/${sb.integrationId}/disable`);
      let ids: number[] | undefined;
      while (sb.peer.seen.length < COUNT) {
        const disabled = changeAfter(
          sb,
          Math.min(sb.peer.seen.length + RECIPIENTS, COUNT - 1),
          disable,
        );
        if (ids) await sb.change({ state: 'enable' });
        else ids = await sendMany(sb, COUNT);
        await disabled;
        const left = await queued();
        await until('the messages in flight are done', async () => (await sending()) === 0);
        assert.deepEqual(await queued(), left);
        const arrived = new Set(sb.peer.seen.map(contentOf));
        assert.deepEqual(
          left.filter((text) => arrived.has(text)),
          [],
        );
      }
      const states = await statesOf(sb);
      for (const id of ids ?? []) assert.equal(states.get(id), 'sent');
      assert.equal(sb.peer.seen.length, COUNT, 'each message is sent once');
    });

    it('starts nothing after it has confirmed that the integration is deleted', async () => {
      for (let round = 0; round < 3; round++) {
        await using sb = await openWebhookDelivery(engine);
        const deleted = changeAfter(sb, round * 2 * RECIPIENTS, () =>
          sb.app.delete(`/1/integrations/${sb.integrationId}`),
        );
        const ids = await sendMany(sb, 200);
        await deleted;
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
