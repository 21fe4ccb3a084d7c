import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { CHROMIUM } from '../../support/programs/browser.ts';
import { OVERFLOWS } from '../../support/programs/console-overflows.ts';
import {
  type ConsoleState,
  type Ids,
  STATES,
  fillTeam,
} from '../../support/programs/console-states.ts';
import { type TestConsole, axeFaults, openConsole } from '../../support/programs/console.ts';
import { readSources } from '../../support/sources.ts';
import { until } from '../../support/until.ts';

/*
 * Every page of the console in every state: nothing overflows or is cut off at any width, and axe finds nothing. axe
 * takes most of the time, so it looks at each page and state at one width; the color contrast, which is all that
 * depends on the theme, it checks in both themes. With SCREENSHOTS=folder, each page is also saved as an image.
 */

const APPLICATION = '/app/applications/$application';

/** Pages by route. With states, only those differ. */
const PAGES: readonly [route: string, states?: readonly ConsoleState[]][] = [
  ['/app/start', ['empty', 'one', 'long names']],
  ['/app/account', ['one', 'long names']],
  ['/app/team', ['one', 'long names', 'no rights']],
  ['/app/team/audit', ['one', 'many', 'long names']],
  ['/app/overview', ['empty', 'many', 'failing', 'long names']],
  ['/app/applications', ['one', 'many', 'long names']],
  [`${APPLICATION}/overview`, ['empty', 'one', 'failing', 'long names']],
  [`${APPLICATION}/conversations`, ['empty', 'one', 'many', 'failing', 'long names']],
  [`${APPLICATION}/conversations/$conversation`, ['one', 'failing', 'long names', 'no rights']],
  [`${APPLICATION}/contacts`, ['empty', 'one', 'many', 'long names']],
  [`${APPLICATION}/contacts/$contact`, ['one', 'long names', 'no rights']],
  [`${APPLICATION}/messages`, ['empty', 'one', 'many', 'failing', 'long names']],
  [`${APPLICATION}/messages/$message`, ['one', 'failing', 'long names']],
  [`${APPLICATION}/messages/jobs/$job`, ['one', 'long names']],
  [`${APPLICATION}/integrations`, ['empty', 'one', 'many', 'failing', 'long names']],
  [`${APPLICATION}/integrations/new`, ['one']],
  [`${APPLICATION}/integrations/new/email`, ['one']],
  [`${APPLICATION}/integrations/$integration`, ['one', 'long names']],
  [`${APPLICATION}/integrations/$phone/phone`, ['one', 'long names']],
  [`${APPLICATION}/pools`, ['empty', 'one', 'failing', 'long names']],
  [`${APPLICATION}/templates`, ['empty', 'one', 'long names']],
  [`${APPLICATION}/templates/$template`, ['one', 'long names']],
  [`${APPLICATION}/events`, ['empty', 'one', 'many', 'long names']],
  [`${APPLICATION}/events/deliveries`, ['empty', 'failing', 'long names']],
  [`${APPLICATION}/events/$event`, ['one', 'long names']],
  [`${APPLICATION}/events/deliveries/$delivery`, ['failing', 'long names']],
  [`${APPLICATION}/consents`, ['empty', 'one', 'long names']],
  [`${APPLICATION}/playground`, ['empty', 'one', 'many', 'long names']],
  [`${APPLICATION}/settings`, ['one', 'long names']],
  [`${APPLICATION}/settings/webhook`, ['one', 'failing', 'long names']],
  [`${APPLICATION}/settings/keys`, ['empty', 'one', 'long names']],
  ['/app/applications/0/overview', ['one']],
];

/** Pages without the navigation, which have tests of their own. */
const ELSEWHERE = ['/sign-in', '/invitation', '/welcome', '/app', '/'];

const WIDTHS = [360, 768, 1440];
const SCREENSHOTS = process.env['SCREENSHOTS'];

const pathOf = (route: string, ids: Ids) =>
  route.replaceAll(/\$(\w+)/g, (_, name: keyof Ids) => String(ids[name]));

/** A page has loaded when it has a heading and nothing is loading. */
const IS_LOADED = `document.querySelector('h1, h2') !== null &&
  document.querySelector('.animate-shimmer, [aria-busy=true]') === null`;

/** React renders in the first frame after a change of the width, and lists place their rows in the next. */
const NEXT_FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
})`;

describe('console: every page in every state', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  it('the matrix has every route of the console', () => {
    const routes = [...readSources('console/src/**/routes.ts').values()].flatMap((text) =>
      [...text.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path),
    );
    assert.ok(routes.length > 20, 'the routes were found');
    const missing = routes
      .map((path) => path.replace('/new/$channel', '/new/email'))
      .map((path) => path.replace('/$integration/phone', '/$phone/phone'))
      .filter((path) => !ELSEWHERE.includes(path))
      .filter(
        (path) => !PAGES.some(([route]) => route.endsWith(path) || route.includes(`${path}/`)),
      );
    assert.deepEqual(missing, []);
  });

  for (const state of STATES) {
    it(`no page overflows or has accessibility faults: ${state}`, async () => {
      const { ids, storageState } = await fillTeam(console.service, state);
      const routes = PAGES.filter(([, states]) => states?.includes(state) ?? true);
      await using visit = await console.openAsStranger('/app/account', { storageState });
      const { page } = visit;
      const faults: string[] = [];
      for (const [i, [route]] of routes.entries()) {
        const path = pathOf(route, ids);
        await page.goto(console.service.url + path);
        await until(`${path} is loaded`, () => page.evaluate<boolean>(IS_LOADED));
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          // Lists render other rows below a certain width.
          await page.evaluate(NEXT_FRAMES);
          const found = await page.evaluate<string[]>(OVERFLOWS);
          faults.push(...found.map((fault) => `${route}, ${width} px: ${fault}`));
          await save(page, `${state}-${route}-${width}`);
        }
        await page.setViewportSize({ width: WIDTHS[i % WIDTHS.length] ?? 360, height: 900 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
          const found = await axeFaults(page, rules);
          faults.push(...found.map((fault) => `${route}, ${colorScheme}: ${fault}`));
        }
      }
      faults.push(...visit.faults.filter((fault) => !fault.includes('404')));
      assert.deepEqual(faults, []);
    });
  }

  async function save(page: Page, name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    mkdirSync(SCREENSHOTS, { recursive: true });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const file = `${name}-${colorScheme}`.replaceAll(/[^\w-]+/g, '_');
      await page.screenshot({
        path: join(SCREENSHOTS, `${file}.png`),
        fullPage: true,
        animations: 'disabled',
      });
    }
  }
});
