import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { CHROMIUM, assertFaultless, holds } from '../support/programs/browser.ts';
import {
  DESKTOP,
  PHONE,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { integrate } from '../support/service/activity.ts';

describe('console: keyboard', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let messages: string;
  before(async () => {
    console = await openConsole();
    await console.service.application({ name: 'another-one' });
    const { application, app } = await console.service.application({ name: 'keyboards' });
    await integrate(app, application.id, { name: 'webmessenger', username: 'Help desk' });
    messages = `/app/applications/${application.id}/messages`;
  });
  after(() => console[Symbol.asyncDispose]());

  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole('heading', { name, level: 1 }).waitFor();

  it('the command palette finds pages, applications, integrations and messages', async () => {
    await using visit = await console.open(messages, { ...DESKTOP, colorScheme: 'light' });
    const { page } = visit;
    await heading(page, 'Messages');
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      const box = page.getByRole('dialog').getByRole('combobox');
      await box.waitFor();
      await page.keyboard.type(text);
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await box.waitFor({ state: 'detached' });
    };
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Messages/ }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.keyboard.press('Escape');
    await find('channels');
    await heading(page, 'Integrations');
    await find('help desk');
    await heading(page, /^Web Messenger/);
    await find('add telegram');
    await heading(page, 'Telegram');
    await find('another');
    await page.getByTestId('no-messages').waitFor();
    await find('4711');
    await page.waitForURL('**/messages/4711');
    await page.locator('h1').waitFor();
    await find('dark');
    await holds(page, `getComputedStyle(document.documentElement).colorScheme === 'dark'`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('zzzz@example.com');
    await page.getByRole('option', { name: 'Messages to zzzz@example.com' }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.keyboard.press('Enter');
    await page.getByTestId('no-match').waitFor();
    const faults = visit.faults.filter((fault) => !/404/.test(fault));
    assert.deepEqual(faults, [], 'except for the unknown message');
  });

  it('two-key shortcuts switch pages, and ? lists the shortcuts', async () => {
    await using visit = await console.open(messages, { ...DESKTOP, colorScheme: 'dark' });
    const { page } = visit;
    await heading(page, 'Messages');
    await page.keyboard.press('?');
    await page.getByRole('dialog').locator('dt').nth(10).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.keyboard.press('Escape');
    await page.keyboard.press('l');
    await page.waitForURL('**/messages?live=true');
    await page.keyboard.press('/');
    await page.keyboard.type('gi12');
    assert.equal(
      await page.locator('#message-search').inputValue(),
      '12',
      'shortcuts are off while typing',
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    for (const [keys, name] of [
      ['gi', 'Integrations'],
      ['ga', 'Applications'],
      ['gs', 'Guided start'],
      ['gm', 'Messages'],
    ] as const) {
      await page.keyboard.type(keys);
      await heading(page, name);
    }
    assertFaultless(visit);
  });

  it('the first Tab stop skips the navigation', async () => {
    await using visit = await console.open(messages, DESKTOP);
    const { page } = visit;
    await heading(page, 'Messages');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await holds(page, `document.activeElement?.id === 'content'`);
    assertFaultless(visit);
  });

  it('on a phone, a button opens the command palette', async () => {
    await using visit = await console.open(messages, PHONE);
    const { page } = visit;
    await page.getByTestId('open-palette').click();
    await page.getByRole('combobox').fill('guided');
    await page.getByRole('option', { name: /Guided start/ }).click();
    await heading(page, 'Guided start');
    assertFaultless(visit);
  });

  it('the pages to begin with load less than 200 KB of script', async () => {
    for (const [path, title] of [
      [messages, 'Messages'],
      [`${messages.slice(0, -'messages'.length)}overview`, 'Overview'],
    ] as const) {
      await using visit = await console.open(path, DESKTOP);
      await heading(visit.page, title);
      await visit.page.waitForLoadState('networkidle');
      const bytes = await visit.page.evaluate<number>(
        `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
          .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
      );
      assert.ok(bytes > 50_000 && bytes < 200 * 1024, `${path}: ${bytes} bytes, as they are sent`);
    }
  });
});
