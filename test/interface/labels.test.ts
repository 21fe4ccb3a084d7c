import assert from 'node:assert/strict';
import { it } from 'node:test';

import { TOKEN, openTelegram } from '../emulators/telegram.ts';
import { integrate } from '../support/service/activity.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

onEachEngine('labels', (sb, engine) => {
  const make = async (fields: Record<string, unknown> = {}) => {
    const { application, app } = await sb().application();
    const integration = await integrate(app, application.id, fields);
    return { app, application, integration, path: `/1/integrations/${integration.id}` };
  };

  it('an integration shows its label when it is created, read and listed', async () => {
    const { app, application, integration, path } = await make({ label: 'Support bot ✓' });
    assert.equal(integration['label'], 'Support bot ✓');
    assert.equal((await app.get(path)).body.label, 'Support bot ✓');
    const list = await app.get(`/1/applications/${application.id}/integrations`);
    assert.equal(list.body.data[0].label, 'Support bot ✓');
  });

  it('an integration without a label shows none', async () => {
    for (const fields of [{}, { label: null }, { label: '' }]) {
      const { app, integration, path } = await make(fields);
      assert.equal('label' in integration, false);
      assert.equal('label' in (await app.get(path)).body, false);
    }
  });

  it('a label stays if a change omits it; null or an empty string clears it', async () => {
    const { app, path } = await make({ label: 'first' });
    const change = async (fields: Record<string, unknown>) => {
      assert.equal((await app.put(path, { name: 'telegram', ...fields })).status, 204);
      return (await app.get(path)).body.label;
    };
    assert.equal(await change({ state: 'disable' }), 'first');
    assert.equal(await change({ label: 'second' }), 'second');
    assert.equal(await change({ label: null }), undefined);
    assert.equal(await change({ label: 'third' }), 'third');
    assert.equal(await change({ label: '' }), undefined);
  });

  it('a label that is blank, too long or has control characters is refused', async () => {
    const { app, application, path } = await make();
    const fields = { application_id: application.id, state: 'enable', name: 'telegram' };
    for (const label of [' ', 'a\nb', '\u{1b}[2J', 'x'.repeat(101), 7]) {
      for (const { status, body } of [
        await app.post('/1/integrations', { ...fields, label }),
        await app.put(path, { name: 'telegram', label }),
      ]) {
        assert.deepEqual([status, body.errors[0].pointer], [422, '/label']);
      }
    }
    assert.equal((await app.put(path, { name: 'telegram', label: 'x'.repeat(100) })).status, 204);
  });

  it('a changed label is in the audit log', async () => {
    const { team, owner, api } = await sb().otherTeam();
    const { body: application } = await api.post('/1/applications', {
      team_id: team.id,
      owner_id: owner.id,
      state: 'enable',
      name: 'labeled-application',
    });
    const app = api.with({ 'switchboard-application': String(application.id) });
    const integration = await integrate(app, application.id, { label: 'first' });
    await app.put(`/1/integrations/${integration.id}`, { name: 'telegram', label: 'second' });
    const { body } = await api.get('/1/audit?action=integration.updated');
    assert.deepEqual(body.data[0].changes, [{ field: 'label', from: 'first', to: 'second' }]);
  });

  it('an integration shows the account of its last passed check until its credentials change', async () => {
    await using delivery = await openDelivery(engine, {
      channel: 'telegram',
      open: openTelegram,
      credentials: { token: TOKEN },
    });
    const { app, integrationId, peer } = delivery;
    const path = `/1/integrations/${integrationId}`;
    const accountOf = async () => (await app.get(path)).body.account;
    const check = async () => (await app.post(`${path}/check`, {})).body.status;
    const change = (fields: object) => app.put(path, { name: 'telegram', ...fields });
    assert.equal(await accountOf(), undefined);
    assert.equal(await check(), 'ok');
    assert.equal(await accountOf(), '@example_bot');
    await change({ label: 'mine', token: TOKEN });
    assert.equal(await accountOf(), '@example_bot', 'the credentials are the same');
    peer.next({ status: 502, body: 'bad gateway' });
    assert.equal(await check(), 'unreachable');
    assert.equal(await accountOf(), '@example_bot', 'a failed check learns nothing');
    await change({ token: '7:another' });
    assert.equal(await accountOf(), undefined);
  });

  it('a check of replaced credentials does not name the account', async () => {
    const { app, application, integration, path } = await make();
    const { integrations } = sb().store;
    const before = await integrations.get(application.id, integration.id);
    assert.ok(before);
    await integrations.setAccount({ ...before, updatedAt: before.updatedAt - 1 }, '@old');
    assert.equal((await app.get(path)).body.account, undefined);
  });

  it('a check that learns no name leaves the account unknown', async () => {
    const { app, path } = await make({ name: 'webmessenger', token: undefined });
    assert.equal((await app.post(`${path}/check`, {})).body.status, 'ok');
    assert.equal('account' in (await app.get(path)).body, false);
  });
});
