import assert from 'node:assert/strict';

import {
  type Browser,
  type BrowserContextOptions,
  type Frame,
  type Page,
  chromium,
} from 'playwright-core';

import { findProgram, requirement } from '../requirement.ts';
import { WAIT_TIMEOUT_MS, until } from '../until.ts';

/* A real browser. */

/** The headless shell opens pages in two thirds of the time. */
export const CHROMIUM = requirement(
  findProgram('chromium-headless-shell') ? 'chromium-headless-shell' : 'chromium',
  'apt-get install chromium-headless-shell',
);

export interface BrowserOptions {
  /** Scrollbars that take room, as on most desktops; otherwise they are hidden. */
  scrollbars?: boolean;
}

export async function openBrowser({ scrollbars = false }: BrowserOptions = {}): Promise<
  Browser & AsyncDisposable
> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM.path ?? 'chromium',
    // Chromium's sandbox does not work as root, which containers often run as.
    args: ['--no-sandbox'],
    ...(scrollbars && { ignoreDefaultArgs: ['--hide-scrollbars'] }),
  });
  return browser;
}

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  reportFault('forbidden by ' + event.violatedDirective + ': ' + event.blockedURI))`;

/** A page that records all its errors. */
export interface WatchedPage extends AsyncDisposable {
  page: Page;
  /** Errors, violations of the content security policy, dialogs, and console errors and warnings. */
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
  page.setDefaultTimeout(WAIT_TIMEOUT_MS);
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  const close = () => context.close();
  return { page, faults, close, [Symbol.asyncDispose]: close };
}

/** Opens the chat page and waits until it is connected. */
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

/** Waits until a confirmed entry shows this text. */
export async function shows(page: Page, text: string): Promise<void> {
  await page.waitForSelector(`.entry:not(.pending) .bubble:has-text(${JSON.stringify(text)})`);
}

/** Waits until an expression is true in the page. */
export async function holds(page: Page | Frame, expression: string): Promise<void> {
  // Polled from here, because the page's policy forbids evaluating code.
  await until(expression, () => page.evaluate<boolean>(expression));
}

/** The displayed texts of all entries. */
export function textsIn(page: Page): Promise<string[]> {
  return page.locator('.entry .text, .entry .gone').allTextContents();
}

export function assertFaultless({ faults }: WatchedPage): void {
  assert.deepEqual(faults, []);
}
