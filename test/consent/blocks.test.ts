import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { PASSWORD, USER, openSmtp } from '../emulators/mail/smtp.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';

/* Vendors refuse messages to some people, and say so when we send or later. */
for (const engine of ENGINES) {
  describe(`blocks by vendors (${engine})`, () => {
    let sandboxes: SandboxService;
    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    const note = { type: 'Note', content: 'Your order is on its way.' };

    it('a refusal of the vendor blocks the number, and the API cannot lift it', async () => {
      const sandbox = await sandboxes.open('twilio');
      const blocked = '+15005550002';
      const id = await sandbox.send(note, blocked);
      await sandbox.message(id, ({ state }) => state === 'failed');
      const { body } = await sandbox.app.get('/1/consents');
      const [consent] = body.data;
      assert.deepEqual(
        [consent.family, consent.address, consent.scope, consent.state, consent.source],
        ['sandbox.sms', blocked, 'vendor', 'revoked', 'vendor'],
      );
      const address = { family: 'sandbox.sms', address: blocked };
      const granted = await sandbox.app.post('/1/consents', { ...address, state: 'granted' });
      assert.deepEqual([granted.status, granted.body.code], [409, 'vendor_blocked']);
      const deleted = await sandbox.app.delete(`/1/consents/${consent.id}`);
      assert.equal(deleted.body.code, 'vendor_blocked');
      const raw = `family,address,state\nsandbox.sms,${blocked},granted`;
      const headers = { 'content-type': 'text/csv' };
      const imported = await sandbox.app.post('/1/consents/import', undefined, { raw, headers });
      assert.deepEqual([imported.body.imported, imported.body.failed], [0, 1]);
      const again = await sandbox.app.post('/1/message', {
        message: {
          '@context': 'https://www.w3.org/ns/activitystreams',
          type: 'Create',
          generator: { type: 'Service', id: sandbox.integrationId },
          to: { type: 'Person', id: blocked },
          object: note,
        },
      });
      assert.equal(again.body.code, 'recipient_suppressed');
    });

    it('a mailbox that does not exist is blocked until the bounce is deleted', async () => {
      await using sb = await openDelivery(engine, {
        channel: 'email',
        open: openSmtp,
        credentials: ({ url }) => ({ address: url, username: USER, token: PASSWORD }),
      });
      sb.peer.next({ at: 'recipient', reply: '550 5.1.1 No such user' });
      const id = await sb.send('Hello', 'gone@example.com');
      assert.equal((await sb.settled(id)).state, 'failed');
      const { body } = await sb.app.get('/1/consents');
      const [consent] = body.data;
      assert.deepEqual(
        [consent.address, consent.scope, consent.state, consent.source],
        ['gone@example.com', 'vendor', 'revoked', 'bounce'],
      );
      assert.equal((await sb.app.delete(`/1/consents/${consent.id}`)).status, 204);
      assert.equal((await sb.settled(await sb.send('Hello', 'gone@example.com'))).state, 'sent');
    });

    it('the Message-ID of an email cannot be guessed, and stays the same', async () => {
      await using sb = await openDelivery(engine, {
        channel: 'email',
        open: openSmtp,
        credentials: ({ url }) => ({ address: url, username: USER, token: PASSWORD }),
      });
      sb.peer.next({ at: 'content', reply: '451 4.3.0 Try again' });
      const first = await sb.send('Hello', 'ada@example.com');
      // On a busy machine, the service may retry it first.
      await sb.message(first, ({ attempts }) => attempts > 0);
      await sb.app.post(`/1/messages/${first}/retry`);
      const second = await sb.send('Hello', 'grace@example.com');
      const ids = [await sb.settled(first), await sb.settled(second)].map(
        ({ channel_ids: [id = ''] }) => id,
      );
      const tokens = ids.map((id) => /^<\d+-[0-9a-z]+-1\.([\w-]{16})@[\w.]+>$/.exec(id)?.[1]);
      assert.equal(new Set(tokens).size, 2, ids.join());
      assert.ok(!tokens.includes(undefined), ids.join());
    });

    it('a mailbox that refuses one message is not blocked', async () => {
      await using sb = await openDelivery(engine, {
        channel: 'email',
        open: openSmtp,
        credentials: ({ url }) => ({ address: url, username: USER, token: PASSWORD }),
      });
      sb.peer.next({ at: 'recipient', reply: '550 5.7.1 Looks like spam' });
      const id = await sb.send('Hello', 'here@example.com');
      assert.equal((await sb.settled(id)).state, 'failed');
      assert.deepEqual((await sb.app.get('/1/consents')).body.data, []);
    });
  });
}
