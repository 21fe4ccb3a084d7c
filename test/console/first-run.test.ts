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

/* A new user: from the sign-in link of the first start to a message that is answered. */

describe('console: first run', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  /** The sign-in link of a user without a password. */
  async function newcomer(): Promise<string> {
    const { owner } = await console.service.otherTeam();
    const code = await new SignIn(console.service.store, systemClock).createLink(owner.id);
    return `/sign-in#code=${code}`;
  }

  for (const [where, options] of [
    ['on a desktop, in light colours', { ...DESKTOP, colorScheme: 'light' }],
    ['on a phone, in dark colours', { ...PHONE, colorScheme: 'dark' }],
  ] as const) {
    it(`the guided start leads from a sign-in link to a message that is answered on the phone, ${where}`, async () => {
      await using visit = await console.openAsStranger(await newcomer(), options);
      const { page } = visit;
      await page.getByTestId('welcome').waitFor();
      assert.equal(new URL(page.url()).hash, '', 'the code is removed from the URL');
      assert.deepEqual(await axeFaults(page), []);
      await page.getByLabel('Your name').fill('Grace');
      await page.getByLabel('Email').fill(`grace-${where.length}@example.com`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByTestId('save').click();

      await page.waitForURL('**/app/start');
      await page.getByTestId('name').fill('first-steps');
      await page.getByTestId('create').click();
      await page.getByTestId('choose-whatsapp').click();
      const phone = page.getByTestId('phone');
      await phone.getByTestId('no-messages').waitFor();
      assert.deepEqual(await axeFaults(page), []);

      await page.getByTestId('text').fill('Hello, Grace');
      await page.getByTestId('send').click();
      await phone.getByTestId('received').getByText('Hello, Grace').waitFor();
      await page.locator('[role="status"] [data-state="delivered"]').waitFor();

      await phone.getByTestId('answer').fill('Hello, machine');
      await phone.getByTestId('answer').press('Enter');
      await page.getByTestId('answer-text').getByText('Hello, machine').waitFor();
      await page.locator('[data-testid=steps-done][data-done="4"]').waitFor();
      assert.deepEqual(await axeFaults(page), []);

      // Another channel begins again, and is remembered.
      await page.getByTestId('choose-again').click();
      await page.getByTestId('choose-slack').click();
      await page.locator('[data-testid=steps-done][data-done="2"]').waitFor();
      await page.getByTestId('send').click();
      await phone.getByTestId('received').waitFor();
      assertFaultless(visit);
    });
  }

  it('the guided start also has the web chat', async () => {
    const { application } = await console.service.application({ name: 'chat-test' });
    await using visit = await console.open(`/app/start?application=${application.id}`, DESKTOP);
    const { page } = visit;
    await page.getByTestId('choose-webmessenger').click();
    const chat = page.frameLocator('iframe[data-testid="chat"]');
    await chat.locator('body[data-state=open]').waitFor();
    await page.getByTestId('send').click();
    await chat.getByText('Hello from Switchboard').waitFor();
    await page.locator('[role="status"] [data-state="delivered"]').waitFor();
    await chat.locator('#text').fill('Hello, machine');
    await chat.locator('#send').click();
    await page.getByTestId('answer-text').getByText('Hello, machine').waitFor();
    assertFaultless(visit);
  });

  it('the copied curl command of the guided start sends the same message', async () => {
    const { application } = await console.service.application({ name: 'curl-test' });
    await using visit = await console.open(`/app/start?application=${application.id}`, {
      ...DESKTOP,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = visit;
    await page.getByTestId('choose-telegram').click();
    await page.getByTestId('phone').waitFor();
    await page.getByTestId('add-token').click();
    await page.getByTestId('token-added').waitFor();
    const shown = await page.locator('pre').textContent();
    await page.getByTestId('copy-code').click();
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    const [, token = ''] = /Bearer (\S+)'/.exec(copied) ?? [];
    assert.ok(token.length > 50 && !shown?.includes(token), 'the page does not show the token');
    const [, body = ''] = /-d '([^]*)'$/.exec(copied) ?? [];
    const { status } = await console.service.as(token).post('/1/message', JSON.parse(body));
    assert.equal(status, 202);
    await page.getByTestId('received').getByText('Hello from Switchboard').waitFor();
    await page.locator('label:has(input[value=typescript])').click();
    assert.match((await page.locator('pre').textContent()) ?? '', /await fetch\(/);
    assertFaultless(visit);
  });

  it('a used sign-in link is reported, and a password signs in instead', async () => {
    const link = await newcomer();
    await using used = await console.openAsStranger(link);
    await used.page.getByTestId('welcome').waitFor();
    await using visit = await console.openAsStranger(link, { ...PHONE, colorScheme: 'light' });
    const { page } = visit;
    await page.getByTestId('link-invalid').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('Password').fill('a wrong example');
    await page.getByTestId('sign-in').click();
    await page.locator('[data-code="login_failed"]').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByTestId('sign-in').click();
    await page.waitForURL('**/app/**');
  });

  it('a password that is too short is reported at its field', async () => {
    await using visit = await console.openAsStranger(await newcomer());
    const { page } = visit;
    await page.getByLabel('Email').fill('hopper@example.com');
    await page.getByLabel('Password').fill('short');
    await page.getByTestId('save').click();
    await page.getByRole('alert').filter({ hasText: '8' }).waitFor();
    assert.equal(await page.getByLabel('Password').getAttribute('aria-invalid'), 'true');
  });
});

describe('console: sessions in the browser', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

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
