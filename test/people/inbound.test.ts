import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';

for (const engine of ENGINES) {
  describe(`people who write (${engine})`, () => {
    let sandboxes: SandboxService;
    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    const open = async (channel: string, createOnInbound: boolean) => {
      const sandbox = await sandboxes.open(channel);
      const { api } = sandboxes.service;
      const path = `/1/applications/${sandbox.applicationId}/policies`;
      const { status } = await api.put(path, { contacts: { create_on_inbound: createOnInbound } });
      assert.equal(status, 204);
      assert.equal((await api.get(path)).body.contacts.create_on_inbound, createOnInbound);
      const received = async (text: string) => {
        const { data } = await sandbox.event(
          text,
          (event) => event.type === 'message.received' && JSON.stringify(event).includes(text),
        );
        return data as { contact_id?: number; actor: { id: string; name?: string } };
      };
      return { ...sandbox, received };
    };

    it('a person becomes a contact with the first message, once', async () => {
      const sandbox = await open('telegram', true);
      await sandbox.act('reply', { text: 'first words' });
      const first = await sandbox.received('first words');
      await sandbox.act('reply', { text: 'second words' });
      const second = await sandbox.received('second words');
      assert.ok(first.contact_id);
      assert.equal(second.contact_id, first.contact_id);
      const { body } = await sandbox.app.get(`/1/contacts/${first.contact_id}`);
      const [address, ...others] = body.addresses;
      assert.deepEqual(others, []);
      assert.deepEqual(
        [address.channel, address.address, address.integration_id, address.evidence],
        ['sandbox.telegram', first.actor.id, sandbox.integrationId, 'inbound'],
      );
      assert.equal(body.name, first.actor.name ?? null);
      const created = await sandbox.event('created', ({ type }) => type === 'contact.created');
      assert.equal((created.data as { contact_id: number }).contact_id, first.contact_id);
    });

    it('without the policy, only known people have a contact', async () => {
      const sandbox = await open('telegram', false);
      await sandbox.act('reply', { text: 'who am I' });
      const unknown = await sandbox.received('who am I');
      assert.equal(unknown.contact_id, undefined);
      const address = { channel: 'sandbox.telegram', address: unknown.actor.id };
      const { body: contact } = await sandbox.app.post('/1/contacts', { addresses: [address] });
      await sandbox.act('reply', { text: 'it is me' });
      const { contact_id: id } = await sandbox.received('it is me');
      assert.equal(id, contact.id);
      const { body } = await sandbox.app.get(`/1/contacts/${id}`);
      assert.ok(body.addresses[0].last_inbound_at);
    });

    it('a reply to the contact reaches the person who wrote', async () => {
      const sandbox = await open('whatsapp', true);
      await sandbox.act('reply', { text: 'please answer' });
      const { contact_id: id, actor } = await sandbox.received('please answer');
      const { status, body } = await sandbox.app.post('/1/message', {
        message: {
          '@context': 'https://www.w3.org/ns/activitystreams',
          type: 'Create',
          generator: { type: 'Service' },
          to: { type: 'Person', id: `contact:${id}` },
          object: { type: 'Note', content: 'here it is' },
        },
      });
      assert.deepEqual([status, body.to], [202, actor.id]);
      await sandbox.shown('the answer', ({ text }) => text === 'here it is');
    });
  });
}
