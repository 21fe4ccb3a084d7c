import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Browser, Page } from 'playwright-core';

import {
  CHROMIUM,
  openBrowser,
  openChatPage,
  shows,
  textsIn,
  write,
} from '../support/programs/browser.ts';
import { type ChatService, openChat } from '../support/service/chat.ts';

/** https://www.w3.org/TR/WCAG22/#contrast-minimum */
const LEAST_CONTRAST = 4.5;

const TEXTS = ['h1', '.application .text', '.visitor .text', '.meta', '.day', '.reply', '.text a'];

/** One example of every element. */
async function fill(chat: ChatService, page: Page): Promise<void> {
  const { data } = await chat.event('member.joined');
  const content = 'Look at https://example.com/, please';
  const attachment = [{ type: 'Button', name: 'All right' }];
  await write(page, 'Hello');
  await shows(page, 'Hello');
  await chat.send(data.actor.id, { type: 'Note', content, attachment });
  await shows(page, content);
}

describe('web chat page accessibility', { skip: CHROMIUM.skip }, () => {
  let browser: Browser;
  before(async () => {
    browser = await openBrowser();
  });
  after(() => browser.close());

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`the web chat page has sufficient contrast in ${colorScheme} colors`, async () => {
      await using chat = await openChat('sqlite');
      await using visit = await openChatPage(browser, chat.page, {
        colorScheme,
        reducedMotion: 'reduce',
      });
      await fill(chat, visit.page);
      for (const selector of TEXTS) {
        const contrast: number = await visit.page.evaluate(contrastOf(selector));
        assert.ok(contrast >= LEAST_CONTRAST, `${selector} has a contrast of ${contrast}`);
      }
      const paper: string = await visit.page.evaluate(
        `getComputedStyle(document.querySelector('#chat')).backgroundColor`,
      );
      assert.equal(paper === 'rgb(255, 255, 255)', colorScheme === 'light');
    });
  }

  it('the web chat page names every control and announces new messages', async () => {
    await using chat = await openChat('sqlite', { username: 'Acme' });
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    await fill(chat, page);
    for (const [role, name] of [
      ['main', 'Acme'],
      ['heading', 'Acme'],
      ['button', 'All right'],
    ] as const) {
      assert.equal(await page.getByRole(role, { name, exact: true }).count(), 1, `${role} ${name}`);
    }
    for (const selector of ['#log', '#scroller', '#text', '#send', '#attach', '.buttons']) {
      assert.ok(await page.locator(selector).getAttribute('aria-label'), selector);
    }
    assert.equal(await page.getByRole('log').getAttribute('aria-live'), 'polite');
    const authors = await page.locator('.entry .sr-only').allTextContents();
    assert.equal(new Set(authors).size, 2, 'screen readers hear who wrote');
    assert.match(authors[1] ?? '', /^Acme/);
  });

  it('the web chat page works with the keyboard alone', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page);
    const { page } = visit;
    await fill(chat, page);
    const focused = () =>
      page.evaluate(`document.activeElement.id || document.activeElement.textContent`);
    assert.equal(await focused(), 'text', 'the input has the focus');
    const order: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('Shift+Tab');
      order.push(await focused());
    }
    assert.deepEqual(order, ['attach', 'All right', 'https://example.com/', 'scroller']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await shows(page, 'All right');
    assert.equal(await focused(), 'text');
    await page.keyboard.type('one');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Enter');
    await shows(page, 'one two');
    assert.equal((await textsIn(page)).at(-1), 'one\ntwo');
  });

  it('the web chat page fits a phone: no overflow, and touch targets are large enough', async () => {
    await using chat = await openChat('sqlite');
    const viewport = { width: 320, height: 560 };
    await using visit = await openChatPage(browser, chat.page, {
      viewport,
      isMobile: true,
      hasTouch: true,
    });
    const { page } = visit;
    const { data } = await chat.event('member.joined');
    const long = `https://example.com/${'x'.repeat(300)}`;
    const attachment = [
      { type: 'Button', name: 'A very long answer that does not fit into one line at all' },
    ];
    await chat.send(data.actor.id, { type: 'Note', content: long, attachment });
    await shows(page, long);
    const widths = await page.evaluate(
      `[document.documentElement.scrollWidth, document.querySelector('#scroller').scrollWidth]`,
    );
    assert.deepEqual(widths, [320, 320]);
    for (const id of ['attach', 'send']) {
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box && box.width >= 40 && box.height >= 40, id);
    }
    // With a smaller font, phones zoom in on focus.
    assert.equal(
      await page.evaluate(`getComputedStyle(document.querySelector('#text')).fontSize`),
      '16px',
    );
  });

  it('the web chat page has no animation for users who prefer reduced motion', async () => {
    await using chat = await openChat('sqlite');
    await using visit = await openChatPage(browser, chat.page, { reducedMotion: 'reduce' });
    const { page } = visit;
    await fill(chat, page);
    const { data } = await chat.event('member.joined');
    const path = `/1/integrations/${chat.integrationId}/typing`;
    await chat.app.post(path, { to: { id: data.actor.id } });
    await page.waitForSelector('#typing:not([hidden])');
    assert.deepEqual(await page.evaluate(`document.getAnimations().length`), 0);
  });
});

/** By the WCAG formula: the text color on the first background color behind it. */
function contrastOf(selector: string): string {
  return `(() => {
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
    const element = document.querySelector(${JSON.stringify(selector)});
    let behind = element;
    while (behind && (rgb(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
    const light = (text) => {
      const [r, g, b] = rgb(text).map((value) =>
        value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [low, high] = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor]
      .map(light).sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  })()`;
}
