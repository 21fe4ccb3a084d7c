import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { feedOf } from '../support/service/feed.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

interface Contact {
  id: number;
  external_id: string | null;
  name: string | null;
  locale: string | null;
  fields: Record<string, unknown>;
  addresses: { id: number; address: string }[];
}

const TWILIO = {
  name: 'twilio',
  username: 'ACfake0000000000000000000000000000',
  secret: 'fake',
  address: '+15005550006',
};

const sms = (address: string) => ({ channel: 'sms', address });

const create = async (app: Client, body: Record<string, unknown>): Promise<Contact> =>
  (await app.post('/1/contacts', body)).body;

const get = async (app: Client, id: number): Promise<Contact> =>
  (await app.get(`/1/contacts/${id}`)).body;

const find = async (app: Client, search: string): Promise<number[]> => {
  const { body } = await app.get(`/1/contacts?search=${encodeURIComponent(search)}`);
  return body.data.map(({ id }: Contact) => id);
};

const addressesOf = ({ addresses }: Contact) => addresses.map(({ address }) => address);

onEachEngine('merged contacts', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    const ada = await create(app, {
      external_id: 'a',
      name: 'Ada',
      fields: { plan: 'gold' },
      addresses: [sms('+15558675310')],
    });
    const other = await create(app, {
      name: 'A. Lovelace',
      locale: 'en',
      fields: { plan: 'silver', vip: true },
      addresses: [sms('+15558675311'), { channel: 'email', address: 'ada@example.com' }],
    });
    return { application, app, ada, other };
  };
  const merge = (app: Client, id: number, other: unknown) =>
    app.post(`/1/contacts/${id}/merge`, { contact_id: other });
  const unmerge = (app: Client, id: number, other: unknown) =>
    app.post(`/1/contacts/${id}/unmerge`, { contact_id: other });

  it('a merged contact adds its addresses and missing fields, and can be unmerged', async () => {
    const { app, ada, other } = await make();
    const { status, body } = await merge(app, ada.id, other.id);
    assert.equal(status, 200);
    assert.deepEqual(
      [body.external_id, body.name, body.locale, body.fields],
      ['a', 'Ada', 'en', { plan: 'gold', vip: true }],
    );
    assert.deepEqual(addressesOf(body), ['+15558675310', '+15558675311', 'ada@example.com']);
    assert.equal((await app.get(`/1/contacts/${other.id}`)).status, 404);
    assert.deepEqual(await find(app, 'ada@'), [ada.id]);
    assert.deepEqual(await find(app, 'a. love'), []);
    const { body: merges } = await app.get(`/1/contacts/${ada.id}/merges`);
    const [only, ...more] = merges.data;
    assert.deepEqual([only.contact_id, only.name, only.evidence], [other.id, other.name, 'api']);
    assert.deepEqual(more, []);

    const back = await unmerge(app, ada.id, other.id);
    assert.equal(back.status, 200);
    const bare = ({ id, name, locale, fields, addresses }: Contact) =>
      JSON.stringify([id, name, locale, fields, addresses]);
    assert.equal(bare(back.body), bare(other));
    assert.equal(bare(await get(app, ada.id)), bare(ada));
    assert.deepEqual(await find(app, 'a. love'), [other.id]);
    assert.deepEqual(await find(app, 'ada@'), [other.id]);
    assert.equal((await unmerge(app, ada.id, other.id)).status, 404);
    const events = (await feedOf(app)).filter(({ type }) => type !== 'contact.created');
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.contact_id, data.other_contact_id]),
      [
        ['contact.merged', ada.id, other.id],
        ['contact.unmerged', ada.id, other.id],
      ],
    );
  });

  it('a chain of merges is taken apart in any order', async () => {
    const { app, ada, other } = await make();
    const third = await create(app, { addresses: [sms('+15558675312')] });
    await merge(app, other.id, third.id);
    await merge(app, ada.id, other.id);
    assert.equal((await get(app, ada.id)).addresses.length, 4);
    assert.equal((await unmerge(app, ada.id, other.id)).status, 200);
    assert.deepEqual(addressesOf(await get(app, ada.id)), ['+15558675310']);
    assert.equal((await unmerge(app, other.id, third.id)).status, 200);
    assert.deepEqual(addressesOf(await get(app, third.id)), ['+15558675312']);
    assert.deepEqual(addressesOf(await get(app, other.id)), addressesOf(other));
  });

  it('fields changed after a merge keep their values, and a removed address stays removed', async () => {
    const { app, ada, other } = await make();
    const { body } = await merge(app, ada.id, other.id);
    await app.put(`/1/contacts/${ada.id}`, { locale: 'fr' });
    const [, moved] = body.addresses;
    await app.delete(`/1/contacts/${ada.id}/addresses/${moved.id}`);
    await unmerge(app, ada.id, other.id);
    assert.equal((await get(app, ada.id)).locale, 'fr');
    assert.deepEqual(addressesOf(await get(app, other.id)), ['ada@example.com']);
  });

  it('an external id that the contact took over goes back, unless another contact has it', async () => {
    const { app, ada, other } = await make();
    await merge(app, other.id, ada.id);
    assert.equal((await get(app, other.id)).external_id, 'a');
    await unmerge(app, other.id, ada.id);
    assert.equal((await get(app, other.id)).external_id, null);
    assert.equal((await get(app, ada.id)).external_id, 'a');
    await merge(app, other.id, ada.id);
    await app.put(`/1/contacts/${other.id}`, { external_id: 'b' });
    await create(app, { external_id: 'a' });
    const { status, body } = await unmerge(app, other.id, ada.id);
    assert.deepEqual([status, body.code], [409, 'external_id_taken']);
    assert.equal((await get(app, other.id)).addresses.length, 3);
  });

  it('contacts that cannot be merged stay as they are', async () => {
    const { app, ada, other } = await make();
    const named = await create(app, { external_id: 'n', addresses: [sms('+15558675313')] });
    const foreign = await make();
    const cases: [number, unknown, number, string][] = [
      [ada.id, named.id, 409, 'merge_conflict'],
      [ada.id, ada.id, 422, 'invalid_fields'],
      [ada.id, 999_999, 422, 'unknown_contact'],
      [ada.id, foreign.other.id, 422, 'unknown_contact'],
      [ada.id, 'x', 422, 'invalid_fields'],
      [ada.id, '9223372036854775807', 422, 'unknown_contact'],
      [foreign.ada.id, other.id, 404, 'not_found'],
      [999_999, other.id, 404, 'not_found'],
    ];
    for (const [id, otherId, status, code] of cases) {
      const { status: actual, body } = await merge(app, id, otherId);
      assert.deepEqual([actual, body.code], [status, code], `${id} ${String(otherId)}`);
    }
    const many = Array.from({ length: 49 }, (_, i) => sms(`+1555867${String(1000 + i)}`));
    const full = await create(app, { addresses: many });
    assert.equal((await merge(app, full.id, other.id)).body.code, 'merge_conflict');
    assert.deepEqual(await get(app, ada.id), ada);
    assert.deepEqual(await get(app, other.id), other);
  });

  it('a message to a merged contact reaches the contact that it is part of', async () => {
    const { application, app, ada, other } = await make();
    await integrate(app, application.id, TWILIO);
    await merge(app, ada.id, other.id);
    const { body } = await app.post('/1/message?dry_run=true', {
      message: {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service' },
        to: { type: 'Person', id: `contact:${other.id}` },
        object: { type: 'Note', content: 'Hello' },
      },
    });
    assert.equal(body.contact.contact_id, ada.id);
  });

  it('merges are in the audit log, and are removed with their contact', async () => {
    const { app, ada, other } = await make();
    await merge(app, ada.id, other.id);
    await unmerge(app, ada.id, other.id);
    await merge(app, ada.id, other.id);
    const { body } = await sb().api.get('/1/audit?limit=3');
    assert.deepEqual(
      body.data.map((entry: { action: string; subject: { id: number } }) => [
        entry.action,
        entry.subject.id,
      ]),
      [
        ['contact.merged', ada.id],
        ['contact.unmerged', ada.id],
        ['contact.merged', ada.id],
      ],
    );
    assert.equal((await app.delete(`/1/contacts/${ada.id}`)).status, 204);
    const { body: me } = await app.get('/1/applications/me');
    assert.equal(await sb().store.merges.contactOf(me.id, other.id), undefined);
  });
});
