import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { CHROMIUM, assertFaultless, holds } from '../../support/programs/browser.ts';
import {
  DESKTOP,
  EMAIL,
  PASSWORD,
  PHONE,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../../support/programs/console.ts';
import { newcomer, followGuidedStart } from '../../support/programs/guided-start.ts';

describe('console: sessions in the browser', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  it('the guided start leads to an answered message on a phone, in dark colors', async () => {
    const options = { ...PHONE, colorScheme: 'dark' } as const;
    await using visit = await console.openAsStranger(await newcomer(console), options);
    await followGuidedStart(visit, 'hopper');
  });

  it('signing in leads to the requested page', async () => {
    await using visit = await console.openAsStranger('/app/start?application=7');
    const { page } = visit;
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByTestId('sign-in').click();
    await page.waitForURL('**/app/start?application=7');
    assertFaultless(visit);
  });

  it('signing in never redirects to another site', async () => {
    await using visit = await console.open('/app/start');
    for (const next of ['https://x.example/', '//x.example/', '/docs', 'javascript:alert(1)']) {
      await visit.page.goto(`${console.service.url}/sign-in?next=${encodeURIComponent(next)}`);
      await visit.page.waitForURL('**/app/**');
      assert.equal(new URL(visit.page.url()).origin, console.service.url);
    }
    assertFaultless(visit);
  });

  it('a session that was ended elsewhere is reported, and signing in returns to the same page', async () => {
    const { api } = await console.service.otherTeam();
    const email = 'lovelace@example.com';
    await api.post('/1/users', { email, state: 'enable', name: 'Byron', password: PASSWORD });
    await using visit = await console.openAsStranger('/app/start', DESKTOP);
    const { page } = visit;
    const enter = async (where: Page) => {
      await where.getByLabel('Email').fill(email);
      await where.getByLabel('Password').fill(PASSWORD);
      await where.getByTestId('sign-in').click();
      await where.getByTestId('name').waitFor();
    };
    await enter(page);
    await using other = await console.openAsStranger('/sign-in', DESKTOP);
    await enter(other.page);
    await other.page.getByRole('button', { name: /^Byron/ }).click();
    await other.page.getByTestId('sign-out-everywhere').click();
    await other.page.getByTestId('sign-in').waitFor();
    assertFaultless(other);
    await page.getByTestId('name').fill('too-late-for-this');
    await page.getByTestId('create').click();
    await page.getByTestId('session-ended').waitFor();
    await enter(page);
    assert.match(page.url(), /\/app\/start/);
  });

  it('the chosen theme is kept after a reload', async () => {
    await using visit = await console.open('/app/start', { ...DESKTOP, colorScheme: 'light' });
    const { page } = visit;
    await page.getByRole('button', { name: /^Ada/ }).click();
    assert.deepEqual(await axeFaults(page), []);
    await page.locator('[data-value="dark"]').click();
    await holds(page, `getComputedStyle(document.documentElement).colorScheme === 'dark'`);
    await page.reload();
    await page.locator('h1').waitFor();
    await holds(page, `getComputedStyle(document.documentElement).colorScheme === 'dark'`);
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('an unknown application shows the not-found page inside the navigation', async () => {
    await using visit = await console.open('/app/applications/999/messages', PHONE);
    const { page } = visit;
    await page.getByTestId('not-found').waitFor();
    await page.getByTestId('open-navigation').click();
    assert.deepEqual(await axeFaults(page), []);
    await page.locator('dialog a[href="/app/start"]').click();
    await page.waitForURL('**/app/start');
    // The browser reports the response to the request for the application.
    assert.deepEqual(
      visit.faults.filter((fault) => !fault.includes('404')),
      [],
    );
  });
});
