import assert from 'node:assert/strict';

import {
  type Browser,
  type BrowserContextOptions,
  type Frame,
  type Page,
  chromium,
} from 'playwright-core';

import { findProgram, requirement } from './requirement.ts';
import { PATIENCE, until } from './until.ts';

/* A real browser, for what only a browser can tell. */

/** The one without windows starts pages in two thirds of the time. */
export const CHROMIUM = requirement(
  findProgram('chromium-headless-shell') ? 'chromium-headless-shell' : 'chromium',
  'apt-get install chromium-headless-shell',
);

export async function openBrowser(): Promise<Browser & AsyncDisposable> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM.path ?? 'chromium',
    // Root has no sandbox, and containers are often root.
    args: ['--no-sandbox'],
  });
  return browser;
}

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  reportFault('forbidden by ' + event.violatedDirective + ': ' + event.blockedURI))`;

/** A page that writes down everything that went wrong in it. */
export interface WatchedPage extends AsyncDisposable {
  page: Page;
  /** Errors, what the policy forbade, dialogs, and whatever was said on the console. */
  faults: string[];
  close(): Promise<void>;
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 900, height: 700 }, ...options });
  const faults: string[] = [];
  await context.exposeBinding('reportFault', (_source, fault: string) => void faults.push(fault));
  await context.addInitScript(REPORT_VIOLATIONS);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`));
  page.on('console', (said) => {
    if (['error', 'warning'].includes(said.type())) faults.push(`console: ${said.text()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  const close = () => context.close();
  return { page, faults, close, [Symbol.asyncDispose]: close };
}

/** The page of the chat, once it is connected. */
export async function openChatPage(
  browser: Browser,
  url: string,
  options?: BrowserContextOptions,
): Promise<WatchedPage> {
  const watched = await openPage(browser, url, options);
  await isConnected(watched.page);
  return watched;
}

export async function isConnected(page: Page): Promise<void> {
  await page.waitForSelector('body[data-state=open]');
}

export async function write(page: Page, text: string): Promise<void> {
  await page.fill('#text', text);
  await page.press('#text', 'Enter');
}

/** Waits until an entry shows this text, and all that is on its way has come. */
export async function shows(page: Page, text: string): Promise<void> {
  await page.waitForSelector(`.entry:not(.pending) .bubble:has-text(${JSON.stringify(text)})`);
}

/** Waits until an expression is true in the page. */
export async function holds(page: Page | Frame, expression: string): Promise<void> {
  // Asked from here: the page is not allowed to evaluate anything.
  await until(expression, () => page.evaluate<boolean>(expression));
}

/** The texts of all entries, as they stand there. */
export function textsIn(page: Page): Promise<string[]> {
  return page.locator('.entry .text, .entry .gone').allTextContents();
}

export function assertFaultless({ faults }: WatchedPage): void {
  assert.deepEqual(faults, []);
}
