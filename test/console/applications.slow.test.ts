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

describe('the applications of the console', { skip: CHROMIUM.skip }, () => {
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

  /** An application, and the address of its settings. */
  async function make(fields: Record<string, unknown> = {}) {
    const { application, app } = await console.service.application(fields);
    const id = Number(application.id);
    const get = async () => (await console.service.api.get(`/1/applications/${id}`)).body;
    return { id, app, get, settings: `/app/applications/${id}/settings` };
  }

  const says = (page: Page, hasText: string) =>
    page.getByRole('status').filter({ hasText }).waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name }).click();

  for (const [where, options] of [
    ['on a desktop', LIGHT],
    ['on a phone', DARK_PHONE],
  ] as const) {
    it(`are listed, found and made, ${where}`, async () => {
      await make({ name: 'quiet-harbour-1' });
      await make({ name: 'loud-harbour-22', state: 'disable' });
      await using visit = await console.open('/app/applications?q=harbour', options);
      const { page } = visit;
      await page
        .getByRole('row', { name: /loud-harbour-22 .*Disabled/ })
        .first()
        .waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByLabel('Find an application').fill('nowhere');
      await page.getByText('No application fits').waitFor();
      assert.match(page.url(), /q=nowhere/);
      await press(page, 'New application');
      await page.getByLabel('Name').fill('made-in-a-browser');
      await press(page, 'Create application');
      await page.waitForURL('**/settings');
      await page.getByRole('heading', { name: /made-in-a-browser/ }).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      assertFaultless(visit);
    });
  }

  it('are renamed, disabled and enabled, and told how to treat what is uncertain', async () => {
    const { id, get, settings } = await make({ name: 'before-the-change' });
    await using visit = await console.open(settings, LIGHT);
    const { page } = visit;
    await page.getByLabel('Name').fill('after-the-change');
    await press(page, 'Rename');
    await page.getByRole('heading', { name: /after-the-change/ }).waitFor();
    await page.getByRole('radio', { name: /Hold it/ }).click();
    await press(page, 'Disable…');
    await press(page, 'Disable it');
    await page.getByRole('heading', { name: /Disabled/ }).waitFor();
    const { name, state } = await get();
    assert.deepEqual([name, state], ['after-the-change', 'disable']);
    const { body } = await console.service.api.get(`/1/applications/${id}/delivery`);
    assert.deepEqual(body, { uncertain: 'hold' });
    await press(page, 'Enable');
    await page.getByRole('heading', { name: /Enabled/ }).waitFor();
    assert.equal((await get()).state, 'enable');
    assertFaultless(visit);
  });

  it('refuse what is wrong, where it stands', async () => {
    const { get, settings } = await make({ name: 'as-it-was' });
    await using visit = await console.open(settings, DARK_PHONE);
    const { page } = visit;
    await page.getByLabel('Name').fill('short');
    await press(page, 'Rename');
    await page.getByRole('alert').filter({ hasText: 'at least 6 characters' }).waitFor();
    assert.equal(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('link', { name: 'Webhook' }).click();
    await page.getByLabel('URL').fill('ftp://example.com/');
    await press(page, 'Save');
    await page.getByRole('alert').filter({ hasText: 'Must be an http' }).waitFor();
    const { name, webhook_url } = await get();
    assert.deepEqual([name, webhook_url], ['as-it-was', null]);
  });

  it('are deleted once their name is typed', async () => {
    const { id, settings } = await make({ name: 'to-be-deleted' });
    await using visit = await console.open(settings, DARK_PHONE);
    const { page } = visit;
    await press(page, 'Delete…');
    const deed = page.getByRole('button', { name: 'Delete it for good' });
    await page.getByLabel('Type to-be-deleted to confirm').fill('to-be-delete');
    assert.ok(await deed.isDisabled());
    assert.deepEqual(await axeFaults(page), []);
    await page.getByLabel('Type to-be-deleted to confirm').fill('to-be-deleted');
    await deed.click();
    await page.waitForURL('**/app/applications');
    await page.getByRole('heading', { name: 'Applications' }).waitFor();
    assert.equal((await console.service.api.get(`/1/applications/${id}`)).status, 404);
    assert.equal(await page.getByRole('link', { name: 'to-be-deleted' }).count(), 0);
  });

  it("have a webhook that is tried, with its signature made before one's eyes", async () => {
    const { get, settings } = await make();
    await using visit = await console.open(`${settings}/webhook`, LIGHT);
    const { page } = visit;
    await page.getByLabel('URL').fill(`${endpoint.url}/hook`);
    await press(page, 'Save');
    endpoint.next({ status: 500, body: 'something is broken' });
    await press(page, 'Send a test event');
    await says(page, 'Answered 500');
    await page.getByText('something is broken').waitFor();
    endpoint.next({ status: 202, body: 'thank you' });
    await press(page, 'Send a test event');
    await says(page, 'Answered 202');
    await page.getByText('They are the same').waitFor();
    const signature = endpoint.seen.at(-1)?.headers['webhook-signature'] ?? '';
    assert.equal(await page.getByText(signature, { exact: true }).count(), 2);
    await press(page, 'Rotate…');
    await press(page, 'Rotate it');
    await page.getByText('Both sign for now').waitFor();
    await page.getByText('The secret has changed since').waitFor();
    await press(page, 'Send a test event');
    await page.getByText('One of them is the same').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    const [secret] = await console.service.api
      .get(`/1/applications/${(await get()).id}/webhook`)
      .then(({ body }) => body.secrets);
    assert.equal(await page.getByText(secret).count(), 0, 'secrets are masked');
    await page.getByRole('button', { name: 'Show' }).first().click();
    await page.getByText(secret).waitFor();
    await press(page, 'Remove');
    await page.getByText('Not set').waitFor();
    assert.equal((await get()).webhook_url, null);
    assertFaultless(visit);
  });

  it('say why their webhook is paused, and resume it', async () => {
    const { id, settings } = await make({ webhook_url: `${endpoint.url}/gone` });
    endpoint.react = ({ path }) => ({ status: path === '/gone' ? 410 : 200 });
    await console.service.store.events.append([
      { applicationId: id, type: 'message.sent', data: '{}', media: null, createdAt: Date.now() },
    ]);
    const webhook = () => console.service.api.get(`/1/applications/${id}/webhook`);
    await until('it is paused', async () => (await webhook()).body.state === 'paused');
    await using visit = await console.open(`${settings}/webhook`, DARK_PHONE);
    const { page } = visit;
    await page.getByText('The endpoint answered 410').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    endpoint.react = () => ({ status: 200 });
    await press(page, 'Resume');
    await page.getByText('Active').waitFor();
    assertFaultless(visit);
  });

  it('get tokens that are shown once, work, and are revoked', async () => {
    const { settings } = await make();
    await using visit = await console.open(`${settings}/keys`, DARK_PHONE);
    const { page } = visit;
    await press(page, 'New token');
    await page.getByLabel('It works for').selectOption('A day');
    await press(page, 'Make the token');
    const token = (await page.getByLabel('Token', { exact: true }).textContent()) ?? '';
    assert.deepEqual(await axeFaults(page), []);
    assert.equal((await console.service.as(token).get('/1/applications/me')).status, 200);
    await press(page, 'I have copied it');
    assert.equal(await page.getByText(token).count(), 0);
    const row = page.getByRole('table', { name: 'Tokens' }).getByRole('row').nth(1);
    await row.getByText(/^in (1 d|23 h)$/).waitFor();
    await row.getByRole('button', { name: 'Revoke…' }).click();
    await press(page, 'Revoke it');
    await page.getByText('The token is revoked.').waitFor();
    assert.equal((await console.service.as(token).get('/1/applications/me')).status, 401);
    assertFaultless(visit);
  });

  it('get keys that sign tokens, as the page says', async () => {
    const { settings } = await make();
    await using visit = await console.open(`${settings}/keys`, LIGHT);
    const { page } = visit;
    await press(page, 'New key');
    await press(page, 'Make the key');
    const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? '';
    const example = (await page.locator('dialog pre').textContent()) ?? '';
    const [, issuer = ''] = /setIssuer\("(\d+)"\)/.exec(example) ?? [];
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode(secret));
    assert.equal((await console.service.as(token).get('/1/applications/me')).status, 200);
    await press(page, 'I have copied it');
    await page.getByRole('table', { name: 'Signing keys' }).getByText(issuer).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('show what they are called and what endpoints answer as it is, and run none of it', async () => {
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
    await press(page, 'Send a test event');
    await says(page, 'Answered 500');
    const answer = (await page.locator('pre').first().textContent()) ?? '';
    assert.ok(answer.startsWith(CORPUS.slice(0, 5).join('\n')), answer);
    assertFaultless(visit);
  });
});
