import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CLIENT, EXPIRED, REFRESH, TOKEN, openSlack, renewed } from '../emulators/slack/api.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

const PATH = '/1/channels/slack/check';

for (const engine of ENGINES) {
  describe(`testing unsaved credentials (${engine})`, () => {
    const open = () =>
      openDelivery(engine, {
        channel: 'slack',
        open: openSlack,
        credentials: { token: EXPIRED, refresh: REFRESH, ...CLIENT },
      });

    it('the test of unsaved credentials reports them as valid, refused or incomplete and stores nothing', async () => {
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

    it('the test of unsaved credentials returns them when the channel has refreshed them', async () => {
      await using sb = await open();
      const { body } = await sb.app.post(PATH, { token: EXPIRED, refresh: REFRESH, ...CLIENT });
      assert.deepEqual([body.status, body.renewed], ['ok', renewed(1)]);
    });

    it("uses an integration's credentials with changes and stores them if the refreshed ones are its own", async () => {
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

    it('requires an existing channel and an integration of the application', async () => {
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
