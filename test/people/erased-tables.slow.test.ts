import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import type { Store } from '../../src/store/store.ts';
import { TABLES } from '../../src/store/tables.ts';
import { type SandboxTest, openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

type Table = keyof typeof TABLES;

/**
 * What an erasure does with each table: `removed` ones contain the person before and not after, `digest` only as keyed
 * digests, `sealed` until the end and encrypted. The others contain ids, counts or settings, but no people: `ids`,
 * `none`. `users` are those of the team.
 */
const DECISIONS: Record<Table, 'removed' | 'digest' | 'sealed' | 'ids' | 'none' | 'users'> = {
  teams: 'none',
  users: 'users',
  emails: 'users',
  signInLinks: 'users',
  spentTickets: 'none',
  signInAttempts: 'none',
  signInAddresses: 'users',
  keys: 'none',
  sessions: 'users',
  invitations: 'users',
  auditEntries: 'ids',
  applications: 'none',
  retentions: 'none',
  // The faults that a simulated person has.
  integrations: 'removed',
  outbox: 'removed',
  attempts: 'removed',
  routes: 'removed',
  pools: 'none',
  poolMembers: 'none',
  poolRecipients: 'removed',
  lanes: 'removed',
  nodes: 'none',
  // The texts of errors.
  ownerships: 'removed',
  feeds: 'none',
  events: 'removed',
  endpoints: 'none',
  receivedKeys: 'removed',
  parts: 'removed',
  watermarks: 'removed',
  ignored: 'none',
  consents: 'digest',
  consentChanges: 'digest',
  contacts: 'removed',
  addresses: 'removed',
  contactTerms: 'removed',
  conversations: 'removed',
  conversationEvents: 'ids',
  contactMerges: 'removed',
  contactSeparations: 'ids',
  contactImports: 'none',
  importBlocks: 'removed',
  importErrors: 'removed',
  projections: 'none',
  digestKeys: 'none',
  erasures: 'sealed',
  aliases: 'removed',
  addressMoves: 'removed',
  windows: 'removed',
  costs: 'ids',
  costTotals: 'none',
  templates: 'none',
  templateVersions: 'none',
  vendorTemplates: 'none',
  templateSyncs: 'none',
  chatVisitors: 'removed',
  chatEntries: 'removed',
  chatFiles: 'removed',
  sandboxMessages: 'removed',
  sandboxReports: 'removed',
  sandboxFiles: 'removed',
  statistics: 'none',
  jobs: 'removed',
  idempotency: 'removed',
  purges: 'none',
  ringMarker: 'none',
};

const contains = (value: unknown, text: string): boolean =>
  (typeof value === 'string' && value.includes(text)) ||
  (value instanceof Uint8Array && Buffer.from(value).includes(text));

/** The tables with a row that contains one of the texts. */
async function tablesWith({ engine }: Store, texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const table of Object.keys(TABLES) as Table[]) {
    const rows: object[] = await engine.db.selectFrom(table).selectAll().execute();
    const values = rows.flatMap((row): unknown[] => Object.values(row));
    if (texts.some((text) => values.some((value) => contains(value, text)))) found.push(table);
  }
  return found.toSorted();
}

/** Rows that only some channels write, or that are there for moments only. */
async function plant(
  { applicationId, integrationId, service }: SandboxTest,
  person: string,
  mark: (what: string) => string,
): Promise<void> {
  const { db } = service.store.engine;
  const now = Date.now();
  const later = now + 1_000_000_000;
  const place = { applicationId, integrationId };
  const lane = { recipient: person, dueAt: later, messageId: null, version: 0, reason: null };
  await db
    .insertInto('lanes')
    .values({ ...place, ...lane })
    .execute();
  const watermark = { recipient: person, state: 'read', upTo: now } as const;
  await db
    .insertInto('watermarks')
    .values({ ...place, ...watermark })
    .execute();
  await db
    .insertInto('aliases')
    .values({ ...place, alias: mark('alias'), address: person, createdAt: now })
    .execute();
  const move = { former: mark('former'), recipient: person, consentKey: null, contactIds: null };
  await db
    .insertInto('addressMoves')
    .values({ ...place, ...move, dueAt: later })
    .execute();
  await db
    .insertInto('receivedKeys')
    .values({ ...place, key: `${person}:1`, createdAt: now })
    .execute();
  const report = {
    state: 'failed',
    code: null,
    detail: `no such number: ${person}`,
    block: null,
  } as const;
  const unsent = { messageId: null, recipient: null, sentAt: null, pending: 0 } as const;
  await db
    .insertInto('parts')
    .values({ ...place, channelId: 'unknown', ...report, ...unsent, createdAt: now })
    .execute();
  const pool = {
    applicationId,
    name: 'pool',
    strategy: 'order',
    failoverMs: 1,
    createdAt: now,
  } as const;
  await db
    .insertInto('pools')
    .values({ ...pool, id: 999, updatedAt: now })
    .execute();
  await db
    .insertInto('poolRecipients')
    .values({ ...place, poolId: 999, recipient: person, updatedAt: now })
    .execute();
  const visitor = { ...place, visitor: person, createdAt: now };
  const counts = { last: 1, delivered: 0, read: 0, typingAt: null, seenAt: now };
  await db
    .insertInto('chatVisitors')
    .values({ ...visitor, ...counts })
    .execute();
  const entry = { number: 1, version: 1, id: 'entry', author: 'visitor', reply: null } as const;
  await db
    .insertInto('chatEntries')
    .values({ ...visitor, ...entry, changedAt: null, body: mark('chat') })
    .execute();
  const file = { id: mark('file'), name: mark('name'), mediaType: 'text/plain', size: 1 };
  await db
    .insertInto('chatFiles')
    .values({ ...visitor, ...file, bytes: Buffer.from(mark('bytes')) })
    .execute();
  await db
    .insertInto('sandboxReports')
    .values({
      ...place,
      id: 999_999,
      createdAt: now,
      dueAt: later,
      body: JSON.stringify({ to: person }),
    })
    .execute();
  await db
    .updateTable('ownerships')
    .set({ lastError: `refused for ${person}` })
    .where('integrationId', '=', integrationId)
    .execute();
  const filter = JSON.stringify({ recipient: person });
  const progress = {
    total: 0,
    done: 0,
    orphaned: 0,
    changed: 0,
    afterAt: 0,
    afterId: 0,
    node: null,
  };
  const job = { id: 999_999, kind: 'resend', state: 'done', filter, wanted: filter } as const;
  const dated = { createdAt: now, updatedAt: now, finishedAt: now };
  await db
    .insertInto('jobs')
    .values({ applicationId, ...job, ...progress, ...dated })
    .execute();
  await plantImport(service.store, applicationId, person, mark);
}

/** A file that still arrives, so that no node imports it. */
async function plantImport(
  { contactImports }: Store,
  applicationId: number,
  person: string,
  mark: (what: string) => string,
): Promise<void> {
  const file = { applicationId, id: 999_999 };
  await contactImports.insert(file, Date.now());
  const address = { family: 'sandbox.whatsapp', integrationId: 0, address: `+${person}` };
  const own = { line: 2, contact: { name: mark('imported') }, addresses: [address] };
  const named = { line: 3, contact: { externalId: mark('external') }, addresses: [] };
  const other = { line: 4, contact: { externalId: 'other' }, addresses: [] };
  await contactImports.addBlock(
    file,
    0,
    [own, named, other].map((row) => JSON.stringify(row)),
  );
  await contactImports.addErrors(file, [
    { line: 5, detail: `belongs to ${person}` },
    { line: 6, detail: 'is not JSON' },
  ]);
}

describe('the tables of the store', () => {
  it('an erasure decides on each of them', () => {
    assert.deepEqual(Object.keys(DECISIONS).toSorted(), Object.keys(TABLES).toSorted());
  });

  for (const engine of ENGINES) {
    it(`an erasure removes the person from each of them (${engine})`, async () => {
      await using sandboxes = await openSandboxes(engine);
      const sandbox = await sandboxes.open('whatsapp');
      const { service, app, applicationId, integrationId } = sandbox;
      const canary = `canary${randomBytes(8).toString('hex')}`;
      const mark = (what: string) => `${canary}-${what}`;
      const media = { type: 'Image', data: Buffer.from(mark('bytes')).toString('base64') };
      await sandbox.act('reply', {
        text: mark('inbound'),
        media: { ...media, media_type: 'image/png', name: mark('picture') },
      });
      const { data } = await sandbox.event('the text', ({ type }) => type === 'message.received');
      const person = (data as { actor: { id: string } }).actor.id;
      const address = { channel: 'sandbox.whatsapp', address: person };
      const { body: contact } = await app.post('/1/contacts', {
        external_id: mark('external'),
        name: mark('name'),
        addresses: [address],
      });
      const { body: other } = await app.post('/1/contacts', {
        name: mark('other'),
        fields: { note: mark('note') },
        addresses: [{ channel: 'sandbox.email', address: `${canary}@example.com` }],
      });
      await app.post(`/1/contacts/${contact.id}/merge`, { contact_id: other.id });
      const revoked = {
        family: 'sandbox.email',
        address: `${canary}@example.com`,
        scope: 'marketing',
      };
      await app.post('/1/consents', { ...revoked, state: 'revoked', evidence: mark('evidence') });
      const { body: mail } = await app.post('/1/integrations', {
        application_id: applicationId,
        name: 'email',
        state: 'enable',
        mode: 'sandbox',
      });
      const routes = [
        { via: integrationId, after: 'PT1M' },
        { via: mail.id, to: `${canary}@example.com` },
      ];
      const message = {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id: integrationId },
        to: { type: 'Person', id: person },
        object: { type: 'Note', content: mark('outbound') },
      };
      const { body: sent, status } = await app.request('POST', '/1/message', {
        json: { message, routes },
        headers: { 'Idempotency-Key': mark('key') },
      });
      assert.equal(status, 202, JSON.stringify(sent));
      await sandbox.message(sent.id, ({ state }) => !['queued', 'sending'].includes(state));
      await app.put(`/1/sandbox/${integrationId}/behaviour`, {
        behaviours: [
          { fault: 'slow', to: person },
          { fault: 'slow', to: '15550009999' },
        ],
      });
      await plant(sandbox, person, mark);
      await app.get('/1/conversations');

      const texts = [canary, person.replace(/^\+/, '')];
      const wanted = (Object.keys(DECISIONS) as Table[]).filter((table) =>
        ['removed', 'digest'].includes(DECISIONS[table]),
      );
      assert.deepEqual(await tablesWith(service.store, texts), wanted.toSorted());
      assert.equal((await app.post(`/1/contacts/${contact.id}/erase`)).status, 202);
      await until('the erasure', async () => {
        const { body } = await app.get(`/1/contacts/${contact.id}/erasure`);
        return body.state === 'done';
      });
      assert.deepEqual(await tablesWith(service.store, texts), []);

      const { db } = service.store.engine;
      const [block] = await db.selectFrom('importBlocks').selectAll().execute();
      assert.match(block?.rows ?? '', /"other"/);
      const file = { applicationId, id: 999_999 };
      const errors = await service.store.contactImports.errors(file, 0, 9);
      assert.deepEqual(
        errors.map(({ line }) => line),
        [6],
      );
      const { body: people } = await app.get(`/1/sandbox/${integrationId}`);
      assert.equal(people.behaviours.length, 1);
    });
  }
});
