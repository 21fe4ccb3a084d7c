import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Browser } from 'playwright-core';

import {
  CHROMIUM,
  assertFaultless,
  isConnected,
  holds,
  openBrowser,
  openChatPage,
  shows,
  textsIn,
  write,
} from '../support/programs/browser.ts';
import { type ChatService, SECRET, identity, openChat } from '../support/service/chat.ts';
import { startTestService } from '../support/service/service.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const LOOK_AWAY = `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`;
const LOOK_BACK = `delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))`;

/** The latest visitor. */
async function newcomer(chat: ChatService): Promise<string> {
  await chat.event('member.joined');
  const joined = await chat.events('member.joined');
  return joined.at(-1)?.data.actor.id ?? '';
}

describe('the web chat page', { skip: CHROMIUM.skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  it('shows a sent message at once, and its delivered and read states', async () => {
    await using chat = await openChat('sqlite', { username: 'Acme Support' });
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    assert.equal(await page.title(), 'Acme Support');
    const visitor = await newcomer(chat);
    const id = await chat.send(visitor, {
      type: 'Note',
      mediaType: 'text/markdown',
      content: 'Hello, **you**: [help](https://example.com/help)',
    });
    await shows(page, 'Hello, you: help');
    assert.equal(await page.locator('.text strong').textContent(), 'you');
    const link = page.locator('.text a');
    assert.equal(await link.getAttribute('href'), 'https://example.com/help');
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
    await chat.reaches(id, 'read');
    const types = (await chat.events()).map(({ type }) => type);
    assert.deepEqual(types.slice(0, 2), ['member.joined', 'message.sent']);
    assert.equal(types.at(-1), 'message.read');
    assertFaultless(visit);
  });

  it('reports a message as delivered but not read while the page is hidden', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    const visitor = await newcomer(chat);
    await page.evaluate(LOOK_AWAY);
    const id = await chat.send(visitor, 'Are you there?');
    await chat.reaches(id, 'delivered');
    await holds(page, `document.title.startsWith('(1) ')`);
    assert.equal((await chat.reaches(id, 'delivered')).state, 'delivered');
    await page.evaluate(LOOK_BACK);
    await chat.reaches(id, 'read');
    await holds(page, `!document.title.startsWith('(')`);
  });

  it("sends a visitor's message to the application and restores the conversation after a reload", async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    const visitor = await newcomer(chat);
    await write(page, 'Where is my order?');
    await shows(page, 'Where is my order?');
    const { data } = await chat.event('message.received');
    assert.equal(data.actor.id, visitor);
    assert.equal(data.object.content, 'Where is my order?');
    await chat.send(visitor, { type: 'Note', content: 'On its way.', inReplyTo: data.object.id });
    await shows(page, 'On its way.');
    assert.equal(await page.locator('blockquote span').textContent(), 'Where is my order?');
    await page.reload();
    await shows(page, 'On its way.');
    assert.deepEqual(await textsIn(page), ['Where is my order?', 'On its way.']);
    assert.equal((await chat.events('member.joined')).length, 1, 'it is the same visitor');
    assertFaultless(visit);
  });

  it('offers quick replies, which disappear once one is chosen, and opens link buttons', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    const attachment = [
      { type: 'Button', name: 'Yes' },
      { type: 'Button', name: 'No' },
      { type: 'Button', name: 'More', url: 'https://example.com/more' },
    ];
    await chat.send(await newcomer(chat), { type: 'Note', content: 'Tea?', attachment });
    await page.getByRole('button', { name: 'Yes' }).click();
    await shows(page, 'Yes');
    const { data } = await chat.event('message.received');
    assert.deepEqual(data.object.attachment, [{ type: 'Button', name: 'Yes', value: 'Yes' }]);
    assert.equal(await page.getByRole('button', { name: 'No', exact: true }).count(), 0);
    const more = page.getByRole('link', { name: 'More' });
    assert.equal(await more.getAttribute('href'), 'https://example.com/more');
    assertFaultless(visit);
  });

  it('shows edits and deletions', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    const visitor = await newcomer(chat);
    await chat.send(visitor, { type: 'Note', id: 'a', content: 'At noon' });
    await chat.send(visitor, { type: 'Note', id: 'b', content: 'Oops' });
    await shows(page, 'Oops');
    await chat.send(visitor, { type: 'Note', id: 'a', content: 'At one' }, { type: 'Update' });
    await shows(page, 'At one');
    await chat.send(visitor, { type: 'Note', id: 'b' }, { type: 'Delete' });
    await page.waitForSelector('.gone');
    assert.equal((await textsIn(page))[0], 'At one');
    assert.equal(await page.locator('.entry').first().locator('.edited').count(), 1);
    assertFaultless(visit);
  });

  it('sends images and files that the application can download, and shows them again', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    await page.setInputFiles('#picker', [
      { name: 'cat.png', mimeType: 'image/png', buffer: PNG },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') },
    ]);
    await page.waitForSelector('#send:enabled');
    await page.click('#send');
    const { data } = await chat.event('message.received');
    const [picture, file] = data.object.attachment ?? [];
    assert.deepEqual([picture?.['type'], file?.['type']], ['Image', 'Document']);
    const headers = { authorization: `Bearer ${chat.app.token}` };
    const bytes = await (await fetch(String(picture?.['url']), { headers })).arrayBuffer();
    assert.deepEqual(Buffer.from(bytes), PNG);
    await page.reload();
    const image = page.getByRole('img', { name: 'cat.png' });
    await image.waitFor();
    await holds(page, `document.querySelector('.image').naturalWidth === 1`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /notes\.txt/ }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'notes.txt');
    assertFaultless(visit);
  });

  it('refuses a file that is too large before sending it', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const buffer = Buffer.alloc(10 * 1024 * 1024 + 1);
    await visit.page.setInputFiles('#picker', { name: 'clip.mp4', mimeType: 'video/mp4', buffer });
    await visit.page.getByRole('alert').filter({ hasText: 'clip.mp4' }).waitFor();
  });

  it('shows the typing indicator', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    const visitor = await newcomer(chat);
    const path = `/1/integrations/${chat.integrationId}/typing`;
    await chat.app.post(path, { to: { id: visitor } });
    await page.waitForSelector('#typing:not([hidden])');
    await chat.send(visitor, 'There.');
    await shows(page, 'There.');
    assert.equal(await page.locator('#typing').isHidden(), true);
  });

  it('reconnects after the service was down and delivers each message once in both directions', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    const visitor = await newcomer(chat);
    await write(page, 'Before');
    await shows(page, 'Before');
    await chat.service.service.stop();
    await page.waitForSelector('body[data-state=lost]');
    await write(page, 'Meanwhile');
    await page.waitForSelector('.pending:has-text("Meanwhile")');
    const { database } = chat.service;
    const again = await startTestService('sqlite', {
      database,
      environment: { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_PORT: new URL(chat.page).port },
    });
    try {
      await isConnected(page);
      await shows(page, 'Meanwhile');
      const app = again.as(chat.app.token);
      const { body } = await app.get('/1/events');
      const said = body.data.flatMap(
        (event: { type: string; data: { object: { content: string } } }) =>
          event.type === 'message.received' ? [event.data.object.content] : [],
      );
      assert.deepEqual(said, ['Before', 'Meanwhile']);
      const generator = { type: 'Service', id: chat.integrationId };
      const object = { type: 'Note', content: 'Welcome back' };
      await app.post('/1/message', {
        message: {
          '@context': 'https://www.w3.org/ns/activitystreams',
          type: 'Create',
          generator,
          to: { type: 'Person', id: visitor },
          object,
        },
      });
      await shows(page, 'Welcome back');
      assert.deepEqual(await textsIn(page), ['Before', 'Meanwhile', 'Welcome back']);
    } finally {
      await visit.close();
      await again[Symbol.asyncDispose]();
    }
  });

  it('resends unconfirmed messages after a reload and confirmed ones never', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    const visitor = await newcomer(chat);
    await write(page, 'One');
    await shows(page, 'One');
    const { data } = await chat.event('message.received');
    const known = data.object.id.split(':').at(-1) ?? '';
    // As after a page was closed before it received the confirmations.
    const left = [
      { key: known, at: 0, text: 'One', files: [] },
      { key: 'k'.repeat(32), at: 1, text: 'Two', files: [] },
    ];
    const place = `switchboard-outbox-${chat.integrationId}-${visitor}`;
    await page.evaluate(
      `localStorage.setItem('${place}', ${JSON.stringify(JSON.stringify(left))})`,
    );
    await page.reload();
    await shows(page, 'Two');
    await holds(page, `localStorage.getItem('${place}') === '[]'`);
    assert.deepEqual(await textsIn(page), ['One', 'Two']);
    const received = (await chat.events('message.received')).map(
      (event) => event.data.object.content,
    );
    assert.deepEqual(received, ['One', 'Two']);
    assertFaultless(visit);
  });

  it("recognizes a visitor by the application's signed identity and reports an invalid one", async () => {
    await using chat = await openChat('sqlite', { secret: SECRET });
    const id = await chat.send('user-7', 'Hello, Ada');
    await chat.reaches(id, 'sent');
    const signed = identity({ sub: 'user-7', name: 'Ada' });
    await using visit = await openChatPage(browser, `${chat.page}?identity=${signed}`);
    await shows(visit.page, 'Hello, Ada');
    assert.ok(!visit.page.url().includes('?'), 'the identity is not in the sent data');
    await chat.reaches(id, 'read');
    await visit.page.reload();
    await shows(visit.page, 'Hello, Ada');
    assert.deepEqual(
      await visit.page.evaluate(`Object.keys(localStorage).filter((key) => /-chat-/.test(key))`),
      [],
      "a known user's token is not stored",
    );
    const forged = identity({ sub: 'user-7' }, { secret: 'not-a-secret-of-ours-but-long-enough' });
    await using other = await openChatPageRefused(browser, `${chat.page}#identity=${forged}`);
    assert.deepEqual(await textsIn(other.page), []);
  });

  it('says that it is closed while the integration is disabled', async () => {
    await using chat = await openChat('sqlite');
    const fields = { name: 'webmessenger', state: 'disable' };
    await chat.app.put(`/1/integrations/${chat.integrationId}`, fields);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(chat.page);
    await page.waitForSelector('body[data-state=closed]');
    await context.close();
  });
});

async function openChatPageRefused(browser: Browser, url: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForSelector('body[data-state=refused]');
  return { page, [Symbol.asyncDispose]: () => context.close() };
}
