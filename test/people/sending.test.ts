import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const NUMBER = '+15558675310';
const TWILIO = {
  name: 'twilio',
  username: 'ACfake0000000000000000000000000000',
  secret: 'fake',
  address: '+15005550006',
};

onEachEngine('messages to contacts', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    const telegram = await integrate(app, application.id);
    const webhook = await integrate(app, application.id, {
      name: 'webhook',
      token: undefined,
      address: 'https://hook.example.org/in',
    });
    return { app, telegram, webhook, application };
  };
  const contact = async (app: Client, addresses: Record<string, unknown>[], fields = {}) =>
    (await app.post('/1/contacts', { ...fields, addresses })).body as { id: number };
  const to = (id: string, generator: Record<string, unknown> = {}) =>
    message({ to: { type: 'Person', id }, generator: { type: 'Service', ...generator } });

  it('without a generator, the message goes to the preferred address, and the answer says why', async () => {
    const { app, telegram } = await make();
    const { id } = await contact(app, [
      { channel: 'webhook', address: 'ada' },
      { channel: 'telegram', address: '42', preference: 10 },
    ]);
    const { status, body } = await app.post('/1/message', to(`contact:${id}`));
    assert.equal(status, 202);
    const { integration_id, contact_id, to: chosen, chosen_because } = body;
    assert.deepEqual(
      [integration_id, contact_id, chosen, chosen_because],
      [telegram.id, id, '42', 'preference'],
    );
    const { body: stored } = await app.get(`/1/messages/${body.id}`);
    assert.deepEqual([stored.to, stored.contact_id], ['42', id]);
    assert.equal(stored.message.to.id, `contact:${id}`, 'the activity stays as it was written');
  });

  it('with a generator, it goes to the address of that channel', async () => {
    const { app, webhook } = await make();
    const { id } = await contact(app, [
      { channel: 'webhook', address: 'ada' },
      { channel: 'telegram', address: '42', preference: 10 },
    ]);
    const { body } = await app.post('/1/message', to(`contact:${id}`, { name: 'webhook' }));
    assert.deepEqual(
      [body.integration_id, body.to, body.chosen_because],
      [webhook.id, 'ada', 'generator'],
    );
  });

  it('a contact is named by its external id', async () => {
    const { app } = await make();
    const addresses = [{ channel: 'telegram', address: '42' }];
    await contact(app, addresses, { external_id: 'customer:4711' });
    const { status, body } = await app.post('/1/message', to('contact:external:customer:4711'));
    assert.deepEqual([status, body.to, body.chosen_because], [202, '42', 'only_usable']);
  });

  it('a repeated request gets the same answer', async () => {
    const { app } = await make();
    const { id } = await contact(app, [{ channel: 'telegram', address: '42' }]);
    const headers = { 'idempotency-key': 'again' };
    const first = await app.post('/1/message', to(`contact:${id}`), { headers });
    const second = await app.post('/1/message', to(`contact:${id}`), { headers });
    assert.deepEqual(second.body, first.body);
  });

  it('stopped, disabled and unreachable addresses are skipped, and the dry run says so', async () => {
    const { app } = await make();
    const { id, ...person } = (await contact(app, [
      { channel: 'webhook', address: 'ada', preference: 1 },
      { channel: 'telegram', address: '41', preference: 2, state: 'disabled' },
      { channel: 'email', address: 'ada@example.com', preference: 3 },
      { channel: 'telegram', address: '42', preference: 4 },
    ])) as { id: number; addresses?: { id: number; address: string }[] };
    await app.post('/1/consents', { family: 'webhook', address: 'ada', state: 'revoked' });
    const { status, body } = await app.post('/1/message?dry_run=true', to(`contact:${id}`));
    assert.equal(status, 200);
    const ids = new Map(person.addresses?.map((one) => [one.address, one.id]));
    assert.equal(body.to, '42');
    assert.deepEqual(body.contact, {
      contact_id: id,
      address_id: ids.get('42'),
      chosen_because: 'only_usable',
      skipped: [
        { address_id: ids.get('41'), because: 'disabled' },
        { address_id: ids.get('ada'), because: 'suppressed' },
        { address_id: ids.get('ada@example.com'), because: 'no_integration' },
      ],
    });
  });

  it('unknown contacts and contacts without a usable address are refused', async () => {
    const { app } = await make();
    const { id } = await contact(app, [{ channel: 'email', address: 'ada@example.com' }]);
    const { app: other } = await sb().application();
    const foreign = await contact(other, [{ channel: 'telegram', address: '42' }]);
    const cases: [string, string][] = [
      [`contact:${id}`, 'no_address'],
      [`contact:${foreign.id}`, 'unknown_contact'],
      ['contact:9999999', 'unknown_contact'],
      ['contact:', 'unknown_contact'],
      ['contact:ada', 'unknown_contact'],
      ['contact:external:', 'unknown_contact'],
      ['contact:external:nobody', 'unknown_contact'],
    ];
    for (const [name, code] of cases) {
      const { status, body } = await app.post('/1/message', to(name));
      assert.deepEqual([status, body.code], [422, code], name);
      assert.equal(body.errors[0].pointer, '/message/to/id');
    }
    const named = await app.post('/1/message', to(`contact:${id}`, { name: 'telegram' }));
    assert.equal(named.body.code, 'no_address');
    const batch = [to('contact:9999999').message, to('42', { name: 'telegram' }).message];
    assert.equal((await app.post('/1/messages', { messages: batch })).status, 422);
    assert.deepEqual((await app.get('/1/messages')).body.data, []);
  });

  it('a phone number is one lane and one address, however it is written', async () => {
    const { application, app } = await sb().application();
    await integrate(app, application.id, TWILIO);
    await app.post('/1/consents', { family: 'sms', address: NUMBER, state: 'granted' });
    const { id } = await contact(app, [{ channel: 'sms', address: '+4407911123456' }]);
    const { body } = await app.post('/1/message', to(`contact:${id}`));
    assert.equal(body.to, '+447911123456');
    const direct = await app.post('/1/message', to('+4407911123456'));
    const { body: stored } = await app.get(`/1/messages/${direct.body.id}`);
    assert.equal(stored.to, '+447911123456');
  });
});
