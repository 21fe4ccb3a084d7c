import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';
import type { Page } from 'playwright-core';

import { CHROMIUM, assertFaultless, holds } from '../../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../../support/programs/console.ts';
import { integrate } from '../../support/service/activity.ts';
import type { Client } from '../../support/service/client.ts';
import { eventsOf } from '../../support/service/feed.ts';
import { until } from '../../support/until.ts';

/* The page of conversations: the list, a timeline of both directions, and replies. */

const NARROW = { ...DARK_PHONE, viewport: { width: 360, height: 740 } };
const MANY = 100_000;
/** A PNG of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('console: conversations', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  /** An application with a sandbox integration of a channel. */
  async function open(channel: string) {
    const { application, app } = await console.service.application({ name: `with-${channel}` });
    const sandbox = { name: channel, mode: 'sandbox', token: undefined };
    const { id: integration } = await integrate(app, application.id, sandbox);
    const act = async (action: string, body: object) => {
      const { status, text } = await app.post(`/1/sandbox/${integration}/${action}`, body);
      assert.ok(status < 300, text);
    };
    const write = async (text: string) => {
      const count = (await received(app)).length;
      await act('reply', { text });
      await until(text, async () => (await received(app)).length > count);
    };
    const path = `/app/applications/${application.id}/conversations`;
    return { id: Number(application.id), app, integration, act, write, path };
  }
  const received = async (app: Client) =>
    (await app.get('/1/events?limit=1000')).body.data.filter(
      ({ type }: { type: string }) => type === 'message.received',
    );
  const newest = async (app: Client) => (await app.get('/1/messages?limit=1')).body.data[0];
  const rows = (page: Page) =>
    page.getByRole('list', { name: 'Conversations' }).getByRole('listitem');
  const stays = (page: Page) =>
    holds(page, 'document.documentElement.scrollWidth <= document.documentElement.clientWidth');

  for (const [where, options] of [
    ['light, desktop', LIGHT],
    ['dark, narrow phone', NARROW],
  ] as const) {
    it(`a question is read, answered and followed live (${where})`, async () => {
      const { app, integration, act, write, path } = await open('telegram');
      await write('Is anybody there?');
      await using visit = await console.open(path, options);
      const { page } = visit;
      await page.getByTestId('unread').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await stays(page);
      await rows(page).first().getByRole('link').click();
      const question = page.getByTestId('received').filter({ hasText: 'Is anybody there?' });
      await question.waitFor();
      await until('it is read', async () => {
        const { body } = await app.get('/1/conversations');
        return body.data[0].unread === 0;
      });
      await page.getByTestId('unread').waitFor({ state: 'detached' });

      const reply = page.getByTestId('reply');
      await reply.fill('Yes, until six.');
      if (options === LIGHT) await reply.press('Enter');
      else await page.getByTestId('send').click();
      const answer = page.getByTestId('sent').filter({ hasText: 'Yes, until six.' });
      await answer.locator('[data-state="sent"]').waitFor();
      assert.equal(await reply.inputValue(), '');

      await page.getByTestId('add-button').click();
      await page.getByTestId('button-name').fill('Come by');
      await reply.fill('Shall we meet?');
      await page.getByTestId('send').click();
      await page.getByTestId('sent').filter({ hasText: 'Come by' }).waitFor();
      await page.getByTestId('attach-url').click();
      const url = page.getByTestId('file-url');
      await url.fill('not a url');
      await reply.fill('The way to us');
      assert.ok(await page.getByTestId('send').isDisabled());
      await url.fill('https://www.example.com/map.png');
      assert.deepEqual(await axeFaults(page), []);
      await stays(page);
      await page.getByTestId('send').click();
      const file = await until('the file', async () => {
        const { message } = await newest(app);
        return message.object.type === 'Image' && message.object;
      });
      assert.deepEqual(
        [file.url, file.content],
        ['https://www.example.com/map.png', 'The way to us'],
      );
      await page.getByTestId('sent').filter({ hasText: 'The way to us' }).waitFor();

      const name = `${'a-long-name-'.repeat(8)}dot.png`;
      const chosen = { name, mimeType: 'image/png', buffer: DOT };
      await page.getByTestId('choose-file').setInputFiles(chosen);
      await page.getByTestId('chosen-file').filter({ hasText: 'dot.png' }).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await stays(page);
      const { x, width } = (await page.getByTestId('send').boundingBox()) ?? { x: 0, width: 1e6 };
      assert.ok(x + width <= (page.viewportSize()?.width ?? 0), 'a long name moves nothing out');
      await reply.fill('From the disk');
      await page.getByTestId('send').click();
      const sent = page.getByTestId('sent').filter({ hasText: 'From the disk' });
      await sent.locator('[data-state="sent"]').waitFor();
      await sent.getByTestId('drawn-image').waitFor();
      const { media } = await shown(app, integration, 'From the disk');
      assert.match(media[0].url, /\/1\/media\/\d+\/conversations\//);

      await write('See you there');
      await page.getByTestId('received').filter({ hasText: 'See you there' }).waitFor();
      const press = await shown(app, integration, 'Shall we meet?');
      await act('press', { message: press.id, button: 1 });
      await page.getByTestId('press').waitFor();
      const directions = await page
        .locator('[data-entry]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('data-testid')));
      assert.deepEqual(directions, [
        'received',
        'sent',
        'sent',
        'sent',
        'sent',
        'received',
        'received',
      ]);
      assert.deepEqual(await axeFaults(page), []);
      if (options === NARROW) {
        await page.getByTestId('back').click();
        await rows(page).first().waitFor();
        await page.getByTestId('reply').waitFor({ state: 'detached' });
      }
      assertFaultless(visit);
    });
  }

  /** The last message on the phone, or the one with this text. */
  const shown = (app: Client, integration: number, text = '') =>
    until('the phone shows it', async () => {
      const { body } = await app.get(`/1/sandbox/${integration}/messages?limit=100`);
      return body.data.find(
        (one: { author: string; text?: string }) =>
          one.author === 'application' && (one.text ?? '').includes(text),
      );
    });

  it('the buttons of a message from the application are not presses', async () => {
    const { app, integration, path, write } = await open('telegram');
    await write('Hello');
    const { body } = await app.get('/1/conversations');
    const { status, text } = await app.post('/1/message', {
      message: {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        actor: { type: 'Person', name: 'Support' },
        generator: { type: 'Service', id: integration },
        to: { type: 'Person', id: body.data[0].to },
        object: {
          type: 'Note',
          content: 'Does it fit?',
          attachment: [{ type: 'Button', name: 'Yes' }],
        },
      },
    });
    assert.equal(status, 202, text);
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await rows(page).first().getByRole('link').click();
    await page.getByTestId('sent').filter({ hasText: 'Does it fit?' }).waitFor();
    assert.equal(await page.getByTestId('press').count(), 0);
    assertFaultless(visit);
  });

  it('drafts stay with their conversation, and a refused reply keeps its text', async () => {
    const { app, integration, path, write, id } = await open('telegram');
    await write('First');
    await app.post('/1/message', {
      message: {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id: integration },
        to: { type: 'Person', id: '987654321' },
        object: { type: 'Note', content: 'Hello' },
      },
    });
    await eventsOf(app, 'message.sent', 1);
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await rows(page).nth(1).waitFor();
    await rows(page).nth(1).getByRole('link').click();
    await page.getByTestId('reply').fill('A draft');
    await rows(page).first().getByRole('link').click();
    await holds(page, `document.querySelector('[data-testid=reply]')?.value === ''`);
    await rows(page).nth(1).getByRole('link').click();
    await holds(page, `document.querySelector('[data-testid=reply]')?.value === 'A draft'`);
    await app.put(`/1/integrations/${integration}`, { name: 'telegram', state: 'disable' });
    await page.getByTestId('send').click();
    await page.locator('[data-code="integration_disabled"]').waitFor();
    assert.equal(await page.getByTestId('reply').inputValue(), 'A draft');
    assert.ok(id > 0);
    assert.deepEqual(
      visit.faults.filter((fault) => !/status of 422/.test(fault)),
      [],
    );
  });

  it('people are found by name, address and external id', async () => {
    const { app, path, write } = await open('whatsapp');
    await write('Hello');
    const { body } = await app.get('/1/conversations');
    const [{ to, name }] = body.data;
    const addresses = [{ channel: 'sandbox.whatsapp', address: to }];
    const given = { name: 'Grace Hopper', external_id: 'customer-7', addresses };
    assert.equal((await app.post('/1/contacts', given)).status, 201);
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await rows(page).first().waitFor();
    const search = page.getByTestId('search');
    for (const text of ['hopp', `+${to.slice(0, 6)}`, 'CUSTOMER', name.slice(0, 4)]) {
      await search.fill('nobody-has-this');
      await page.getByTestId('no-match').waitFor();
      await search.fill(text);
      await rows(page).first().waitFor();
    }
    assert.deepEqual(await axeFaults(page), []);
    await rows(page).first().getByRole('link').click();
    await page.waitForURL(/conversations\/\d+\?q=/);
    await page.getByTestId('contact').click();
    await page.waitForURL('**/contacts/*');
    await page.getByTestId('contact-conversations').getByRole('link').click();
    await page.getByTestId('timeline').waitFor();
    assertFaultless(visit);
  });

  it('a template is filled in and sent, and examples are never sent', async () => {
    const { app, integration, act, path, write } = await open('whatsapp');
    await app.post(`/1/integrations/${integration}/templates/sync`);
    await app.post('/1/templates', {
      name: 'greeting',
      default_language: 'en',
      contents: { en: { content: 'Hi {{ name }}' } },
    });
    await write('Hello');
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await rows(page).first().getByRole('link').click();
    await page.getByTestId('choose-template').click();
    await page.getByTestId('template').selectOption('vendor appointment en');
    await page.getByTestId('value-patient').fill('Ada');
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('submit').click();
    await page.getByTestId('refused').waitFor();
    await page.getByTestId('value-date').fill('1 May');
    await page.getByTestId('value-time').fill('9:00');
    await page.getByTestId('submit').click();
    await page.getByTestId('sent').filter({ hasText: 'Reminder for Ada' }).waitFor();
    const { id } = await shown(app, integration);
    await act('receipts', { message: id, state: 'read' });
    await page.getByTestId('sent').locator('[data-state="read"]').waitFor();
    await page.getByTestId('choose-template').click();
    await page.getByTestId('template').selectOption('own greeting en');
    await page.getByTestId('value-name').fill('Grace');
    await page.getByTestId('submit').click();
    await page.getByTestId('sent').filter({ hasText: 'Hi Grace' }).waitFor();
    assert.deepEqual(
      visit.faults.filter((fault) => !/status of 422/.test(fault)),
      [],
    );
  });

  it('states: empty, being built, failing, not found', async () => {
    const { path } = await open('telegram');
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await page.getByTestId('no-conversations').waitFor();
    let building = true;
    await page.route('**/1/conversations?**', (route) =>
      building
        ? route.fulfill({
            status: 503,
            headers: { 'retry-after': '1' },
            json: { code: 'conversations_building', title: 'Conversations being built' },
          })
        : route.continue(),
    );
    await page.reload();
    await page.getByTestId('building').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    building = false;
    await page.getByTestId('no-conversations').waitFor();
    await page.unroute('**/1/conversations?**');
    await page.route('**/1/conversations?**', (route) => route.fulfill({ status: 500, json: {} }));
    await page.reload();
    await page.getByRole('alert').getByRole('button').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.unroute('**/1/conversations?**');
    await page.getByRole('alert').getByRole('button').click();
    await page.getByTestId('no-conversations').waitFor();
    await page.goto(`${console.service.url}${path}/999999999`);
    await page.getByTestId('no-conversation').waitFor();
  });

  it('100,000 conversations are listed as fast as a few, and each is found', async () => {
    const { id, app, integration, path } = await open('telegram');
    await app.get('/1/conversations');
    const { db } = console.service.store.engine;
    // With SQL, because messages would take minutes.
    await sql`insert into conversations (application_id, integration_id, recipient, recipient_term, id, name,
        name_term, unread, last_at, last_event, last_message, created_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY})
      select ${id}, ${integration}, 'guest' || n, 'guest' || n, 500000000 + n, null, null, n % 3,
        1750000000000 + n * 1000, null, null, 1750000000000 from numbers`.execute(db);
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await rows(page)
      .filter({ hasText: `guest${MANY}` })
      .waitFor();
    const seen = new Set<string>();
    await until('many pages are loaded by scrolling', async () => {
      await page.evaluate(`(() => {
        const box = document.querySelector('ul[aria-label=Conversations]').parentElement;
        box.scrollTop = box.scrollHeight;
      })()`);
      for (const text of await rows(page).allTextContents()) seen.add(text);
      const height = await page.evaluate<number>(
        `document.querySelector('ul[aria-label=Conversations]').offsetHeight`,
      );
      return height > 3_000 * 65;
    });
    assert.ok((await rows(page).count()) < 60, 'only visible rows are rendered');
    await page.getByTestId('search').fill('guest31415');
    await rows(page).filter({ hasText: 'guest31415' }).first().waitFor();
    await holds(page, `document.querySelectorAll('[data-row]').length < 60`);
    assertFaultless(visit);
  });
});
