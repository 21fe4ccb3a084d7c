import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

/* Messages to contacts with several routes: each has the address of the contact on its channel. */

const TWILIO = {
  name: 'twilio',
  username: 'ACfake0000000000000000000000000000',
  secret: 'fake',
  address: '+15005550006',
};
const ROUTES = [{ via: 'telegram', after: 'PT5M' }, { via: 'twilio' }];

onEachEngine('routes to contacts', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    const telegram = await integrate(app, application.id);
    const twilio = await integrate(app, application.id, TWILIO);
    return { app, telegram, twilio };
  };
  const contact = async (app: Client, channels: Record<string, string>, fields = {}) => {
    const addresses = Object.entries(channels).map(([channel, address]) => ({ channel, address }));
    const { body } = await app.post('/1/contacts', { ...fields, addresses });
    return body as { id: number; addresses: { id: number }[] };
  };
  const BOTH = { telegram: '42', sms: '+15558675310' };
  const to = (id: string, routes: unknown = ROUTES) => ({
    ...message({ to: { type: 'Person', id } }),
    routes,
  });

  it('each route goes to the address of its channel', async () => {
    const { app, telegram, twilio } = await make();
    const { id } = await contact(app, BOTH);
    const { status, body } = await app.post('/1/message', to(`contact:${id}`));
    assert.equal(status, 202, JSON.stringify(body));
    const { integration_id, contact_id, to: chosen, chosen_because } = body;
    assert.deepEqual(
      [integration_id, contact_id, chosen, chosen_because],
      [telegram.id, id, '42', 'route'],
    );
    const { body: stored } = await app.get(`/1/messages/${body.id}`);
    assert.deepEqual(
      stored.routes.map((one: { integration_id: number; to: string }) => [
        one.integration_id,
        one.to,
      ]),
      [
        [telegram.id, '42'],
        [twilio.id, '+15558675310'],
      ],
    );
    assert.deepEqual([stored.contact_id, stored.message.to.id], [id, `contact:${id}`]);
  });

  it('a route may name another contact, by its external id', async () => {
    const { app } = await make();
    const { id } = await contact(app, { telegram: '42' });
    await contact(app, { sms: '+15558675311' }, { external_id: 'guardian' });
    const routes = [ROUTES[0], { via: 'twilio', to: 'contact:external:guardian' }];
    const { body } = await app.post('/1/message', to(`contact:${id}`, routes));
    const { body: stored } = await app.get(`/1/messages/${body.id}`);
    assert.deepEqual(
      stored.routes.map((one: { to: string }) => one.to),
      ['42', '+15558675311'],
    );
    // Only a route names a contact.
    const direct = await app.post('/1/message', to('43', routes));
    assert.equal(direct.status, 202, JSON.stringify(direct.body));
  });

  it('the dry run says which address each route has, and why', async () => {
    const { app } = await make();
    const { id, addresses } = await contact(app, BOTH);
    const { status, body } = await app.post('/1/message?dry_run=true', to(`contact:${id}`));
    assert.equal(status, 200);
    assert.deepEqual(
      body.routes.map((one: { to: string; contact: Record<string, unknown> }) => [
        one.to,
        one.contact['contact_id'],
        one.contact['address_id'],
        one.contact['chosen_because'],
      ]),
      [
        ['42', id, addresses[0]?.id, 'route'],
        ['+15558675310', id, addresses[1]?.id, 'route'],
      ],
    );
  });

  it('a route on which the contact has no address is refused, and nothing is stored', async () => {
    const { app } = await make();
    const { id } = await contact(app, { telegram: '42' });
    const named = [ROUTES[0], { via: 'twilio', to: `contact:${id}` }];
    const cases: [unknown, string, string, string][] = [
      [ROUTES, `contact:${id}`, 'no_address', '/routes/1/via'],
      [named, `contact:${id}`, 'no_address', '/routes/1/to'],
      [ROUTES, 'contact:9999999', 'unknown_contact', '/message/to/id'],
      [
        [ROUTES[0], { via: 'twilio', to: 'contact:9999999' }],
        '42',
        'unknown_contact',
        '/routes/1/to',
      ],
    ];
    for (const [routes, name, code, pointer] of cases) {
      for (const path of ['/1/message', '/1/message?dry_run=true']) {
        const { status, body } = await app.post(path, to(name, routes));
        assert.deepEqual([status, body.code, body.errors?.[0]?.pointer], [422, code, pointer]);
      }
    }
    assert.deepEqual((await app.get('/1/messages')).body.data, []);
  });

  it('a scheduled message keeps its routes when its text or contact is changed', async () => {
    const { app } = await make();
    const { id } = await contact(app, BOTH);
    const { id: other } = await contact(app, { telegram: '43', sms: '+15558675312' });
    const sendAt = { send_at: new Date(Date.now() + 3_600_000).toISOString() };
    const { body } = await app.post('/1/message', { ...to(`contact:${id}`), ...sendAt });
    assert.equal(body.state, 'scheduled');
    const { status, body: answer } = await app.put(`/1/messages/${body.id}`, {
      message: to(`contact:${id}`).message,
    });
    assert.equal(status, 204, JSON.stringify(answer));
    const changed = { ...to(`contact:${other}`), ...sendAt };
    assert.equal((await app.put(`/1/messages/${body.id}`, changed)).status, 204);
    const { body: stored } = await app.get(`/1/messages/${body.id}`);
    assert.deepEqual(
      stored.routes.map((one: { to: string }) => one.to),
      ['43', '+15558675312'],
    );
  });

  it('the members of a pool send to the address of their channel', async () => {
    const { app, twilio } = await make();
    const { id } = await contact(app, BOTH);
    const pool = { name: 'sms', strategy: 'order', members: [{ integration_id: twilio.id }] };
    assert.equal((await app.post('/1/pools', pool)).status, 201);
    const { generator: _, ...activity } = to(`contact:${id}`).message;
    const { status, body } = await app.post('/1/message', {
      message: { ...activity, generator: { type: 'Service', id: 'pool:sms' } },
    });
    assert.deepEqual([status, body.to, body.contact_id], [202, '+15558675310', id]);
  });
});
