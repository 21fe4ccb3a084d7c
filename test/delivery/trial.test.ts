import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CLIENT, EXPIRED, REFRESH, TOKEN, openSlack, renewed } from '../emulators/slack/api.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

const PATH = '/1/channels/slack/check';

for (const engine of ENGINES) {
  describe(`credentials that are tried before they are saved (${engine})`, () => {
    const open = () =>
      openDelivery(engine, {
        channel: 'slack',
        open: openSlack,
        credentials: { token: EXPIRED, refresh: REFRESH, ...CLIENT },
      });

    it('are found good, refused, or incomplete, and nothing is stored', async () => {
      await using sb = await open();
      const check = async (fields: object) => (await sb.app.post(PATH, fields)).body;
      const good = await check({ token: TOKEN });
      assert.deepEqual([good.status, good.missing, good.renewed], ['ok', [], {}]);
      assert.match(good.detail, /slack/i);
      const refused = await check({ token: 'xoxb-fake-unknown' });
      assert.equal(refused.status, 'refused');
      const incomplete = await check({});
      assert.deepEqual([incomplete.status, incomplete.missing], ['incomplete', ['token']]);
      const { body } = await sb.app.get(`/1/applications/${sb.applicationId}/integrations`);
      assert.equal(body.data.length, 1);
    });

    it('are given back when the channel has replaced them', async () => {
      await using sb = await open();
      const { body } = await sb.app.post(PATH, { token: EXPIRED, refresh: REFRESH, ...CLIENT });
      assert.deepEqual([body.status, body.renewed], ['ok', renewed(1)]);
    });

    it('are those of an integration but for what is changed, and are stored when it is those that were replaced', async () => {
      await using sb = await open();
      const { body } = await sb.app.post(PATH, { integration_id: sb.integrationId });
      assert.deepEqual([body.status, body.renewed], ['ok', renewed(1)]);
      const { token, refresh } = (await sb.app.get(`/1/integrations/${sb.integrationId}`)).body;
      assert.deepEqual({ token, refresh }, renewed(1));
      const changed = {
        integration_id: sb.integrationId,
        token: 'xoxb-fake-unknown',
        refresh: null,
      };
      assert.equal((await sb.app.post(PATH, changed)).body.status, 'refused');
      assert.equal((await sb.app.get(`/1/integrations/${sb.integrationId}`)).body.token, token);
    });

    it('need a channel that there is, and an integration of the application', async () => {
      await using sb = await open();
      const unknown = await sb.app.post('/1/channels/nonsense/check', {});
      assert.deepEqual([unknown.status, unknown.body.code], [422, 'unknown_channel']);
      const other = await sb.service.application();
      for (const id of [sb.integrationId, 999_999]) {
        const foreign = await other.app.post(PATH, { integration_id: id });
        assert.deepEqual([foreign.status, foreign.body.code], [404, 'not_found']);
      }
    });
  });
}
