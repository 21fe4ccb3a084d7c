import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { CHANNELS } from '../../src/channels/index.ts';
import type { HttpPeer } from '../emulators/server/http.ts';
import { TOKEN, openTelegram } from '../emulators/telegram.ts';
import { CORPUS } from '../support/corpus.ts';
import { CHROMIUM, assertFaultless, holds } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { until } from '../support/until.ts';

const WRONG = '666:a-fake-token-that-is-wrong';

describe('console: integrations', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let telegram: HttpPeer;
  let app: Client;
  let applicationId: number;
  let list: string;
  before(async () => {
    telegram = await openTelegram();
    console = await openConsole({ SWITCHBOARD_TELEGRAM_URL: telegram.url });
    const { application, app: client } = await console.service.application({ name: 'connected' });
    app = client;
    applicationId = application.id;
    list = `/app/applications/${application.id}/integrations`;
  });
  after(async () => {
    await console[Symbol.asyncDispose]();
    await telegram.close();
  });

  const press = (page: Page, testId: string) => page.getByTestId(testId).click();
  const checkResult = (page: Page, status: string) =>
    page.locator(`[data-testid="check-result"][data-code="${status}"]`).waitFor();
  const make = (fields: Record<string, unknown>) => integrate(app, applicationId, fields);

  it('the channel gallery is searched by name and filtered by capability', async () => {
    await using visit = await console.open(list, LIGHT);
    const { page } = visit;
    await page.getByTestId('no-integrations').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('add').click();
    await page.getByRole('link', { name: /^.*Telegram/ }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.keyboard.type('smtp');
    await holds(page, `document.querySelectorAll('main li').length === 1`);
    await page.getByRole('link', { name: /Email/ }).waitFor();
    await page.getByTestId('search').fill('');
    await page.getByTestId('ability').selectOption('places');
    await page.getByRole('link', { name: /Email/ }).waitFor({ state: 'detached' });
    assert.match(page.url(), /\?can=places$/);
    await page.getByTestId('search').fill('pigeon');
    await page.getByTestId('no-match').waitFor();
    assertFaultless(visit);
  });

  it('the channel gallery groups channels and finds them by common names', async () => {
    await using visit = await console.open(`${list}/new`, DARK_PHONE);
    const { page } = visit;
    await page.locator('[data-category="sms"] li').first().waitFor();
    assert.equal(await page.locator('[data-category] li').count(), CHANNELS.length);
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('search').fill('facebook');
    await page.locator('a[href$="/new/messenger"]').waitFor();
    await page.getByTestId('search').fill('telgram');
    await page.getByTestId('nearest').locator('a[href$="/new/telegram"]').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('search').fill('sms');
    await page.getByTestId('ability').selectOption('edit');
    await page.getByTestId('nearest').locator('a[href$="/new/twilio"]').waitFor();
    await page.getByTestId('search').fill('telgram');
    await page.getByTestId('nearest').locator('a[href$="/new/telegram"]').waitFor();
    assertFaultless(visit);
  });

  it('credentials are checked with the channel before they are saved', async () => {
    await using visit = await console.open(`${list}/new/telegram`, DARK_PHONE);
    const { page } = visit;
    await press(page, 'save');
    await checkResult(page, 'incomplete');
    await page.getByLabel('Bot token').fill(WRONG);
    await press(page, 'save');
    await checkResult(page, 'refused');
    assert.deepEqual(await axeFaults(page), []);
    assert.deepEqual(
      (await app.get(`/1/applications/${applicationId}/integrations`)).body.data,
      [],
    );
    await page.getByLabel('Bot token').fill(`  ${TOKEN}\n`);
    await page.getByTestId('receiving-fields').locator('summary').click();
    await press(page, 'generate');
    await press(page, 'save');
    await page.waitForURL(/\/integrations\/\d+$/);
    await page.locator('h1 [data-testid="health"]').waitFor();
    const { body } = await app.get(`/1/applications/${applicationId}/integrations`);
    const [{ token, secret }] = body.data;
    assert.equal(token, TOKEN, 'surrounding white space is removed');
    assert.match(secret, /^[0-9a-f]{32}$/);
    assert.ok(!(await page.content()).includes(TOKEN), 'the secret is not on the page');
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('the integration page shows the webhook URL and registers it', async () => {
    const { id } = await make({ token: TOKEN });
    await using visit = await console.open(`${list}/${id}`, LIGHT);
    const { page } = visit;
    await page.getByTestId('unverified').waitFor();
    const { body } = await app.get(`/1/integrations/${id}/hook`);
    await page.getByText(body.url).waitFor();
    await press(page, 'register');
    // The vendor requires https, which a service on loopback does not have.
    await page.locator('[data-testid="toast"], [role="alert"][data-code]').first().waitFor();
    const chat = await make({ name: 'webmessenger', token: undefined });
    await page.goto(`${console.service.url}${list}/${chat.id}`);
    await page.getByText(`data-integration="${chat.id}"`).waitFor();
    assert.deepEqual(await axeFaults(page), []);
  });

  it('changing an integration keeps secrets hidden and unchanged', async () => {
    const address = 'https://push.example.com';
    const { id } = await make({ name: 'gotify', address, token: 'fake-secret-token-1234' });
    await using visit = await console.open(`${list}/${id}`, LIGHT);
    const { page } = visit;
    await page.getByLabel('Server URL').fill('https://pull.example.com');
    await press(page, 'save');
    await page.locator('[data-testid="toast"][data-tone="ok"]').waitFor();
    const stored = async () => (await app.get(`/1/integrations/${id}`)).body;
    assert.deepEqual(
      [(await stored()).address, (await stored()).token],
      ['https://pull.example.com', 'fake-secret-token-1234'],
    );
    await page.getByLabel('Application token').fill('fake-secret-token-5678');
    await press(page, 'undo');
    await page.getByLabel('Application token').fill('fake-secret-token-9999');
    await press(page, 'save');
    await until('the token is changed', async () => (await stored()).token.endsWith('9999'));
    await page.getByRole('switch').click();
    await page.locator('[data-testid="health"][data-state="disabled"]').first().waitFor();
    await until('it is disabled', async () => (await stored()).state === 'disable');
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('refused credentials pause the integration and say what to do', async () => {
    const { id } = await make({ token: WRONG });
    const generator = { type: 'Service', id: String(id) };
    await app.post('/1/message', message({ generator }));
    await using visit = await console.open(`${list}/${id}`, DARK_PHONE);
    const { page } = visit;
    await page.getByTestId('paused').waitFor();
    await press(page, 'check');
    await checkResult(page, 'refused');
    assert.deepEqual(await axeFaults(page), []);
    await page.goto(console.service.url + list);
    await page.locator(`a[href$="/${id}"] [data-state="paused"]`).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('a sandbox integration goes live with accepted credentials, and its messages stay sandbox', async () => {
    const { id } = await make({ name: 'telegram', token: undefined, mode: 'sandbox' });
    const generator = { type: 'Service', id: String(id) };
    const sent = await app.post('/1/message', message({ generator }));
    const path = `/1/messages/${sent.body.id}`;
    await until('it is sent', async () => (await app.get(path)).body.state === 'sent');
    await using visit = await console.open(`${list}/${id}`, DARK_PHONE);
    const { page } = visit;
    await page.locator('h1 [data-state="sandbox"]').waitFor();
    await press(page, 'go-live');
    await press(page, 'save');
    await page.locator('[data-field="token"] [aria-invalid="true"]').waitFor();
    await page.getByLabel('Bot token').fill(WRONG);
    await press(page, 'save');
    await page.locator('[role="alert"][data-code="check_failed"]').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assert.equal((await app.get(`/1/integrations/${id}`)).body.mode, 'sandbox');
    await page.getByLabel('Bot token').fill(TOKEN);
    await press(page, 'save');
    await page.locator('h1 [data-state="sandbox"]').waitFor({ state: 'detached' });
    await page.getByTestId('go-live').waitFor({ state: 'detached' });
    await page.getByTestId('check').waitFor();
    const { mode, token } = (await app.get(`/1/integrations/${id}`)).body;
    assert.deepEqual([mode, token], [undefined, TOKEN]);
    const log = `${console.service.url}/app/applications/${applicationId}/messages`;
    await page.goto(`${log}/${sent.body.id}`);
    await page.locator('dl [data-state="sandbox"]').waitFor();
    const fresh = await app.post('/1/message', message({ generator }));
    await page.goto(`${log}/${fresh.body.id}`);
    await page.locator('dl').first().waitFor();
    assert.equal(await page.locator('[data-state="sandbox"]').count(), 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${log}?integration=${id}`);
    await page.locator(`a[href$="/messages/${fresh.body.id}"]`).waitFor();
    assert.equal(await page.locator('main [data-state="sandbox"]').count(), 1);
    assert.deepEqual(
      visit.faults.filter((fault) => !/status of 422/.test(fault)),
      [],
    );
  });

  it('integration names are shown as text', async () => {
    const username = CORPUS.join(' ').slice(0, 900);
    const label = CORPUS.join(' ')
      .replaceAll(/\p{Cc}/gu, '')
      .slice(0, 90)
      .trim();
    const { id } = await make({ name: 'webmessenger', token: undefined, username, label });
    await using visit = await console.open(list, LIGHT);
    const { page } = visit;
    await page.getByText(label).click();
    await page.waitForURL(`**/${id}`);
    await holds(page, `document.querySelector('main input[value^="<script"]') !== null`);
    await page.goto(`${console.service.url}/app/applications/${applicationId}/messages`);
    await press(page, 'filter-integration');
    await page.getByRole('menuitemcheckbox', { name: label.slice(0, 40) }).waitFor();
    assertFaultless(visit);
  });

  it('an integration is deleted only after its name is typed', async () => {
    const { id } = await make({ name: 'ntfy', address: 'https://ntfy.sh', token: undefined });
    await using visit = await console.open(`${list}/${id}`, LIGHT);
    const { page } = visit;
    await press(page, 'delete');
    const go = page.getByTestId('confirm');
    assert.ok(await go.isDisabled());
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('confirm-text').fill('ntfy');
    assert.ok(await go.isDisabled());
    await page.getByTestId('confirm-text').fill(`ntfy ${id}`);
    await go.click();
    await page.waitForURL(`**${list}`);
    assert.equal((await app.get(`/1/integrations/${id}`)).status, 404);
    await page.getByTestId('add').waitFor();
  });
});
