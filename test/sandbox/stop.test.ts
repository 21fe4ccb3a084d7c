import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type SandboxService, openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';

/* People stop and resume messages by a word; the vendor reports it as any other message. */
for (const engine of ENGINES) {
  describe(`stopping by a word (${engine})`, () => {
    let sandboxes: SandboxService;
    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    const note = { type: 'Note', content: 'Your order is on its way.' };

    async function open(channel: string) {
      const sandbox = await sandboxes.open(channel);
      const { app, integrationId, simulator } = sandbox;
      const [{ address }] = simulator.people;
      return {
        ...sandbox,
        write: (text: string) => sandbox.act('reply', { from: address, text }),
        code: async () => {
          const generator = { type: 'Service', id: integrationId };
          const to = { type: 'Person', id: address };
          const context = 'https://www.w3.org/ns/activitystreams';
          const message = { '@context': context, type: 'Create', generator, to, object: note };
          const { status, body } = await app.post('/1/message', { message });
          return status === 202 ? 'accepted' : body.code;
        },
      };
    }

    it('STOP ends all messages to the number, and START resumes them', async () => {
      const sandbox = await open('twilio');
      assert.equal(await sandbox.code(), 'accepted');
      await sandbox.write('Stop.');
      await sandbox.event('the stop', ({ type }) => type === 'consent.revoked');
      assert.equal(await sandbox.code(), 'recipient_suppressed');
      const { body } = await sandbox.app.get('/1/consents');
      const [consent] = body.data;
      assert.deepEqual(
        [consent.family, consent.scope, consent.state, consent.source, consent.evidence],
        ['sandbox.sms', 'all', 'revoked', 'keyword', 'Stop.'],
      );
      await sandbox.write('START');
      await sandbox.event('the consent', ({ type }) => type === 'consent.granted');
      assert.equal(await sandbox.code(), 'accepted');
    });

    it('Twilio answers STOP itself, and refuses messages until START', async () => {
      const sandbox = await open('twilio');
      const { app, applicationId } = sandbox;
      const policy = { consent: { allow_transactional: true } };
      const { api } = sandboxes.service;
      const set = await api.put(`/1/applications/${applicationId}/policies`, policy);
      assert.equal(set.status, 204, set.text);
      const answers = async () =>
        (await sandbox.phone()).filter(({ author }) => author === 'application');
      await sandbox.write('stop');
      assert.equal((await answers()).length, 1);
      const refused = await sandbox.send(note);
      const { error } = await sandbox.message(refused, ({ state }) => state === 'failed');
      assert.equal(error.code, 'recipient');
      const { body } = await app.get(`/1/messages/${refused}/attempts`);
      assert.match(body.data[0].answer, /21610/);
      assert.equal((await answers()).length, 1, 'it arrived');
      await sandbox.write('UNSTOP');
      assert.equal((await answers()).length, 2);
      const id = await sandbox.send(note);
      await sandbox.message(id, ({ state }) => state === 'delivered');
      await sandbox.write('yes');
      assert.equal((await answers()).length, 3, 'it answers a word that means nothing now');
    });

    it('the word is also received as a message', async () => {
      const sandbox = await open('twilio');
      await sandbox.write('STOP');
      const event = await sandbox.event('the message', ({ type }) => type === 'message.received');
      assert.equal(event.data.object.content, 'STOP');
    });

    it('a text that contains the word stops nothing', async () => {
      const sandbox = await open('twilio');
      await sandbox.write('Please do not stop');
      await sandbox.event('the message', ({ type }) => type === 'message.received');
      assert.equal(await sandbox.code(), 'accepted');
      assert.deepEqual((await sandbox.app.get('/1/consents')).body.data, []);
    });

    it('the word means nothing on a channel without stop words', async () => {
      const sandbox = await open('telegram');
      await sandbox.write('STOP');
      await sandbox.event('the message', ({ type }) => type === 'message.received');
      assert.equal(await sandbox.code(), 'accepted');
    });
  });
}
