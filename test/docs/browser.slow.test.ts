import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { type Result, find, readIndex } from '../../site/browser/search-engine.ts';
import { CHROMIUM, holds } from '../support/programs/browser.ts';
import { type TestConsole, axeFaults, openConsole } from '../support/programs/console.ts';
import { buildDocs } from '../support/programs/docs.ts';

/* The documentation in a real browser. */

/** A page of each kind. */
const PAGES = [
  '/docs',
  '/docs/start',
  '/docs/sending',
  '/docs/channels',
  '/docs/channels/telegram',
  '/docs/errors',
  '/docs/performance',
  '/docs/reference',
  '/docs/reference/messages',
  '/docs/nothing-here',
];

const WIDTHS = [360, 768, 1024, 1440];

describe('the documentation in a browser', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole({ SWITCHBOARD_DOCS_DIR: buildDocs() });
  });
  after(() => console[Symbol.asyncDispose]());

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`pages are accessible and fit the screen, ${colorScheme}`, async () => {
      await using visit = await console.openAsStranger('/docs', { colorScheme });
      const { page } = visit;
      for (const [at, path] of PAGES.entries()) {
        await page.goto(console.service.url + path);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          const beyond =
            'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          assert.equal(await page.evaluate(beyond), 0, `${path} at ${width} pixels`);
        }
        // One width per page: rules do not depend on it as often.
        await page.setViewportSize({ width: WIDTHS[at % WIDTHS.length] ?? 1024, height: 900 });
        assert.deepEqual(await axeFaults(page), [], path);
      }
      const unexpected = visit.faults.filter((fault) => !fault.includes('404'));
      assert.deepEqual(unexpected, []);
    });
  }

  it('the search opens with a key and leads to a section', async () => {
    await using visit = await console.openAsStranger('/docs');
    const { page } = visit;
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('rate limit');
    await page.waitForSelector('[data-testid=search-results] a');
    assert.deepEqual(await axeFaults(page), []);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/rate-limits/);
    assert.deepEqual(visit.faults, []);
  });

  it('a chosen language applies to all tabs and is remembered', async () => {
    await using visit = await console.openAsStranger('/docs/reference/messages');
    const { page } = visit;
    await page.getByRole('tab', { name: 'TypeScript' }).first().click();
    const shown = () => page.locator('.code[data-tab=TypeScript]:visible').count();
    assert.ok((await shown()) > 5);
    await page.goto(`${console.service.url}/docs/reference/integrations`);
    await holds(page, `document.querySelector('[role=tab][aria-selected=true]') !== null`);
    assert.ok((await shown()) > 5);
    // Groups without the language keep their first one.
    assert.equal(await page.locator('.tabs .code[data-tab=curl]:visible').count(), 0);
    assert.deepEqual(visit.faults, []);
  });

  it('code blocks are copied as they are', async () => {
    await using visit = await console.openAsStranger('/docs/start', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = visit;
    const block = page.locator('.code:not([hidden])').first();
    await block.hover();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, await block.locator('code').textContent());
  });

  it('the theme is chosen once for the docs and the console', async () => {
    await using visit = await console.openAsStranger('/docs', { colorScheme: 'light' });
    const { page } = visit;
    await page.getByTestId('theme').selectOption('dark');
    for (const path of ['/docs/sending', '/sign-in']) {
      await page.goto(console.service.url + path);
      await holds(page, `document.documentElement.dataset.theme === 'dark'`);
    }
  });

  it('the docs use the font of the console, of which they load one file', async () => {
    await using visit = await console.openAsStranger('/docs/sending');
    const { page } = visit;
    await page.evaluate('document.fonts.ready.then(() => {})');
    const fonts = await page.evaluate<string[]>(
      `[...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family)`,
    );
    assert.deepEqual(fonts, ['Inter Variable']);
    const files = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.woff2'))`,
    );
    assert.equal(files.length, 1, 'only the Latin part');
    assert.deepEqual(visit.faults, []);
  });

  it('a call is tried as the signed-in user, and explained to others', async () => {
    await using stranger = await console.openAsStranger('/docs/reference/applications');
    const tryIt = (page: typeof stranger.page) =>
      page.locator('article', { has: page.locator('#listApplications') });
    await tryIt(stranger.page).getByRole('button', { name: 'Try it' }).click();
    await tryIt(stranger.page).locator('.try a[href="/app"]').waitFor();

    await using visit = await console.open('/docs/reference/applications');
    const article = tryIt(visit.page);
    await article.getByRole('button', { name: 'Try it' }).click();
    await article.getByRole('button', { name: 'Send GET request' }).click();
    const status = article.locator('.try strong');
    await status.waitFor();
    assert.equal(await status.textContent(), '200');
    assert.deepEqual(await axeFaults(visit.page), []);
    assert.deepEqual(visit.faults, []);
  });

  it('without scripts, all languages are visible', async () => {
    await using visit = await console.openAsStranger('/docs/reference/messages', {
      javaScriptEnabled: false,
    });
    const all = await visit.page.locator('.tabs .code').count();
    assert.ok(all > 10);
    assert.equal(await visit.page.locator('.tabs .code:visible').count(), all);
  });
});

it('the search finds the page of a subject first', () => {
  const assets = join(buildDocs(), 'assets');
  const file = readdirSync(assets).find((name) => /^search-.*\.json$/.test(name)) ?? '';
  const index = readIndex(readFileSync(join(assets, file), 'utf8'));
  const first = (query: string): Partial<Result> => find(index, query)[0] ?? {};
  for (const [query, address] of [
    ['sms', /^\/docs\/channels\/choosing/],
    ['webhook signature', /^\/docs\/webhooks/],
    ['rate limit', /^\/docs\/rate-limits/],
    ['resend', /resend/i],
    ['idempotency key', /^\/docs\/idempotency/],
    ['telegram', /^\/docs\/channels\/telegram/],
    ['gdpr', /^\/docs\/privacy/],
    ['sendMessage', /#sendMessage$/],
    ['backup', /^\/docs\/backups/],
    ['install', /^\/docs\/start/],
    ['quickstart', /^\/docs\/start/],
    ['schedule', /^\/docs\/messaging\/scheduling/],
    ['fallback', /^\/docs\/(?:recipes\/fallback|messaging\/routes)/],
    ['rollback', /^\/docs\/upgrading/],
    ['batch', /^\/docs\/sending/],
    ['attachment', /^\/docs\/sending/],
    ['cost', /^\/docs\/channels\/choosing/],
    ['cli', /^\/docs\/command-line/],
    ['unsubscribe', /^\/docs\/messaging\/consent/],
    ['delivery report', /^\/docs\/receiving/],
    ['high availability', /^\/docs\/scaling/],
    ['nginx', /^\/docs\/production/],
    ['python', /^\/docs\/python/],
    ['webhok signature', /^\/docs\/webhooks/],
    ['retires', /./],
  ] as const) {
    assert.match(first(query).address ?? '', address, query);
  }
  assert.deepEqual(find(index, 'xqzzyv'), []);
});
