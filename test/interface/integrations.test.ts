import assert from 'node:assert/strict';
import { it } from 'node:test';

import { CREDENTIALS } from '../../src/model/integration.ts';
import { integrate } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

onEachEngine('integrations', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    const path = `/1/applications/${application.id}/integrations`;
    const creation = { application_id: application.id, name: 'telegram', state: 'enable' };
    return { application, app, path, creation };
  };

  it('integrations are created with an application token and returned with only the given optional fields', async () => {
    const { application, app, creation } = await make();
    const { status, body, headers } = await app.post('/1/integrations', {
      ...creation,
      token: '1:a',
      username: 'u',
    });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `/1/integrations/${body.id}`);
    const { id, created_at, updated_at, ...rest } = body;
    assert.ok(id && created_at && updated_at);
    assert.deepEqual(rest, {
      application_id: application.id,
      name: 'telegram',
      state: 'enable',
      token: '1:a',
      username: 'u',
    });
  });

  it('integrations store each of the seven optional strings', async () => {
    const { app, creation } = await make();
    const credentials = Object.fromEntries(CREDENTIALS.map((name) => [name, `value of ${name} ✓`]));
    const { body } = await app.post('/1/integrations', { ...creation, ...credentials });
    const { health, ...shown } = (await app.get(`/1/integrations/${body.id}`)).body;
    assert.equal(health.state, 'unknown');
    assert.deepEqual(shown, body);
    for (const name of CREDENTIALS) assert.equal(shown[name], credentials[name]);
  });

  it('integrations are created and updated with Content-Type integration/json and parameters', async () => {
    const { app, creation } = await make();
    const headers = { 'content-type': 'integration/json; charset=utf-8' };
    const { status, body } = await app.post('/1/integrations', creation, { headers });
    assert.equal(status, 201);
    assert.equal(
      (
        await app.put(
          `/1/integrations/${body.id}`,
          { name: 'telegram', state: 'enable' },
          { headers },
        )
      ).status,
      204,
    );
  });

  it('integrations require application_id, name and state', async () => {
    const { app, creation } = await make();
    for (const field of ['application_id', 'name', 'state'] as const) {
      const { [field]: _, ...rest } = creation;
      const { status, body } = await app.post('/1/integrations', rest);
      assert.equal(status, 422);
      assert.deepEqual([body.errors.length, body.errors[0].pointer], [1, `/${field}`]);
    }
  });

  it('integrations belong to the application of the token', async () => {
    const { app, creation } = await make();
    const other = await sb().application();
    const { status, body } = await app.post('/1/integrations', {
      ...creation,
      application_id: other.application.id,
    });
    assert.equal(status, 422);
    assert.equal(body.errors[0].pointer, '/application_id');
  });

  it('integrations have a channel of the catalog, in upper or lower case; the error for an unknown one lists the known ones', async () => {
    const { app, creation } = await make();
    const { body } = await app.post('/1/integrations', { ...creation, name: 'TeleGram' });
    assert.equal(body.name, 'telegram');
    const unknown = await app.post('/1/integrations', { ...creation, name: 'pigeon-post' });
    assert.equal(unknown.status, 422);
    assert.equal(unknown.body.code, 'unknown_channel');
    assert.match(unknown.body.detail, /slack.*telegram/s);
    const retired = await app.post('/1/integrations', { ...creation, name: 'kik' });
    assert.equal(retired.status, 422);
    assert.doesNotMatch(retired.body.detail, /slack.*telegram/s);
  });

  it('an application may have several integrations on one channel', async () => {
    const { app, creation, path } = await make();
    for (let i = 0; i < 2; i++)
      assert.equal((await app.post('/1/integrations', creation)).status, 201);
    assert.equal((await app.get(path)).body.data.length, 2);
  });

  it('integrations are updated with 204; omitted fields stay, also the state; null clears', async () => {
    const { app, creation } = await make();
    const { body: made } = await app.post('/1/integrations', {
      ...creation,
      token: 'one',
      secret: 'two',
    });
    const path = `/1/integrations/${made.id}`;
    await app.put(path, { name: 'telegram', state: 'disable' });
    assert.equal((await app.put(path, { name: 'telegram', token: 'three' })).status, 204);
    const { body } = await app.get(path);
    assert.deepEqual([body.state, body.token, body.secret], ['disable', 'three', 'two']);
    await app.put(path, { name: 'telegram', secret: null });
    assert.ok(!('secret' in (await app.get(path)).body));
    assert.equal((await app.put(path, { name: 'slack', state: 'enable' })).status, 204);
    assert.equal((await app.get(path)).body.name, 'slack');
  });

  it('integrations require a name on update and change nothing when they are refused', async () => {
    const { app, creation } = await make();
    const { body: made } = await app.post('/1/integrations', { ...creation, token: 'one' });
    const path = `/1/integrations/${made.id}`;
    for (const wrong of [
      { state: 'enable' },
      { name: 'telegram', state: 'paused' },
      { name: 'telegram', token: 5 },
    ]) {
      assert.equal((await app.put(path, wrong)).status, 422);
    }
    const { health: _health, ...shown } = (await app.get(path)).body;
    assert.deepEqual(shown, made);
  });

  it('integrations return an error when the id to update does not exist or belongs to another application', async () => {
    const { app } = await make();
    const other = await sb().application();
    const foreign = await integrate(other.app, other.application.id);
    for (const id of [999_999, 'abc', foreign.id]) {
      assert.equal(
        (await app.put(`/1/integrations/${id}`, { name: 'telegram', state: 'enable' })).status,
        404,
      );
    }
  });

  it('integrations are listed under data, newest first, with a limit, and never with an error', async () => {
    const { app, creation, path } = await make();
    assert.deepEqual((await app.get(path)).body, { data: [] });
    const ids: number[] = [];
    for (let i = 0; i < 3; i++)
      ids.unshift((await app.post('/1/integrations', { ...creation, token: `${i}` })).body.id);
    const { body } = await app.get(path);
    assert.deepEqual(
      body.data.map((item: { id: number }) => item.id),
      ids,
    );
    assert.deepEqual(
      body.data.map((item: { token: string }) => item.token),
      ['2', '1', '0'],
    );
    assert.equal((await app.get(`${path}?limit=1`)).body.data.length, 1);
    const other = await sb().application();
    await integrate(other.app, other.application.id);
    for (const id of [other.application.id, 999_999, 'abc', '-1', '1'.repeat(300)]) {
      const reply = await app.get(`/1/applications/${id}/integrations?limit=nonsense`);
      assert.deepEqual([reply.status, reply.body], [200, { data: [] }], String(id));
    }
  });

  it('integrations are deleted and disabled', async () => {
    const { app, creation } = await make();
    const { body: made } = await app.post('/1/integrations', creation);
    for (let i = 0; i < 2; i++)
      assert.equal((await app.delete(`/1/integrations/${made.id}/disable`)).status, 204);
    assert.equal((await app.get(`/1/integrations/${made.id}`)).body.state, 'disable');
    assert.equal((await app.delete(`/1/integrations/${made.id}`)).status, 204);
    assert.equal((await app.delete(`/1/integrations/${made.id}`)).status, 404);
  });

  it('integrations are checked for the credentials that their channel needs', async () => {
    const { app, creation } = await make();
    const { body: made } = await app.post('/1/integrations', creation);
    const before = await app.post(`/1/integrations/${made.id}/check`);
    assert.deepEqual([before.body.status, before.body.missing], ['incomplete', ['token']]);
    const address = 'https://example.com/hook';
    await app.put(`/1/integrations/${made.id}`, { name: 'webhook', address });
    assert.equal((await app.post(`/1/integrations/${made.id}/check`)).body.status, 'unknown');
  });

  it('integrations can use any channel of the catalog', async () => {
    const { app, creation } = await make();
    const { body } = await sb().as(undefined).get('/1/channels');
    assert.ok(body.data.length > 20);
    for (const { name } of body.data) {
      assert.equal((await app.post('/1/integrations', { ...creation, name })).status, 201, name);
    }
  });
});
