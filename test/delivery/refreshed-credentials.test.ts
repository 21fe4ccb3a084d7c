import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createGate } from '../emulators/endpoint.ts';
import { CLIENT, EXPIRED, REFRESH, openSlack, renewed } from '../emulators/slack/api.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const ROOM = 'C0123456789';

for (const engine of ENGINES) {
  describe(`credentials refreshed by the channel (${engine})`, () => {
    const open = () =>
      openDelivery(engine, {
        channel: 'slack',
        open: openSlack,
        credentials: { token: EXPIRED, refresh: REFRESH, ...CLIENT },
      });
    type Opened = Awaited<ReturnType<typeof open>>;

    const stored = async (sb: Opened) => {
      const { token, refresh } = (await sb.app.get(`/1/integrations/${sb.integrationId}`)).body;
      return { token, refresh } as object;
    };
    const refreshCount = (sb: Opened) =>
      sb.peer.seen.filter(({ path }) => /oauth/.test(path)).length;

    it('credentials refreshed by the channel are stored once for all concurrent messages and never recorded', async () => {
      await using sb = await open();
      const to = [ROOM, 'U0123456789', '#general'];
      const ids = await sb.sendAll(to.map((one) => ({ text: 'Hello', to: one })));
      for (const id of ids) assert.equal((await sb.settled(id)).state, 'sent');
      assert.equal(refreshCount(sb), 1);
      assert.deepEqual(await stored(sb), renewed(1));
      const records = JSON.stringify(await Promise.all(ids.map((id) => sb.attempts(id))));
      for (const secret of [REFRESH, renewed(1).token, renewed(1).refresh]) {
        assert.ok(!records.includes(secret));
      }
    });

    it('credentials refreshed by the channel are kept when a dispatch round read the earlier ones', async () => {
      await using sb = await open();
      const { deliveries, integrations } = sb.service.store;
      const [dispatch, renew] = [
        deliveries.dispatch.bind(deliveries),
        integrations.renew.bind(integrations),
      ];
      const [hasRead, isStored] = [createGate(), createGate()];
      let isRenewing = false;
      deliveries.dispatch = async (round) => {
        const result = await dispatch(round);
        if (isRenewing && result.claimed.length > 0) {
          hasRead.open();
          await isStored.opened;
        }
        return result;
      };
      integrations.renew = async (...args) => {
        isRenewing = true;
        const second = sb.send('Two', 'U0123456789');
        await hasRead.opened;
        const result = await renew(...args);
        await second;
        // After the sender has applied what is stored.
        setImmediate(() => isStored.open());
        return result;
      };
      await sb.settled(await sb.send('One', ROOM));
      await until('both are sent', async () => {
        const { body } = await sb.app.get('/1/messages?state=sent');
        return body.data.length === 2;
      });
      assert.equal(refreshCount(sb), 1);
      assert.deepEqual(await stored(sb), renewed(1));
    });

    it('credentials refreshed by the channel stay in use and are refreshed again', async () => {
      await using sb = await open();
      await sb.settled(await sb.send('One', ROOM));
      sb.peer.next({ status: 200, body: { ok: false, error: 'token_expired' } });
      assert.equal((await sb.settled(await sb.send('Two', ROOM))).state, 'sent');
      assert.equal(refreshCount(sb), 2);
      assert.deepEqual(await stored(sb), renewed(2));
    });

    it('credentials refreshed by the channel never replace credentials that a user has changed since', async () => {
      await using sb = await open();
      await sb.settled(await sb.send('One', ROOM));
      await sb.change({ token: 'xoxb-fake-other', refresh: 'xoxe-fake-other' });
      const id = await sb.send('Two', ROOM);
      await sb.waiting(id, 'credentials');
      assert.deepEqual(await stored(sb), { token: 'xoxb-fake-other', refresh: 'xoxe-fake-other' });
    });
  });
}
