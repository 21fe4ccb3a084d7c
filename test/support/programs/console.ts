import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

import { hashPassword } from '../../../src/lib/crypto/password.ts';
import { type TestService, startTestService } from '../service/service.ts';
import { ROOT, readSources } from '../sources.ts';
import {
  type BrowserOptions,
  type WatchedPage,
  assertFaultless,
  openBrowser,
  openPage,
} from './browser.ts';
import { cachedBuild } from './cached-build.ts';

/* The console, built from the current sources, in a real browser and on a real service. */

/** Builds the console, unless the current sources were built before. Returns its folder. */
export function buildConsole(): string {
  const sources = readSources(
    'console/*.{json,ts,html}',
    'console/src/**/*',
    'src/lib/rich-text/*.ts',
  );
  return cachedBuild('console', sources, (folder) => {
    const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
    const options = ['--logLevel', 'warn', '--outDir', folder, '--emptyOutDir'];
    const args = [vite, 'build', 'console', ...options];
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  });
}

export const EMAIL = 'ada@example.com';
export const PASSWORD = 'a long example password';

export interface TestConsole extends AsyncDisposable {
  service: TestService;
  /** Opens a page, signed in as the owner of the team, whose password is PASSWORD. */
  open(path: string, options?: BrowserContextOptions): Promise<WatchedPage>;
  /** Opens a page without signing in. */
  openAsStranger(path: string, options?: BrowserContextOptions): Promise<WatchedPage>;
}

export async function openConsole(
  environment: Record<string, string> = {},
  browserOptions: BrowserOptions = {},
): Promise<TestConsole> {
  const folder = buildConsole();
  const service = await startTestService('sqlite', {
    environment: { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_CONSOLE_DIR: folder, ...environment },
  });
  const { store, owner, url } = service;
  const password = await hashPassword(PASSWORD);
  await store.users.update(owner.id, {
    email: EMAIL,
    name: 'Ada',
    password,
    updatedAt: Date.now(),
  });
  const browser = await openBrowser(browserOptions);
  let storageState: Awaited<ReturnType<BrowserContext['storageState']>> | undefined;

  const openAsStranger = (path: string, options: BrowserContextOptions = {}) =>
    openPage(browser, url + path, options);

  /** Runs once; later pages start with its cookie. */
  async function signIn() {
    await using visit = await openAsStranger('/sign-in');
    await visit.page.getByLabel('Email').fill(EMAIL);
    await visit.page.getByLabel('Password').fill(PASSWORD);
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.waitForURL('**/app/**');
    assertFaultless(visit);
    const state = await visit.page.context().storageState();
    return state;
  }

  return {
    service,
    openAsStranger,
    async open(path, options = {}) {
      storageState ??= await signIn();
      return openAsStranger(path, { storageState, ...options });
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await service[Symbol.asyncDispose]();
    },
  };
}

export const DESKTOP = { viewport: { width: 1440, height: 900 } };
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
export const LIGHT = { ...DESKTOP, colorScheme: 'light' } as const;
export const DARK_PHONE = { ...PHONE, colorScheme: 'dark' } as const;

const AXE = readFileSync(join(ROOT, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

/** The accessibility violations that axe finds on a page, one per line: of all rules, or only of these. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  // Elements that are still fading in have too little contrast.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished.catch(() => {}))).then(() => {})`);
  // Without the details of passed checks, which take axe most of its time.
  const found = await page.evaluate<string[]>(`axe.run(document, {
      iframes: false, resultTypes: ['violations'], runOnly: ${JSON.stringify(rules) ?? 'undefined'} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
      id + ' at ' + target.join(' ') + ': ' + failureSummary)))`);
  // A popup menu belongs to no landmark of the page.
  return found.filter((fault) => !fault.startsWith('region at div[data-radix-popper'));
}
