import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import { openHttp } from '../emulators/server/http.ts';
import { BAD_ADDRESSES, CORPUS } from '../support/corpus.ts';
import { CHROMIUM, holds, openBrowser, openChatPage } from '../support/programs/browser.ts';
import { type ChatService, SECRET, identity, openChat } from '../support/service/chat.ts';

/* Any text in any field by anybody is shown unchanged and never executed. */

describe('the web chat page', { skip: CHROMIUM.skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  it('the web chat page never executes content from the application in any field', async () => {
    const media = await openHttp(() => ({ status: 404 }));
    await using chat = await openChat('sqlite', {
      secret: SECRET,
      username: CORPUS.join(' ').slice(0, 900),
    });
    await using visit = await openChatPage(
      browser,
      `${chat.page}#identity=${identity({ sub: 'ada' })}`,
    );
    const { page, faults } = visit;
    for (const [i, text] of CORPUS.entries()) {
      const attachment = [
        { type: 'Button', name: text.slice(0, 80) },
        { type: 'Button', name: text.slice(0, 80), url: 'https://example.com/' },
      ];
      await put(chat, [
        { title: text, text: [{ text }], buttons: attachment },
        { text: [{ text, bold: true, link: 'https://example.com/' }] },
        {
          text: [
            { text, code: true },
            { text, block: true },
          ],
        },
        { media: { kind: 'image', url: `${media.url}/${i}.png`, name: text }, text: [{ text }] },
        { media: { kind: 'video', url: `${media.url}/${i}.mp4`, name: text } },
        { media: { kind: 'document', url: `${media.url}/${i}.pdf`, name: text } },
        { place: { latitude: 1, longitude: 2, name: text } },
      ]);
    }
    const last = await chat.send('ada', 'That is all');
    await chat.reaches(last, 'read');
    await assertHarmless(page);
    for (const text of CORPUS) {
      const shown = page.locator('.text').filter({ hasText: text }).first();
      assert.ok((await shown.textContent())?.includes(text), text);
    }
    assert.deepEqual(
      faults.filter((fault) => !/404|Failed to load resource/.test(fault)),
      [],
    );
    await media.close();
  });

  it('the web chat page follows only links that a browser may open', async () => {
    await using chat = await openChat('sqlite', { secret: SECRET });
    await using visit = await openChatPage(
      browser,
      `${chat.page}#identity=${identity({ sub: 'ada' })}`,
    );
    const { page } = visit;
    for (const url of BAD_ADDRESSES) {
      await put(chat, [
        { text: [{ text: 'a link', link: url }] },
        { media: { kind: 'image', url, name: 'image', preview: url } },
        { media: { kind: 'document', url, name: 'file' } },
        { media: { kind: 'audio', url } },
        { text: [{ text: 'buttons' }], buttons: [{ name: 'go', url }] },
      ]);
    }
    await chat.reaches(await chat.send('ada', 'That is all'), 'read');
    await assertHarmless(page);
    const addresses: string[] = await page.evaluate(
      `[...document.querySelectorAll('#log [href], #log [src], #log [poster]')]
        .map((each) => each.getAttribute('href') ?? each.getAttribute('src') ?? each.getAttribute('poster'))`,
    );
    assert.deepEqual(addresses, []);
    assert.deepEqual(visit.faults, []);
  });

  it("the web chat page never executes a visitor's messages or file names, live or after a reload", async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page, faults } = visit;
    for (const text of CORPUS.slice(0, 12)) {
      await page.fill('#text', text);
      await page.press('#text', 'Enter');
    }
    await page.setInputFiles('#picker', [
      { name: '<img src=x onerror=alert(1)>.png', mimeType: 'image/png', buffer: Buffer.from('x') },
      {
        name: 'page.html',
        mimeType: 'text/html',
        buffer: Buffer.from('<script>alert(1)</script>'),
      },
      { name: 'x.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg onload="alert(1)"/>') },
    ]);
    await page.waitForSelector('#send:enabled');
    await page.click('#send');
    await holds(page, `document.querySelectorAll('.entry:not(.pending)').length === 13`);
    await page.reload();
    await holds(page, `document.querySelectorAll('.entry:not(.pending)').length === 13`);
    await assertHarmless(page);
    assert.deepEqual(faults, []);
    const received = (await chat.events('message.received')).map(({ data }) => data.object.content);
    assert.deepEqual(received.slice(0, 12), CORPUS.slice(0, 12));
  });

  it("the web chat page never turns an identity's name or a title into markup", async () => {
    await using chat = await openChat('sqlite', {
      secret: SECRET,
      username: '</title><script>alert(1)</script>',
    });
    const signed = identity({ sub: 'ada', name: '<script>alert(1)</script>' });
    await using visit = await openChatPage(browser, `${chat.page}#identity=${signed}`);
    assert.equal(await visit.page.title(), '</title><script>alert(1)</script>');
    await assertHarmless(visit.page);
    assert.deepEqual(visit.faults, []);
  });
});

/** Stores bodies in the conversation directly, past the channel's checks. */
async function put(chat: ChatService, bodies: readonly object[]): Promise<void> {
  const { chats } = chat.service.store;
  for (const body of bodies) {
    await chats.put(
      { applicationId: chat.applicationId, integrationId: chat.integrationId, visitor: 'ada' },
      { id: `x${Math.random()}`, author: 'application', body: JSON.stringify(body) },
      true,
      Date.now(),
    );
  }
}

/** The page contains only elements that its own script creates. */
async function assertHarmless(page: Page): Promise<void> {
  const found = await page.evaluate(`({
    scripts: [...document.scripts].map((script) => new URL(script.src).pathname.replace(/^.*[/]/, '')),
    foreign: [...document.querySelectorAll('iframe, object, embed, form:not(#composer), base, style, math, details, meta[http-equiv]')].length,
    handlers: [...document.querySelectorAll('*')].filter((each) =>
      each.getAttributeNames().some((name) => name.startsWith('on'))).length,
  })`);
  assert.deepEqual(found, { scripts: ['chat.js'], foreign: 0, handlers: 0 });
}
