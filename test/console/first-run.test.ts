import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { SignIn } from '../../src/http/auth/sign-in.ts';
import { systemClock } from '../../src/lib/runtime/clock.ts';
import { CHROMIUM, assertFaultless, holds } from '../support/programs/browser.ts';
import {
  DESKTOP,
  EMAIL,
  PASSWORD,
  PHONE,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';

/* Somebody who has never been here: from the link that the first start prints to a message that is read. */

describe('the first run of the console', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  /** Somebody who has no password yet, and the link that lets them in. */
  async function newcomer(): Promise<string> {
    const { owner } = await console.service.otherTeam();
    const code = await new SignIn(console.service.store, systemClock).createLink(owner.id);
    return `/sign-in#code=${code}`;
  }

  for (const [where, options] of [
    ['on a desktop, in light colours', { ...DESKTOP, colorScheme: 'light' }],
    ['on a phone, in dark colours', { ...PHONE, colorScheme: 'dark' }],
  ] as const) {
    it(`leads from a link to a message that is read and answered, ${where}`, async () => {
      await using visit = await console.openAsStranger(await newcomer(), options);
      const { page } = visit;
      await page.getByRole('heading', { name: 'Welcome' }).waitFor();
      assert.equal(new URL(page.url()).hash, '', 'the code does not stay in the address');
      assert.deepEqual(await axeFaults(page), []);
      await page.getByLabel('Your name').fill('Grace');
      await page.getByLabel('Email').fill(`grace-${where.length}@example.com`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Save and go on' }).click();

      await page.getByRole('heading', { name: 'Guided start' }).waitFor();
      await page.getByLabel('Name of the application').fill('first-steps');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: 'Add a web chat' }).click();
      const chat = page.frameLocator('iframe[title="Test chat"]');
      await chat.locator('body[data-state=open]').waitFor();
      assert.deepEqual(await axeFaults(page), []);

      await page.getByLabel('Text').fill('Hello, Grace');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await chat.getByText('Hello, Grace').waitFor();
      await page.getByRole('status').getByText('Delivered').waitFor();

      await chat.locator('#text').fill('Hello, machine');
      await chat.getByRole('button', { name: 'Send' }).click();
      await page.getByText('The visitor wrote').getByText('Hello, machine').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      assertFaultless(visit);
    });
  }

  it('gives a call to copy that sends the same message', async () => {
    await using visit = await console.open('/app/start', {
      ...DESKTOP,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = visit;
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Add a web chat' }).click();
    await page.frameLocator('iframe').locator('body[data-state=open]').waitFor();
    await page.getByRole('button', { name: 'Put a token in' }).click();
    await page.getByText('What you copy has the whole token in it').waitFor();
    const shown = await page.locator('pre').textContent();
    await page.getByRole('button', { name: 'Copy the code' }).click();
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    const [, token = ''] = /Bearer (\S+)'/.exec(copied) ?? [];
    assert.ok(token.length > 50 && !shown?.includes(token), 'the page does not show the token');
    const [, body = ''] = /-d '([^]*)'$/.exec(copied) ?? [];
    const { status } = await console.service.as(token).post('/1/message', JSON.parse(body));
    assert.equal(status, 202);
    await page.frameLocator('iframe').getByText('Hello from Switchboard').waitFor();
    await page.getByText('TypeScript').click();
    assert.match((await page.locator('pre').textContent()) ?? '', /await fetch\(/);
    assertFaultless(visit);
  });

  it('says so when the link was used before, and lets in by password instead', async () => {
    const link = await newcomer();
    await using used = await console.openAsStranger(link);
    await used.page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await using visit = await console.openAsStranger(link, { ...PHONE, colorScheme: 'light' });
    const { page } = visit;
    await page.getByText('This link does not work any more').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill('a wrong example');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(/no user/i).waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/app/**');
  });

  it('refuses a password that is too short, where it stands', async () => {
    await using visit = await console.openAsStranger(await newcomer());
    const { page } = visit;
    await page.getByLabel('Email').fill('hopper@example.com');
    await page.getByLabel('Password').fill('short');
    await page.getByRole('button', { name: 'Save and go on' }).click();
    await page.getByRole('alert').filter({ hasText: '8' }).waitFor();
    assert.equal(await page.getByLabel('Password').getAttribute('aria-invalid'), 'true');
  });
});

describe('a session of the console', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  it('is asked for, and then leads to where one wanted to go', async () => {
    await using visit = await console.openAsStranger('/app/start?application=7');
    const { page } = visit;
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/app/start?application=7');
    assertFaultless(visit);
  });

  it('never leads anywhere else', async () => {
    await using visit = await console.open('/app/start');
    for (const next of ['https://x.example/', '//x.example/', '/docs', 'javascript:alert(1)']) {
      await visit.page.goto(`${console.service.url}/sign-in?next=${encodeURIComponent(next)}`);
      await visit.page.waitForURL('**/app/**');
      assert.equal(new URL(visit.page.url()).origin, console.service.url);
    }
    assertFaultless(visit);
  });

  it('that is ended elsewhere ends here, says so, and goes on where it was', async () => {
    const { api } = await console.service.otherTeam();
    const email = 'lovelace@example.com';
    await api.post('/1/users', { email, state: 'enable', name: 'Byron', password: PASSWORD });
    await using visit = await console.openAsStranger('/app/start', DESKTOP);
    const { page } = visit;
    const enter = async (where: Page) => {
      await where.getByLabel('Email').fill(email);
      await where.getByLabel('Password').fill(PASSWORD);
      await where.getByRole('button', { name: 'Sign in' }).click();
      await where.getByRole('heading', { name: 'Guided start' }).waitFor();
    };
    await enter(page);
    await using other = await console.openAsStranger('/sign-in', DESKTOP);
    await enter(other.page);
    await other.page.getByRole('button', { name: /^Byron/ }).click();
    await other.page.getByRole('menuitem', { name: 'Sign out everywhere' }).click();
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assertFaultless(other);
    await page.getByLabel('Name of the application').fill('too-late-for-this');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Your session has ended').waitFor();
    await enter(page);
    assert.match(page.url(), /\/app\/start/);
  });

  it('keeps the theme that was chosen', async () => {
    await using visit = await console.open('/app/start', { ...DESKTOP, colorScheme: 'light' });
    const { page } = visit;
    await page.getByRole('button', { name: /^Ada/ }).click();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await holds(page, `getComputedStyle(document.documentElement).colorScheme === 'dark'`);
    await page.reload();
    await page.getByRole('heading', { name: 'Guided start' }).waitFor();
    await holds(page, `getComputedStyle(document.documentElement).colorScheme === 'dark'`);
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('shows what is not there as not there, within its frame', async () => {
    await using visit = await console.open('/app/applications/999/messages', PHONE);
    const { page } = visit;
    await page.getByText('There is nothing here').waitFor();
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('link', { name: 'Guided start' }).click();
    await page.getByRole('heading', { name: 'Guided start' }).waitFor();
    assertFaultless(visit);
  });
});
