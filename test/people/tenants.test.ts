import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

interface Contact {
  id: number;
  addresses: { id: number; address: string }[];
}

const TWILIO = {
  name: 'twilio',
  username: 'ACfake0000000000000000000000000000',
  secret: 'fake',
  address: '+15005550006',
};

onEachEngine('contacts of different applications', (sb) => {
  const make = async (external: string, address: string) => {
    const { application, app } = await sb().application();
    await integrate(app, application.id, TWILIO);
    const contact = { external_id: external, addresses: [{ channel: 'sms', address }] };
    const { body } = await app.post('/1/contacts', contact);
    return { app, contact: body as Contact };
  };
  const sendTo = (app: Client, id: string) =>
    app.post('/1/message?dry_run=true', message({ to: { type: 'Person', id } }));

  it('no request finds, changes, merges, exports or erases a contact of another application', async () => {
    const mine = await make('mine', '+15558675310');
    const theirs = await make('theirs', '+15558675311');
    const { app } = mine;
    const { id, addresses } = theirs.contact;
    for (const to of [`contact:${id}`, 'contact:external:theirs']) {
      const { status, body } = await sendTo(app, to);
      assert.deepEqual([status, body.code], [422, 'unknown_contact'], to);
    }
    const path = `/1/contacts/${id}`;
    const address = `${path}/addresses/${addresses[0]?.id}`;
    const own = `/1/contacts/${mine.contact.id}`;
    const answers = [
      await app.get(path),
      await app.put(path, { name: 'Mallory' }),
      await app.delete(path),
      await app.get(`${path}/export`),
      await app.get(`${path}/erasure`),
      await app.post(`${path}/erase`),
      await app.get(`${path}/merges`),
      await app.post(`${path}/addresses`, { channel: 'sms', address: '+15558675319' }),
      await app.put(address, { state: 'disabled' }),
      await app.delete(address),
      await app.delete(`${own}/addresses/${addresses[0]?.id}`),
      await app.post(`${path}/merge`, { contact_id: mine.contact.id }),
      await app.post(`${path}/unmerge`, { contact_id: mine.contact.id }),
      await app.post(`${own}/unmerge`, { contact_id: id }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 404),
    );
    const merged = await app.post(`${own}/merge`, { contact_id: id });
    assert.equal(merged.body.code, 'unknown_contact');
    const { body: unchanged } = await theirs.app.get(path);
    assert.deepEqual(unchanged, theirs.contact);
  });

  it('a cursor of another application finds nothing of it', async () => {
    const mine = await make('mine', '+15558675310');
    const theirs = await make('theirs', '+15558675311');
    const between = await mine.app.post('/1/contacts', { external_id: 'later' });
    for (const cursor of ['starting_after', 'ending_before']) {
      const { body } = await mine.app.get(`/1/contacts?${cursor}=${theirs.contact.id}`);
      const ids = body.data.map((one: Contact) => one.id);
      assert.ok(!ids.includes(theirs.contact.id));
      const known = new Set([mine.contact.id, between.body.id]);
      assert.ok(ids.every((id: number) => known.has(id)));
      const { status } = await mine.app.get(`/1/conversations?${cursor}=${theirs.contact.id}`);
      assert.equal(status, 200);
    }
    const search = await mine.app.get('/1/contacts?search=theirs');
    assert.deepEqual(search.body.data, []);
    const listed = await mine.app.get(`/1/conversations?contact_id=${theirs.contact.id}`);
    assert.deepEqual(listed.body.data, []);
  });
});
