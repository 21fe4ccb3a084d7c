import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { CHROMIUM, assertFaultless } from '../../support/programs/browser.ts';
import { fillTeam } from '../../support/programs/console-states.ts';
import { DESKTOP, type TestConsole, openConsole } from '../../support/programs/console.ts';
import { until } from '../../support/until.ts';

/* Pages stay where they are: between pages of different length, behind dialogs, and when a notice appears. */

/** The places of everything that a person may be reading or about to press. */
const PLACES = `[...document.querySelectorAll('#root :is(h1, h2, nav a, main button, main input)')]
  .filter((element) => !element.closest('dialog, [data-testid=stale]'))
  .map((element) => {
    const { x, y, width } = element.getBoundingClientRect();
    return [element.tagName, element.textContent.slice(0, 20), x, y, width].join(' ');
  })`;

describe('console: layout', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole({}, { scrollbars: true });
  });
  after(() => console[Symbol.asyncDispose]());

  const places = (page: Page) => page.evaluate<string[]>(PLACES);
  const loaded = (page: Page) =>
    until('the page is loaded', async () => {
      const [now, busy] = [await places(page), await page.locator('.animate-shimmer').count()];
      return busy === 0 && now.length > 5;
    });

  it('all pages have one width, whether they scroll or not', async () => {
    const { ids, storageState } = await fillTeam(console.service, 'many');
    await using visit = await console.openAsStranger('/app/account', { storageState, ...DESKTOP });
    const { page } = visit;
    const widths = new Map<string, string>();
    const bars: boolean[] = [];
    for (const path of [
      '/app/account',
      '/app/applications',
      '/app/overview',
      `/app/applications/${ids.application}/messages`,
      `/app/applications/${ids.application}/settings`,
    ]) {
      await page.goto(console.service.url + path);
      await page.locator('h1').waitFor();
      await loaded(page);
      const box = await page.evaluate<string>(`(() => {
        const { left, right } = document.querySelector('main > div').getBoundingClientRect();
        return left + ' ' + right;
      })()`);
      widths.set(path, box);
      bars.push(await page.evaluate('innerWidth > document.documentElement.clientWidth'));
    }
    assert.equal(new Set(widths.values()).size, 1, JSON.stringify([...widths]));
    assert.deepEqual(new Set(bars), new Set([true, false]), 'some pages have a scrollbar');
    assertFaultless(visit);
  });

  it('a dialog, the palette and the switcher do not move the page', async () => {
    const { ids, storageState } = await fillTeam(console.service, 'many');
    for (const path of ['/app/team', `/app/applications/${ids.application}/messages`]) {
      await using visit = await console.openAsStranger(path, { storageState, ...DESKTOP });
      const { page } = visit;
      await page.locator('h1').waitFor();
      await loaded(page);
      const still = await places(page);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await places(page), still, 'behind the palette');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByTestId('switch-application').click();
      await page.getByTestId('application-search').waitFor();
      assert.deepEqual(await places(page), still, 'behind the switcher');
      await page.keyboard.press('Escape');
      if (path === '/app/team') {
        await page.getByTestId('invite').click();
        await page.getByRole('dialog').waitFor();
        assert.deepEqual(await places(page), still, 'behind a dialog');
      }
      assertFaultless(visit);
    }
  });

  it('data that cannot be refreshed stays in place, with a notice that says so', async () => {
    const { storageState } = await fillTeam(console.service, 'one');
    await using visit = await console.openAsStranger('/app/team', { storageState, ...DESKTOP });
    const { page } = visit;
    await page.getByRole('row').first().waitFor();
    await loaded(page);
    const still = await places(page);
    await page.route('**/1/**', (route) => route.fulfill({ status: 500, json: {} }));
    await until('a refresh fails', async () => {
      // The data is fetched again after it has become stale.
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      return (await page.getByTestId('stale').count()) > 0;
    });
    assert.deepEqual(await places(page), still);
    await page.unroute('**/1/**');
    await page.getByTestId('stale').getByRole('button').click();
    await page.getByTestId('stale').waitFor({ state: 'detached' });
    assert.deepEqual(await places(page), still);
  });

  it('the console uses its own font, which it preloads', async () => {
    await using visit = await console.open('/app/account', DESKTOP);
    const { page } = visit;
    await page.locator('h1').waitFor();
    await page.evaluate('document.fonts.ready.then(() => {})');
    const fonts = await page.evaluate<string[]>(
      `[...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family)`,
    );
    assert.ok(
      fonts.some((family) => /Inter/.test(family)),
      fonts.join(),
    );
    const loadedFonts = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.woff2'))`,
    );
    assert.equal(loadedFonts.length, 1, 'only the Latin part');
    assertFaultless(visit);
  });
});
