import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  type SandboxService,
  type SandboxTest,
  openSandboxes,
} from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';

interface Line {
  kind: string;
  data: Record<string, unknown>;
}

/** The lines of an export, without the last one, which must count them. */
async function exported({ app }: Pick<SandboxTest, 'app'>, id: number): Promise<Line[]> {
  const { status, text } = await app.request('GET', `/1/contacts/${id}/export`);
  assert.equal(status, 200);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const end = lines.pop();
  assert.deepEqual(end, { kind: 'end', data: { lines: lines.length } });
  return lines;
}

const of = (lines: readonly Line[], kind: string) =>
  lines.filter((line) => line.kind === kind).map(({ data }) => data);

for (const engine of ENGINES) {
  describe(`the export of a contact (${engine})`, () => {
    let sandboxes: SandboxService;
    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    const write = async (
      sandbox: SandboxTest,
      fields: { text: string; [name: string]: unknown },
    ) => {
      await sandbox.act('reply', fields);
      return sandbox.event(
        fields.text,
        ({ type, data }) =>
          type === 'message.received' && JSON.stringify(data).includes(fields.text),
      );
    };

    it('the export of a contact has both directions, attempts, reports, events, consents and files', async () => {
      const sandbox = await sandboxes.open('whatsapp');
      const { app } = sandbox;
      const bytes = Buffer.from('a picture of seven to nine bytes');
      const media = { type: 'Image', data: bytes.toString('base64'), media_type: 'image/png' };
      const received = await write(sandbox, { text: 'where is my order?', media });
      const from = (received.data as { actor: { id: string } }).actor.id;
      const address = { channel: 'sandbox.whatsapp', address: from };
      const { body: contact } = await app.post('/1/contacts', {
        name: 'Ada',
        fields: { plan: 'gold' },
        addresses: [address],
      });
      const stop = { family: 'sandbox.whatsapp', address: from, scope: 'marketing' };
      await app.post('/1/consents', { ...stop, state: 'revoked', evidence: 'letter of 3 May' });
      const id = await sandbox.send({ type: 'Note', content: 'on its way' }, from);
      await sandbox.message(id, ({ state }) => state === 'delivered' || state === 'read');
      // Another person.
      await sandbox.send({ type: 'Note', content: 'not for Ada' }, '15558675399');

      const lines = await exported(sandbox, contact.id);
      assert.deepEqual(of(lines, 'contact'), [contact]);
      const [consent] = of(lines, 'consent');
      assert.deepEqual([consent?.['scope'], consent?.['state']], ['marketing', 'revoked']);
      assert.deepEqual(
        of(lines, 'message').map((one) => one['id']),
        [id],
      );
      assert.ok(of(lines, 'attempt').every((one) => one['message_id'] === id));
      assert.ok(of(lines, 'attempt').length > 0);
      assert.ok(of(lines, 'receipt').some((one) => one['state'] === 'delivered'));
      const types = of(lines, 'event').map((one) => one['type']);
      for (const type of ['message.received', 'message.sent', 'contact.created', 'consent.revoked'])
        assert.ok(types.includes(type), type);
      const files = of(lines, 'file');
      assert.ok(
        files.some(({ content }) => content === bytes.toString('base64')),
        JSON.stringify(files),
      );
      assert.ok(files.every(({ error }) => error === null));
      assert.ok(of(lines, 'sandbox').length >= 2);
      assert.ok(!JSON.stringify(lines).includes('not for Ada'));
    });

    it('the export of a contact recognizes an address in every notation', async () => {
      const sandbox = await sandboxes.open('email');
      const to = 'Ada.L@Example.com';
      const id = await sandbox.send({ type: 'Note', content: 'hello' }, to);
      await sandbox.message(id, ({ state }) => state === 'sent');
      const address = { channel: 'sandbox.email', address: 'ada.l@example.com' };
      const { body: contact } = await sandbox.app.post('/1/contacts', { addresses: [address] });
      const lines = await exported(sandbox, contact.id);
      assert.deepEqual(
        of(lines, 'message').map((one) => one['id']),
        [id],
      );
      const types = of(lines, 'event').map((one) => one['type']);
      assert.ok(types.includes('message.sent'));
    });

    it('the export of a contact has what is stored about contacts that were merged into it', async () => {
      const { app } = await sandboxes.open('telegram');
      const { body: contact } = await app.post('/1/contacts', { external_id: 'a', name: 'Ada' });
      const fields = { plan: 'silver' };
      const { body: other } = await app.post('/1/contacts', { name: 'A. Lovelace', fields });
      await app.post(`/1/contacts/${contact.id}/merge`, { contact_id: other.id });
      const [merge, ...more] = of(await exported({ app }, contact.id), 'merge');
      assert.deepEqual(
        [merge?.['contact_id'], merge?.['name'], merge?.['fields'], merge?.['evidence']],
        [other.id, 'A. Lovelace', fields, 'api'],
      );
      assert.deepEqual(more, []);
    });

    it('the export of a contact without messages has only the contact', async () => {
      const sandbox = await sandboxes.open('telegram');
      const { body: contact } = await sandbox.app.post('/1/contacts', { name: 'Ada' });
      const kinds = (await exported(sandbox, contact.id)).map(({ kind }) => kind);
      assert.deepEqual(kinds, ['contact', 'event']);
      const missing = await sandbox.app.get('/1/contacts/9999999/export');
      assert.deepEqual([missing.status, missing.body.code], [404, 'not_found']);
    });
  });
}
