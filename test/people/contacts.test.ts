import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const NUMBER = '+15558675310';

interface Contact {
  id: number;
  name: string | null;
  addresses: { id: number; address: string; channel: string }[];
}

onEachEngine('contacts', (sb) => {
  const find = async (app: Client, search: string, more = '') => {
    const { body } = await app.get(`/1/contacts?search=${encodeURIComponent(search)}${more}`);
    return body.data.map((one: Contact) => one.name);
  };
  const create = async (app: Client, name: string, fields: Record<string, unknown> = {}) =>
    (await app.post('/1/contacts', { name, ...fields })).body as Contact;

  it('a contact keeps its fields', async () => {
    const { app } = await sb().application();
    const given = {
      external_id: 'customer-4711',
      name: 'Ada Lovelace',
      locale: 'en-GB',
      timezone: 'Europe/London',
      fields: { plan: 'gold', visits: 3, vip: true, note: null },
    };
    const addresses = [{ channel: 'sms', address: '15558675310', label: 'Work' }];
    const made = await app.post('/1/contacts', { ...given, addresses });
    assert.equal(made.status, 201);
    const { body } = await app.get(`/1/contacts/${made.body.id}`);
    assert.deepEqual(body, made.body);
    const { external_id, name, locale, timezone, fields } = body;
    assert.deepEqual({ external_id, name, locale, timezone, fields }, given);
    const [address] = body.addresses;
    assert.deepEqual(
      [address.channel, address.address, address.label, address.preference, address.state],
      ['sms', NUMBER, 'Work', 100, 'active'],
    );
    assert.deepEqual([address.evidence, address.integration_id], ['api', null]);
  });

  it('an update changes the given fields only, and null clears one', async () => {
    const { app } = await sb().application();
    const { id } = await create(app, 'Ada', { locale: 'en', fields: { plan: 'gold' } });
    const path = `/1/contacts/${id}`;
    assert.equal((await app.put(path, { name: 'Grace', locale: null })).status, 204);
    const { body } = await app.get(path);
    assert.deepEqual([body.name, body.locale, body.fields], ['Grace', null, { plan: 'gold' }]);
    assert.deepEqual(await find(app, 'grace'), ['Grace']);
    assert.deepEqual(await find(app, 'ada'), []);
    assert.equal((await app.delete(path)).status, 204);
    assert.equal((await app.get(path)).status, 404);
    assert.deepEqual(await find(app, 'grace'), []);
  });

  it('an external id belongs to one contact of its application', async () => {
    const { app } = await sb().application();
    const first = await create(app, 'Ada', { external_id: 'a' });
    const second = await create(app, 'Grace', { external_id: 'g' });
    const taken = await app.post('/1/contacts', { external_id: 'a' });
    assert.deepEqual([taken.status, taken.body.code], [409, 'external_id_taken']);
    const change = await app.put(`/1/contacts/${second.id}`, { external_id: 'a' });
    assert.deepEqual([change.status, change.body.code], [409, 'external_id_taken']);
    assert.equal((await app.put(`/1/contacts/${first.id}`, { external_id: 'a' })).status, 204);
    const { body } = await app.get('/1/contacts?external_id=a');
    assert.deepEqual(
      body.data.map((one: Contact) => one.id),
      [first.id],
    );
    const { app: other } = await sb().application();
    assert.equal((await other.post('/1/contacts', { external_id: 'a' })).status, 201);
  });

  it('an address belongs to one contact, in whichever form it is written', async () => {
    const { app } = await sb().application();
    const ada = await create(app, 'Ada', { addresses: [{ channel: 'sms', address: NUMBER }] });
    const same = [
      { channel: 'sms', address: '15558675310' },
      { channel: 'twilio', address: NUMBER },
      { channel: 'vonage', address: '15558675310' },
    ];
    for (const address of same) {
      const { status, body } = await app.post('/1/contacts', { addresses: [address] });
      assert.deepEqual([status, body.code], [409, 'address_taken']);
      assert.equal(body.errors[0].pointer, '/addresses/0/address');
    }
    const { body: all } = await app.get('/1/contacts');
    assert.equal(all.data.length, 1, 'a refused contact is not stored');
    const other = await app.post(`/1/contacts/${ada.id}/addresses`, {
      channel: 'whatsapp',
      address: '15558675310',
    });
    assert.deepEqual([other.status, other.body.address], [201, NUMBER]);
  });

  it('addresses are added, changed and removed', async () => {
    const { application, app } = await sb().application();
    const integration = await integrate(app, application.id);
    const { id } = await create(app, 'Ada');
    const path = `/1/contacts/${id}/addresses`;
    const given = { channel: 'telegram', address: '42', integration_id: integration.id };
    const { status, body: added } = await app.post(path, given);
    assert.deepEqual([status, added.integration_id], [201, integration.id]);
    const change = { preference: 1, state: 'disabled', label: 'Phone' };
    assert.equal((await app.put(`${path}/${added.id}`, change)).status, 204);
    const { body } = await app.get(`/1/contacts/${id}`);
    const { preference, state, label } = body.addresses[0];
    assert.deepEqual({ preference, state, label }, change);
    assert.equal((await app.delete(`${path}/${added.id}`)).status, 204);
    assert.equal((await app.delete(`${path}/${added.id}`)).status, 404);
    assert.equal((await app.put(`${path}/${added.id}`, change)).status, 404);
    assert.deepEqual((await app.get(`/1/contacts/${id}`)).body.addresses, []);
  });

  it('invalid fields are refused by name, and nothing is stored', async () => {
    const { application, app } = await sb().application();
    const { id: telegram } = await integrate(app, application.id);
    const cases: [Record<string, unknown>, string][] = [
      [{ timezone: 'Mars/Phobos' }, '/timezone'],
      [{ external_id: 'a\0b' }, '/external_id'],
      [{ name: ' ' }, '/name'],
      [{ addresses: [{ channel: 'smss', address: NUMBER }] }, '/addresses/0/channel'],
      [{ addresses: [{ channel: 'sms', address: 'ada' }] }, '/addresses/0/address'],
      [{ addresses: [{ channel: 'email', address: 'ada' }] }, '/addresses/0/address'],
      [
        { addresses: [{ channel: 'sms', address: NUMBER, integration_id: 9_999_999 }] },
        '/addresses/0/integration_id',
      ],
      [
        { addresses: [{ channel: 'sms', address: NUMBER, integration_id: telegram }] },
        '/addresses/0/integration_id',
      ],
    ];
    for (const [fields, pointer] of cases) {
      const { status, body } = await app.post('/1/contacts', fields);
      assert.deepEqual([status, body.errors[0].pointer], [422, pointer], JSON.stringify(fields));
    }
    assert.deepEqual((await app.get('/1/contacts')).body.data, []);
  });

  it('people are found by the beginning of any word of the name, an address or the external id', async () => {
    const { app } = await sb().application();
    await create(app, 'Ada King Lovelace', {
      external_id: 'Customer-4711',
      addresses: [
        { channel: 'sms', address: '+447911123456' },
        { channel: 'email', address: 'Ada@example.com' },
      ],
    });
    await create(app, 'Grace Hopper');
    const found = ['ada', 'KING L', 'love', 'customer-47', '+44 7911', '44(7911)', 'ada@EX'];
    for (const text of found) assert.deepEqual(await find(app, text), ['Ada King Lovelace'], text);
    for (const text of ['da', 'hop x', '+45', '\u{10FFFF}', '%', '_']) {
      assert.deepEqual(await find(app, text), [], text);
    }
    const { app: other } = await sb().application();
    assert.deepEqual(await find(other, 'ada'), []);
  });

  it('pages of a search hold each contact once, in the order of the alphabet', async () => {
    const { app } = await sb().application();
    const names = ['Anna Amber', 'Anna Bell', 'Antonia', 'Bert An', 'Carl Ann'];
    for (const name of names.toReversed()) await create(app, name);
    const seen: string[] = [];
    for (let query = '&limit=2'; ;) {
      const { body } = await app.get(`/1/contacts?search=an${query}`);
      seen.push(...body.data.map((one: Contact) => one.name));
      if (body.data.length < 2) break;
      query = `&limit=2&starting_after=${body.data.at(-1).id}`;
    }
    assert.deepEqual(seen, ['Bert An', 'Carl Ann', 'Anna Amber', 'Anna Bell', 'Antonia']);
    const { body: page } = await app.get('/1/contacts?search=an&limit=2');
    const last = page.data[1].id;
    assert.deepEqual(await find(app, 'an', `&ending_before=${last}`), ['Bert An']);
  });
});
