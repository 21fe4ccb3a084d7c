import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Browser, Frame, Page } from 'playwright-core';

import { type HttpPeer, openHttp } from '../emulators/server/http.ts';
import {
  CHROMIUM,
  type WatchedPage,
  assertFaultless,
  holds,
  openBrowser,
  openPage,
} from '../support/programs/browser.ts';
import { type ChatService, SECRET, identity, openChat } from '../support/service/chat.ts';
import { until } from '../support/until.ts';

/** A customer's site with the embed script. */
async function openSite(chat: ChatService, attributes = ''): Promise<HttpPeer> {
  const script = `<script src="${chat.service.url}/webmessenger.js" data-integration="${chat.integrationId}" ${attributes}></script>`;
  return openHttp(() => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><html><head><title>A site</title><link rel="icon" href="data:,">${script}</head><body><h1>Lamps</h1></body></html>`,
  }));
}

/** Messages arrive in order, so once the last has arrived, all have. */
const ALL_IS_HEARD = `new Promise((resolve) => {
  addEventListener('message', ({ data }) => data === 'last' && resolve());
  postMessage('last', '*');
})`;

const launcher = (page: Page, isOpen?: boolean) =>
  page.locator(
    `switchboard-chat .launcher${isOpen === undefined ? '' : `[aria-expanded=${isOpen}]`}`,
  );
const unread = (page: Page) =>
  page.locator('switchboard-chat .badge').getByText('1', { exact: true });

async function chatIn({ page }: WatchedPage): Promise<Frame> {
  for (;;) {
    const frame = page.frames().find((each) => each.url().includes('/chat/'));
    if (frame) return frame;
    await page.waitForEvent('framenavigated');
  }
}

describe('the chat embedded in a site', { skip: CHROMIUM.skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  it('the chat embedded in a site opens with its button, sends a message and closes with Escape', async () => {
    await using chat = await openChat('sqlite');
    const site = await openSite(chat);
    try {
      await using visit = await openPage(browser, site.url);
      const { page } = visit;
      await launcher(page).waitFor();
      assert.deepEqual(
        await chat.events('member.joined'),
        [],
        'nothing is loaded before the chat is opened',
      );
      await launcher(page).click();
      const frame = await chatIn(visit);
      await frame.waitForSelector('body[data-state=open]');
      await holds(frame, `document.activeElement.id === 'text'`);
      await frame.fill('#text', 'Do you ship to Norway?');
      await frame.press('#text', 'Enter');
      const { data } = await chat.event('message.received');
      assert.equal(data.object.content, 'Do you ship to Norway?');
      await frame.press('#text', 'Escape');
      await launcher(page, false).waitFor();
      assertFaultless(visit);
    } finally {
      await site.close();
    }
  });

  it("counts unread messages while it is closed, also on the site's next page", async () => {
    await using chat = await openChat('sqlite');
    const site = await openSite(chat);
    try {
      await using visit = await openPage(browser, site.url);
      const { page } = visit;
      await launcher(page).click();
      const frame = await chatIn(visit);
      await frame.waitForSelector('body[data-state=open]');
      const { data } = await chat.event('member.joined');
      const first = await chat.send(data.actor.id, 'Hello!');
      await chat.reaches(first, 'read');
      await frame.locator('#close').click();
      const second = await chat.send(data.actor.id, 'Still there?');
      await unread(page).waitFor();
      await chat.reaches(second, 'delivered');
      await page.goto(`${site.url}/another`);
      await unread(page).click();
      await chat.reaches(second, 'read');
      await launcher(page, true).waitFor();
      assertFaultless(visit);
    } finally {
      await site.close();
    }
  });

  it("recognizes the site's known users", async () => {
    await using chat = await openChat('sqlite', { secret: SECRET });
    await chat.reaches(await chat.send('user-7', 'Hello, Ada'), 'sent');
    const site = await openSite(chat, `data-identity="${identity({ sub: 'user-7' })}"`);
    try {
      await using visit = await openPage(browser, site.url);
      await unread(visit.page).waitFor();
      assertFaultless(visit);
    } finally {
      await site.close();
    }
  });

  it('the chat embedded in a site is shown on the configured sites only', async () => {
    await using chat = await openChat('sqlite', { address: 'https://www.example.com' });
    const site = await openSite(chat);
    try {
      await using visit = await openPage(browser, site.url);
      await launcher(visit.page).click();
      await until('embedding is refused', () =>
        visit.faults.some((fault) => fault.includes('frame-ancestors')),
      );
      assert.deepEqual(await chat.events('member.joined'), []);
    } finally {
      await site.close();
    }
  });

  it('accepts messages from its own site only and sends none to others', async () => {
    await using chat = await openChat('sqlite');
    const site = await openSite(chat);
    try {
      await using visit = await openPage(browser, site.url);
      const { page } = visit;
      await launcher(page).click();
      const frame = await chatIn(visit);
      await frame.waitForSelector('body[data-state=open]');
      // The page itself pretends to be the chat.
      await page.evaluate(`postMessage({ switchboard: 'unread', count: 99 }, '*')`);
      await page.evaluate(`postMessage({ switchboard: 'close' }, '*')`);
      await page.evaluate(ALL_IS_HEARD);
      await launcher(page, true).waitFor();
      // Another frame pretends to be the site.
      await frame.evaluate(`postMessage({ switchboard: 'closed' }, '*')`);
      const { data } = await chat.event('member.joined');
      await chat.reaches(await chat.send(data.actor.id, 'Seen'), 'read');
    } finally {
      await site.close();
    }
  });
});
