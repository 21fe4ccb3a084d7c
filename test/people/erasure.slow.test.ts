import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';

import { ErasureWorker } from '../../src/accept/contacts/erasure-worker.ts';
import type { EngineName } from '../../src/store/schema.ts';
import type { Client } from '../support/service/client.ts';
import { feedOf } from '../support/service/feed.ts';
import {
  type SandboxService,
  type SandboxTest,
  openSandboxes,
} from '../support/service/sandbox.ts';
import type { TestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const note = (content: string) => ({ type: 'Note', content });

/** Starts the erasure, and waits for its end. */
async function erase(app: Client, id: number) {
  const begun = await app.post(`/1/contacts/${id}/erase`);
  assert.deepEqual([begun.status, begun.body.state], [202, 'running']);
  assert.equal((await app.get(`/1/contacts/${id}`)).status, 404);
  return until('the erasure', async () => {
    const { body } = await app.get(`/1/contacts/${id}/erasure`);
    return body.state === 'done' && body;
  });
}

/** A person who writes and is written to. */
async function meet(sandbox: SandboxTest, text: string, more: Record<string, unknown> = {}) {
  await sandbox.act('reply', { text, ...more });
  const { data } = await sandbox.event(
    text,
    (event) => event.type === 'message.received' && JSON.stringify(event.data).includes(text),
  );
  return (data as { actor: { id: string } }).actor.id;
}

async function send(sandbox: SandboxTest, text: string, to: string) {
  const id = await sandbox.send(note(text), to);
  await sandbox.message(id, ({ state }) => state !== 'queued' && state !== 'sending');
  return id;
}

/** The tables, or files, in which one of the texts is found. */
async function traces(engine: EngineName, { store, database }: TestService, texts: string[]) {
  if (engine === 'sqlite') {
    return readdirSync(database.folder).filter((name) => {
      const content = readFileSync(join(database.folder, name));
      return texts.some((text) => content.includes(text));
    });
  }
  const { db } = store.engine;
  const { rows: tables } = await sql<{ name: string }>`select table_name as name
    from information_schema.tables where table_schema = 'public'`.execute(db);
  const found: string[] = [];
  for (const { name } of tables) {
    for (const text of texts) {
      const { rows } = await sql`select 1 from ${sql.table(name)} as row
        where position(${text} in row::text) > 0 limit 1`.execute(db);
      if (rows.length > 0) found.push(`${name}: ${text}`);
    }
  }
  return found;
}

/** The files of tables and indexes in which one of the texts is found, once vacuumed. */
async function tracesInHeap({ store }: TestService, texts: string[]) {
  const { db } = store.engine;
  await sql`vacuum full`.execute(db);
  await sql`checkpoint`.execute(db);
  const found: unknown[] = [];
  for (const text of texts) {
    const { rows } = await sql`select relname from pg_class
      where relkind in ('r', 'i', 't') and relnamespace <> 'pg_catalog'::regnamespace
        and position(convert_to(${text}, 'UTF8') in
          coalesce(pg_read_binary_file(pg_relation_filepath(oid), 0, 1000000000, true), '')) > 0`.execute(
      db,
    );
    found.push(...rows);
  }
  return found;
}

for (const engine of ENGINES) {
  describe(`the erasure of a contact (${engine})`, () => {
    let sandboxes: SandboxService;
    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    it('an erasure leaves no trace of the person in the store, on disk and in the log', async () => {
      const { service } = sandboxes;
      const whatsapp = await sandboxes.open('whatsapp');
      const { app, applicationId, integrationId } = whatsapp;
      await service.api.put(`/1/applications/${applicationId}`, {
        webhook_url: 'https://hooks.sandbox.test/events',
      });
      const canary = `canary${randomBytes(8).toString('hex')}`;
      const canaries = [canary];
      const mark = (what: string) => `${canary}-${what}`;
      const data = Buffer.from(`picture ${mark('bytes')} `.repeat(500));
      const media = { type: 'Image', data: data.toString('base64'), media_type: 'image/png' };
      const number = await meet(whatsapp, mark('inbound'), {
        media: { ...media, name: mark('file') },
      });
      canaries.push(number);
      const address = `${canary}@Example.com`;
      const { body: mail } = await app.post('/1/integrations', {
        application_id: applicationId,
        name: 'email',
        state: 'enable',
        mode: 'sandbox',
      });
      const { body: contact } = await app.request('POST', '/1/contacts', {
        json: {
          external_id: mark('external'),
          name: `Ada ${mark('name')}`,
          fields: { [mark('field')]: mark('value') },
          addresses: [
            { channel: 'sandbox.whatsapp', address: number, label: mark('label') },
            { channel: 'sandbox.email', address },
          ],
        },
        headers: { 'Idempotency-Key': 'contact-1' },
      });
      // Another contact that was the same person, and rows of a file that could not be imported.
      const { body: merged } = await app.request('POST', '/1/contacts', {
        json: {
          name: mark('merged'),
          fields: { note: mark('note') },
          addresses: [{ channel: 'sandbox.email', address: `second-${address}` }],
        },
        headers: { 'Idempotency-Key': 'contact-2' },
      });
      await app.post(`/1/contacts/${contact.id}/merge`, { contact_id: merged.id });
      const rows = [
        'external_id,name,timezone,sandbox.email',
        `${mark('row')},${mark('row')},Mars/Olympus,row-${address}`,
        `${mark('row')},${mark('row')},,no-address-${canary}`,
      ];
      const { body: imported } = await app.request('POST', '/1/contact-imports', {
        raw: rows.join('\n'),
        headers: { 'content-type': 'text/csv' },
      });
      await until('the import', async () => {
        const { body } = await app.get(`/1/contact-imports/${imported.id}`);
        return body.failed === 2 && body.state === 'done';
      });
      const stop = { family: 'sandbox.email', address, state: 'revoked', scope: 'marketing' };
      await app.post('/1/consents', { ...stop, evidence: mark('evidence') });
      // Both sides of two conversations, long and short.
      await send(whatsapp, mark('outbound').repeat(300), number);
      await send(whatsapp, mark('again'), number);
      const mailed = {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id: mail.id },
        to: { type: 'Person', id: address },
        object: { type: 'Note', id: mark('object'), name: mark('title'), content: mark('mail') },
      };
      const { body: sent } = await app.request('POST', '/1/message', {
        json: { message: mailed },
        headers: { 'Idempotency-Key': mark('key') },
      });
      await whatsapp.message(sent.id, ({ state }) => state === 'sent');
      const later = new Date(Date.now() + DAY_MS).toISOString();
      const { body: planned } = await app.post('/1/message', { message: mailed, send_at: later });
      assert.equal(planned.state, 'scheduled');
      await app.get('/1/conversations');
      // Somebody else, who must stay.
      const other = await send(whatsapp, 'somebody else', '15558675399');
      const visitor = { applicationId, integrationId, visitor: number };
      await service.store.chatFiles.insert({
        ...visitor,
        id: mark('chat-file'),
        name: mark('chat-name'),
        mediaType: 'image/png',
        size: data.length,
        createdAt: Date.now(),
        bytes: data,
      });
      await until('the webhook has a copy', async () => {
        const { body } = await service.api.get(
          `/1/applications/${applicationId}/webhook/deliveries`,
        );
        return body.data.length > 0;
      });
      assert.ok((await traces(engine, service, [canary])).length > 0, 'the search finds canaries');

      const { messages, events } = await erase(app, contact.id);
      assert.ok(messages >= 4 && events >= 4, `${messages} ${events}`);
      // The write-ahead log is emptied when the service is idle.
      await until('no trace', async () => (await traces(engine, service, canaries)).length === 0);
      if (engine === 'postgres') assert.deepEqual(await tracesInHeap(service, canaries), []);
      assert.ok(!service.logs.some((line) => canaries.some((text) => line.includes(text))));

      assert.equal((await app.get(`/1/messages/${other}`)).status, 200);
      const [{ to }] = (await app.get('/1/conversations')).body.data;
      assert.equal(to, '15558675399');
      const types = (await feedOf(app)).map(({ type }) => type);
      assert.ok(types.includes('contact.erased'));
      assert.equal((await app.post(`/1/contacts/${contact.id}/erase`)).status, 202);
      assert.equal((await app.post('/1/contacts/9999999/erase')).status, 404);
      const { body: audit } = await service.api.get('/1/audit');
      assert.ok(audit.data.some((entry: { action: string }) => entry.action === 'contact.erased'));
    });

    it('an erasure does not undo a stop, and neither does a later import', async () => {
      const sandbox = await sandboxes.open('vonage');
      const { app } = sandbox;
      const number = await meet(sandbox, 'STOP');
      await sandbox.event('the stop', ({ type }) => type === 'consent.revoked');
      const address = { channel: 'sandbox.sms', address: `+${number.replace(/^\+/, '')}` };
      const create = async () =>
        (await app.post('/1/contacts', { addresses: [address] })).body.id as number;
      await erase(app, await create());
      const [consent] = (await app.get('/1/consents')).body.data;
      assert.equal(consent.state, 'revoked');
      assert.ok(!JSON.stringify(consent).includes(number));

      const again = await create();
      const message = {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id: sandbox.integrationId },
        to: { type: 'Person', id: `contact:${again}` },
        object: note('hello again'),
      };
      const sendAgain = () => app.post('/1/message', { message });
      const refused = await sendAgain();
      assert.deepEqual([refused.status, refused.body.code], [422, 'recipient_suppressed']);
      const line = { family: 'sandbox.sms', address: address.address, state: 'granted' };
      const { body: imported } = await app.request('POST', '/1/consents/import', {
        raw: `${JSON.stringify(line)}\n`,
        headers: { 'content-type': 'application/x-ndjson' },
      });
      assert.deepEqual([imported.imported, imported.failed], [0, 1]);
      const granted = await app.post('/1/consents', line);
      assert.deepEqual([granted.status, granted.body.code], [409, 'consent_erased']);
      assert.equal((await sendAgain()).status, 422);
      // The person decides.
      await meet(sandbox, 'START');
      await sandbox.event('the start', ({ type }) => type === 'consent.granted');
      assert.equal((await sendAgain()).status, 202);
    });

    it('an erasure continues after a crash at any step, on several nodes at once', async () => {
      const sandbox = await sandboxes.open('telegram');
      const { app, applicationId } = sandbox;
      const { store } = sandboxes.service;
      const ada = await meet(sandbox, 'hello there');
      for (let i = 0; i < 5; i++) await send(sandbox, `message ${i}`, ada);
      await app.put(`/1/integrations/${sandbox.integrationId}`, {
        name: 'telegram',
        state: 'disable',
      });
      const addresses = [{ channel: 'sandbox.telegram', address: ada }];
      const { body: contact } = await app.post('/1/contacts', { addresses });
      await app.post(`/1/contacts/${contact.id}/erase`);
      const later = Date.now() + 60_000;
      const node = () => new ErasureWorker(store, () => {}).run(later);
      await until('the erasure', async () => {
        await Promise.all([node(), node()]);
        const erasure = await store.erasures.get(applicationId, contact.id);
        return erasure?.finishedAt ?? false;
      });
      const erasure = (await app.get(`/1/contacts/${contact.id}/erasure`)).body;
      assert.deepEqual([erasure.state, erasure.messages], ['done', 5]);
      const { body: left } = await app.get('/1/messages');
      assert.deepEqual(left.data, []);
      const types = (await feedOf(app)).map(({ type }) => type);
      assert.deepEqual(types, ['contact.erased']);
      assert.equal((await store.erasures.get(applicationId, contact.id))?.subject, null);
    });
  });
}
