import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const TOKEN = '110201543:fake-token-of-a-bot-1234';

onEachEngine('integration secrets', (sb) => {
  const make = async (fields: Record<string, unknown> = {}) => {
    const { application, app } = await sb().application();
    const integration = await integrate(app, application.id, { token: TOKEN, ...fields });
    const path = `/1/integrations/${integration.id}`;
    return { app, path, list: `/1/applications/${application.id}/integrations` };
  };

  it('integration secrets are shown unmasked by default and masked on request', async () => {
    const { app, path, list } = await make();
    for (const query of ['', '?mask=false', '?mask=1']) {
      assert.equal((await app.get(path + query)).body.token, TOKEN);
      assert.equal((await app.get(list + query)).body.data[0].token, TOKEN);
    }
  });

  it('integration secrets are masked except for their end, and short ones completely', async () => {
    const { app, path, list } = await make({ secret: 'short-secret', consumer_key: 'x' });
    for (const body of [
      (await app.get(`${path}?mask=true`)).body,
      (await app.get(`${list}?mask=true`)).body.data[0],
    ]) {
      assert.deepEqual([body.token, body.secret, body.consumer_key], ['••••1234', '••••', '••••']);
    }
  });

  it('integration secrets are the only masked fields: other fields are shown', async () => {
    const { app, path } = await make({
      name: 'email',
      address: 'smtp://mail.example.com',
      username: 'ada@example.com',
      secret: 'not-a-secret-but-a-password',
    });
    const { body } = await app.get(`${path}?mask=true`);
    assert.equal(body.address, 'smtp://mail.example.com');
    assert.equal(body.username, 'ada@example.com');
    assert.equal(body.secret, '••••word');
  });

  it('integration secrets stay unchanged when their masked form is sent back', async () => {
    const { app, path } = await make();
    const { body: shown } = await app.get(`${path}?mask=true`);
    const change = { name: 'telegram', token: shown.token };
    assert.equal((await app.put(path, change)).status, 204);
    assert.equal((await app.get(path)).body.token, TOKEN);
    await app.put(path, { name: 'telegram', token: '••••9999' });
    assert.equal(
      (await app.get(path)).body.token,
      '••••9999',
      'which differs from the masked form',
    );
  });
});
