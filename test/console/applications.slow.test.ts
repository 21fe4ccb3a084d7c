import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { SignJWT } from 'jose';
import type { Page } from 'playwright-core';

import { type Endpoint, openEndpoint } from '../emulators/endpoint.ts';
import { CORPUS } from '../support/corpus.ts';
import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { until } from '../support/until.ts';

describe('console: applications', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let endpoint: Endpoint;
  before(async () => {
    console = await openConsole();
    endpoint = await openEndpoint();
  });
  after(async () => {
    await console[Symbol.asyncDispose]();
    await endpoint.close();
  });

  /** An application and the path of its settings. */
  async function make(fields: Record<string, unknown> = {}) {
    const { application, app } = await console.service.application(fields);
    const id = Number(application.id);
    const get = async () => (await console.service.api.get(`/1/applications/${id}`)).body;
    return { id, app, get, settings: `/app/applications/${id}/settings` };
  }

  const press = (page: Page, testId: string) => page.getByTestId(testId).click();
  const testResult = (page: Page, status: number) =>
    page.locator(`[data-testid="test-result"][data-status="${status}"]`).waitFor();
  const state = (page: Page, value: string) => page.locator(`h1 [data-state="${value}"]`).waitFor();

  for (const [where, options] of [
    ['on a desktop', LIGHT],
    ['on a phone', DARK_PHONE],
  ] as const) {
    it(`applications are listed, searched and created ${where}`, async () => {
      await make({ name: 'quiet-harbour-1' });
      await make({ name: 'loud-harbour-22', state: 'disable' });
      await using visit = await console.open('/app/applications?q=harbour', options);
      const { page } = visit;
      await page
        .getByRole('row', { name: 'loud-harbour-22' })
        .locator('[data-state="disable"]')
        .first()
        .waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('search').fill('nowhere');
      await page.getByTestId('no-match').waitFor();
      assert.match(page.url(), /q=nowhere/);
      await press(page, 'create');
      await page.getByLabel('Name').fill('made-in-a-browser');
      await press(page, 'submit');
      await page.waitForURL('**/settings');
      await page.getByRole('heading', { name: /made-in-a-browser/ }).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      assertFaultless(visit);
    });
  }

  it('an application is renamed, disabled, enabled, and set to hold uncertain messages', async () => {
    const { id, get, settings } = await make({ name: 'before-the-change' });
    await using visit = await console.open(settings, LIGHT);
    const { page } = visit;
    await page.getByLabel('Name').fill('after-the-change');
    await press(page, 'rename');
    await page.getByRole('heading', { name: /after-the-change/ }).waitFor();
    await page.locator('input[value=hold]').click();
    await press(page, 'disable');
    await press(page, 'confirm');
    await state(page, 'disable');
    const stored = await get();
    assert.deepEqual([stored.name, stored.state], ['after-the-change', 'disable']);
    const { body } = await console.service.api.get(`/1/applications/${id}/delivery`);
    assert.deepEqual(body, { uncertain: 'hold' });
    await press(page, 'enable');
    await state(page, 'enable');
    assert.equal((await get()).state, 'enable');
    assertFaultless(visit);
  });

  it('an invalid name or webhook URL is reported at its field and not saved', async () => {
    const { get, settings } = await make({ name: 'as-it-was' });
    await using visit = await console.open(settings, DARK_PHONE);
    const { page } = visit;
    await page.getByLabel('Name').fill('short');
    await press(page, 'rename');
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await axeFaults(page), []);
    await page.locator('a[href$="/settings/webhook"]').click();
    await page.getByLabel('URL').fill('ftp://example.com/');
    await press(page, 'save');
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByLabel('URL').getAttribute('aria-invalid'), 'true');
    const { name, webhook_url } = await get();
    assert.deepEqual([name, webhook_url], ['as-it-was', null]);
  });

  it('an application is deleted only after its name is typed', async () => {
    const { id, settings } = await make({ name: 'to-be-deleted' });
    await using visit = await console.open(settings, DARK_PHONE);
    const { page } = visit;
    await press(page, 'delete');
    const confirm = page.getByTestId('confirm');
    await page.getByTestId('confirm-text').fill('to-be-delete');
    assert.ok(await confirm.isDisabled());
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('confirm-text').fill('to-be-deleted');
    await confirm.click();
    await page.waitForURL('**/app/applications');
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
    assert.equal((await console.service.api.get(`/1/applications/${id}`)).status, 404);
    assert.equal(await page.getByRole('link', { name: 'to-be-deleted' }).count(), 0);
  });

  it('a webhook test shows the response and recomputes the signature', async () => {
    const { get, settings } = await make();
    await using visit = await console.open(`${settings}/webhook`, LIGHT);
    const { page } = visit;
    await page.getByLabel('URL').fill(`${endpoint.url}/hook`);
    await press(page, 'save');
    endpoint.next({ status: 500, body: 'something is broken' });
    await press(page, 'send-test');
    await testResult(page, 500);
    await page.getByText('something is broken').waitFor();
    endpoint.next({ status: 202, body: 'thank you' });
    await press(page, 'send-test');
    await testResult(page, 202);
    await page.getByTestId('signature-match').waitFor();
    const signature = endpoint.seen.at(-1)?.headers['webhook-signature'] ?? '';
    assert.equal(await page.getByText(signature, { exact: true }).count(), 2);
    await press(page, 'rotate');
    await press(page, 'confirm');
    await page.getByTestId('signing-secret').nth(1).waitFor();
    await page.getByTestId('signature-mismatch').waitFor();
    await press(page, 'send-test');
    await page.getByTestId('signature-match').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    const [secret] = await console.service.api
      .get(`/1/applications/${(await get()).id}/webhook`)
      .then(({ body }) => body.secrets);
    assert.equal(await page.getByText(secret).count(), 0, 'secrets are masked');
    await page.getByTestId('reveal').first().click();
    await page.getByText(secret).waitFor();
    await press(page, 'remove');
    await page.locator('[data-testid="webhook-state"][data-state="disable"]').waitFor();
    assert.equal((await get()).webhook_url, null);
    assertFaultless(visit);
  });

  it('a paused webhook shows the reason and is resumed', async () => {
    const { id, settings } = await make({ webhook_url: `${endpoint.url}/gone` });
    endpoint.react = ({ path }) => ({ status: path === '/gone' ? 410 : 200 });
    await console.service.store.events.append([
      { applicationId: id, type: 'message.sent', data: '{}', media: null, createdAt: Date.now() },
    ]);
    const webhook = () => console.service.api.get(`/1/applications/${id}/webhook`);
    await until('it is paused', async () => (await webhook()).body.state === 'paused');
    await using visit = await console.open(`${settings}/webhook`, DARK_PHONE);
    const { page } = visit;
    await page.getByTestId('paused').filter({ hasText: '410' }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    endpoint.react = () => ({ status: 200 });
    await press(page, 'resume');
    await page.locator('[data-testid="webhook-state"][data-state="enable"]').waitFor();
    assertFaultless(visit);
  });

  it('a token is shown once, works, and is revoked', async () => {
    const { settings } = await make();
    await using visit = await console.open(`${settings}/keys`, DARK_PHONE);
    const { page } = visit;
    await press(page, 'new-token');
    await page.getByTestId('lifetime').selectOption('1');
    await press(page, 'submit');
    const token = (await page.getByTestId('secret').textContent()) ?? '';
    assert.deepEqual(await axeFaults(page), []);
    assert.equal((await console.service.as(token).get('/1/applications/me')).status, 200);
    await press(page, 'done');
    assert.equal(await page.getByText(token).count(), 0);
    const row = page.getByTestId('tokens').getByRole('row').nth(1);
    await row.getByText(/^in (1 d|23 h)$/).waitFor();
    await row.getByTestId('revoke').click();
    await press(page, 'confirm');
    await page.locator('[data-testid="toast"][data-tone="ok"]').waitFor();
    assert.equal((await console.service.as(token).get('/1/applications/me')).status, 401);
    assertFaultless(visit);
  });

  it('a signing key signs tokens as its example shows', async () => {
    const { settings } = await make();
    await using visit = await console.open(`${settings}/keys`, LIGHT);
    const { page } = visit;
    await press(page, 'new-key');
    await press(page, 'submit');
    const secret = (await page.getByTestId('secret').textContent()) ?? '';
    const example = (await page.locator('dialog pre').textContent()) ?? '';
    const [, issuer = ''] = /setIssuer\("(\d+)"\)/.exec(example) ?? [];
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode(secret));
    assert.equal((await console.service.as(token).get('/1/applications/me')).status, 200);
    await press(page, 'done');
    await page.getByTestId('keys').getByText(issuer).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('application names and webhook responses are shown as text and never run', async () => {
    const names = CORPUS.map((text) => text.padEnd(6, '!').slice(0, 200));
    for (const name of names) await make({ name });
    const { settings } = await make({
      name: names.join(' ').slice(0, 200),
      webhook_url: `${endpoint.url}/?<script>alert(1)</script>`,
    });
    await using visit = await console.open('/app/applications', LIGHT);
    const { page } = visit;
    for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor();
    await page.goto(`${console.service.url}${settings}/webhook`);
    endpoint.next({
      status: 500,
      headers: { 'content-type': 'text/html' },
      body: CORPUS.join('\n'),
    });
    await press(page, 'send-test');
    await testResult(page, 500);
    const answer = (await page.locator('pre').first().textContent()) ?? '';
    assert.ok(answer.startsWith(CORPUS.slice(0, 5).join('\n')), answer);
    assertFaultless(visit);
  });
});
