import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  DESKTOP,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { until } from '../support/until.ts';

/* The page of one message, and the export of the message log. */

const SECRET = 'a-fake-identity-key-of-32-bytes-or-more';
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const NARROW = { ...DARK_PHONE, viewport: { width: 360, height: 780 } };

describe('console: message page', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let app: Client;
  let log: string;
  /** Integrations: one that sends, one without visitors. */
  const via = { chat: 0, closed: 0 };

  async function send(integration: number, to: string, object: object): Promise<number> {
    const generator = { type: 'Service', id: String(integration) };
    const { body } = await app.post(
      '/1/message',
      message({ generator, to: { type: 'Person', id: to }, object }),
    );
    return body.id;
  }

  const reaches = (id: number, state: string) =>
    until(`message ${id} is ${state}`, async () => {
      const { body } = await app.get(`/1/messages/${id}`);
      return body.state === state;
    });

  before(async () => {
    console = await openConsole();
    const { application, app: client } = await console.service.application({
      name: 'drawn-messages',
    });
    app = client;
    log = `/app/applications/${application.id}/messages`;
    const make = async (fields: object) =>
      (await integrate(app, application.id, { token: undefined, ...fields })).id;
    via.chat = await make({ name: 'webmessenger', secret: SECRET });
    via.closed = await make({ name: 'webmessenger' });
  });
  after(() => console[Symbol.asyncDispose]());

  const overflow = (page: Page) =>
    page.evaluate<number>(
      'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
    );

  for (const [where, options] of [
    ['light, desktop', LIGHT],
    ['dark, narrow phone', NARROW],
  ] as const) {
    it(`a message is drawn as the recipient sees it (${where})`, async () => {
      const id = await send(via.chat, 'ada', {
        type: 'Note',
        mediaType: 'text/markdown',
        content: 'Your *order* is **ready**: [details](https://example.com/orders/4711)\n\n`A-17`',
        inReplyTo: 'greeting-1',
        attachment: [
          { type: 'Image', url: 'https://example.com/parcel.png', mediaType: 'image/png' },
          { type: 'Document', url: `https://example.com/${'long-name-'.repeat(12)}.pdf` },
          { type: 'Place', latitude: 52.5163, longitude: 13.3777, name: 'Pickup point' },
          { type: 'Button', name: 'Track parcel', url: 'https://example.com/track' },
          { type: 'Button', name: 'Later', value: 'later' },
        ],
      });
      await reaches(id, 'sent');
      await using visit = await console.open(`${log}/${id}`, options);
      const { page } = visit;
      const bubble = page.getByTestId('bubble');
      await bubble.locator('strong', { hasText: 'ready' }).waitFor();
      await bubble.locator('em', { hasText: 'order' }).waitFor();
      await bubble.locator('code', { hasText: 'A-17' }).waitFor();
      const link = bubble.getByRole('link', { name: /^details/ });
      assert.equal(await link.getAttribute('href'), 'https://example.com/orders/4711');
      for (const part of ['quote', 'file-image', 'file-document', 'place', 'buttons']) {
        await bubble.getByTestId(part).waitFor();
      }
      assert.equal(await bubble.getByTestId('buttons').getByRole('listitem').count(), 2);
      await page.locator('[data-receipt="sent"] time').waitFor();
      assert.equal(await page.locator('[data-receipt="read"] time').count(), 0);
      assert.ok((await overflow(page)) <= 0);
      assert.deepEqual(await axeFaults(page), []);
      assertFaultless(visit);
    });
  }

  it('an image of a message is drawn, or a placeholder if it cannot be loaded', async () => {
    const server = createServer(({ url }, response) => {
      response.writeHead(url === '/pixel.png' ? 200 : 404).end(url === '/pixel.png' ? PIXEL : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const attachment = ['pixel.png', 'missing.png'].map((name) => ({
        type: 'Image',
        url: `${site}/${name}`,
      }));
      const id = await send(via.chat, 'ida', { type: 'Note', content: 'Look', attachment });
      await using visit = await console.open(`${log}/${id}`, NARROW);
      const { page } = visit;
      const drawn = page.getByTestId('drawn-image');
      await drawn.waitFor();
      assert.match((await drawn.getAttribute('src')) ?? '', /^blob:/);
      assert.equal(await page.getByTestId('file-image').count(), 2);
      assert.equal(await drawn.count(), 1);
      assert.deepEqual(await axeFaults(page), []);
      assertFaultless(visit);
    } finally {
      server.close();
    }
  });

  it('markup in a message is never run', async () => {
    const content =
      '<b>Bold</b><img src=x onerror="alert(1)"><script>alert(2)</script><a href="javascript:alert(3)">go</a>';
    const id = await send(via.chat, 'eve', { type: 'Note', mediaType: 'text/html', content });
    await using visit = await console.open(`${log}/${id}`, DESKTOP);
    const bubble = visit.page.getByTestId('bubble');
    await bubble.locator('strong', { hasText: 'Bold' }).waitFor();
    assert.equal(await bubble.locator('img, script, a[href^="javascript"]').count(), 0);
    assertFaultless(visit);
  });

  it('the neighbors of a message are linked', async () => {
    const ids: number[] = [];
    for (const content of ['First', 'Second', 'Third']) {
      ids.push(await send(via.chat, 'lane', { type: 'Note', content }));
    }
    // To another recipient, and so not a neighbor.
    await send(via.chat, 'lane-2', { type: 'Note', content: 'Other' });
    await using visit = await console.open(`${log}/${ids[1]}`, LIGHT);
    const { page } = visit;
    const neighbor = (place: string) => page.locator(`[data-neighbor="${place}"]`);
    await neighbor('previous').getByText('First').waitFor();
    await neighbor('next').getByText('Third').waitFor();
    await neighbor('next').getByRole('link').click();
    await page.waitForURL(`**${log}/${ids[2]}`);
    await neighbor('previous').getByText('Second').waitFor();
    assert.equal(await neighbor('next').getByRole('link').count(), 0);
    assertFaultless(visit);
  });

  it('the timeline shows how long a message waited for the rate limit', async () => {
    const id = await send(via.chat, 'slow', { type: 'Note', content: 'Slow' });
    await reaches(id, 'sent');
    const { db } = console.service.store.engine;
    // As if it had been accepted 90 s ago, and an attempt 80 s ago had been limited.
    const now = Date.now();
    await db
      .updateTable('outbox')
      .set({ createdAt: now - 90_000 })
      .where('id', '=', id)
      .execute();
    const attempts = await db
      .selectFrom('attempts')
      .selectAll()
      .where('messageId', '=', id)
      .execute();
    const [sent] = attempts;
    assert.ok(sent);
    await db
      .updateTable('attempts')
      .set({ number: 2, startedAt: now })
      .where('messageId', '=', id)
      .execute();
    await db
      .insertInto('attempts')
      .values({ ...sent, number: 1, outcome: 'limited', startedAt: now - 80_000, duration: 0 })
      .execute();
    await using visit = await console.open(`${log}/${id}`, LIGHT);
    const { page } = visit;
    await page.locator('[data-step="waited-rate_limit"]').getByText(/80 s/).waitFor();
    await page.locator('[data-step="waited-first_attempt"]').getByText(/10 s/).waitFor();
    await page.getByTestId('waited').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  for (const [where, options] of [
    ['desktop', LIGHT],
    ['narrow phone', NARROW],
  ] as const) {
    it(`the list of failures shows the whole reason (${where})`, async () => {
      const id = await send(via.closed, 'nobody', { type: 'Note', content: 'To nobody' });
      await reaches(id, 'failed');
      const detail = `${'A reason that takes several lines. '.repeat(12)}The end`;
      await console.service.store.engine.db
        .updateTable('outbox')
        .set({ detail })
        .where('id', '=', id)
        .execute();
      await using visit = await console.open(`${log}?state=failed`, options);
      const { page } = visit;
      const reason = page.getByTestId('reason').filter({ hasText: 'The end' }).first();
      await reason.waitFor();
      const isWhole = await reason.evaluate(
        (element) =>
          element.scrollWidth <= element.clientWidth &&
          element.getBoundingClientRect().bottom <=
            (element.closest('li')?.getBoundingClientRect().bottom ?? 0),
      );
      assert.ok(isWhole);
      assert.ok((await overflow(page)) <= 0);
      assert.deepEqual(await axeFaults(page), []);
      assertFaultless(visit);
    });
  }
});

describe('console: export of the message log', { skip: CHROMIUM.skip }, () => {
  const COUNT = 1_205;
  let console: TestConsole;
  let log: string;

  before(async () => {
    console = await openConsole();
    const { application, app } = await console.service.application({ name: 'exported' });
    log = `/app/applications/${application.id}/messages`;
    const { id } = await integrate(app, application.id, {
      token: undefined,
      name: 'webmessenger',
      secret: SECRET,
    });
    const many = Array.from({ length: COUNT }, (_, i) => {
      const generator = { type: 'Service', id: String(id) };
      const object = { type: 'Note', content: i === 0 ? '=1+1, "quoted"' : `No. ${i}` };
      const to = { type: 'Person', id: i < 5 ? 'ada' : `guest-${i}` };
      return message({ generator, to, object }).message;
    });
    await app.post('/1/messages', { messages: many.slice(0, 1_000) });
    await app.post('/1/messages', { messages: many.slice(1_000) });
  });
  after(() => console[Symbol.asyncDispose]());

  /** Exports the log at this path; the browser downloads the file. */
  async function exported(path: string, format: string) {
    await using visit = await console.open(path, { ...LIGHT, acceptDownloads: true });
    const { page } = visit;
    // The dialog of the operating system cannot be used from a test.
    await page.evaluate(
      'delete window.showSaveFilePicker; delete Window.prototype.showSaveFilePicker',
    );
    await page.getByTestId('export').click();
    await page.locator(`input[value="${format}"]`).check();
    assert.deepEqual(await axeFaults(page), []);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTestId('start-export').click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    const shown = await page.getByTestId('exported').textContent();
    assertFaultless(visit);
    return { name: download.suggestedFilename(), text, shown: shown ?? '' };
  }

  it('all pages of the log are exported as NDJSON, newest first', async () => {
    const { name, text, shown } = await exported(log, 'ndjson');
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.match(name, /\.ndjson$/);
    assert.match(shown, /^1,205 /);
    assert.equal(new Set(rows.map(({ id }) => id)).size, COUNT);
    assert.equal(rows[0].message.object.content, `No. ${COUNT - 1}`);
  });

  it('the filtered log is exported as CSV without formulas', async () => {
    const { name, text, shown } = await exported(`${log}?to=ada`, 'csv');
    const [head = '', ...rows] = text.trimEnd().split('\r\n');
    assert.match(name, /\.csv$/);
    assert.match(shown, /^5 /);
    assert.match(head, /^id,state,to,/);
    assert.equal(rows.length, 5);
    assert.match(rows.at(-1) ?? '', /,ada,\d+,"'=1\+1, ""quoted""",/);
  });

  it('an export can be canceled', async () => {
    await using visit = await console.open(log, LIGHT);
    const { page } = visit;
    await page.evaluate(
      'delete window.showSaveFilePicker; delete Window.prototype.showSaveFilePicker',
    );
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.getByTestId('export').click();
    await page.route(/\/1\/messages\?.*starting_after/, async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    await page.getByTestId('start-export').click();
    await page.getByTestId('export-count').getByText(/1,000/).waitFor();
    await page.getByTestId('cancel-export').click();
    release();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assertFaultless(visit);
  });
});
