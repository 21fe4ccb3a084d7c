import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DESKTOP,
  EMAIL,
  PASSWORD,
  PHONE,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { followGuidedStart, newcomer } from '../support/programs/guided-start.ts';

/* A new user: from the sign-in link of the first start to a message that is answered. */

describe('console: first run', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  it('the guided start leads from a sign-in link to a message that is answered on the phone', async () => {
    await using visit = await console.openAsStranger(await newcomer(console), DESKTOP);
    await followGuidedStart(visit, 'grace');
  });

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
    await page.locator('label:has(input[value=python])').click();
    assert.match((await page.locator('pre').textContent()) ?? '', /with urlopen\(/);
    assertFaultless(visit);
  });

  it('a used sign-in link is reported, and a password signs in instead', async () => {
    const link = await newcomer(console);
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
    await using visit = await console.openAsStranger(await newcomer(console));
    const { page } = visit;
    await page.getByLabel('Email').fill('hopper@example.com');
    await page.getByLabel('Password').fill('short');
    await page.getByTestId('save').click();
    await page.getByRole('alert').filter({ hasText: '8' }).waitFor();
    assert.equal(await page.getByLabel('Password').getAttribute('aria-invalid'), 'true');
  });
});
