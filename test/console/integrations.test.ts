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

describe('the integrations of the console', { skip: CHROMIUM.skip }, () => {
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

  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const make = (fields: Record<string, unknown>) => integrate(app, applicationId, fields);

  it('begin with a gallery in which a channel is found, by name or by what it can do', async () => {
    await using visit = await console.open(list, LIGHT);
    const { page } = visit;
    await page.getByText('No integrations yet').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('link', { name: 'Add integration' }).click();
    await page.getByRole('link', { name: /^.*Telegram/ }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.keyboard.type('smtp');
    await holds(page, `document.querySelectorAll('main li').length === 1`);
    await page.getByRole('link', { name: /Email/ }).waitFor();
    await page.getByLabel('Find a channel').fill('');
    await page.getByLabel('What it can do').selectOption('Places');
    await page.getByRole('link', { name: /Email/ }).waitFor({ state: 'detached' });
    assert.match(page.url(), /\?can=places$/);
    await page.getByLabel('Find a channel').fill('pigeon');
    await page.getByText('There is no such channel').waitFor();
    assertFaultless(visit);
  });

  it('have a form for every channel, with help where each credential is found', async () => {
    await using visit = await console.open(`${list}/new`, LIGHT);
    const { page } = visit;
    for (const { name, title, credentials } of CHANNELS) {
      await page.getByRole('link', { name: title, exact: false }).first().waitFor();
      await page.locator(`a[href$="/integrations/new/${name}"]`).click();
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
      const [first] = credentials;
      if (first) await page.getByLabel(first.label).first().waitFor();
      await page.getByRole('link', { name: 'Choose a channel' }).click();
    }
    assertFaultless(visit);
  });

  it('ask the channel before they are saved, and are saved in spite of it only when told to', async () => {
    await using visit = await console.open(`${list}/new/telegram`, DARK_PHONE);
    const { page } = visit;
    await press(page, 'Check and save');
    await page.getByText('Telegram needs Bot token to send.').waitFor();
    await page.getByLabel('Bot token').fill(WRONG);
    await press(page, 'Check and save');
    await page.getByText('The channel refuses these credentials').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assert.deepEqual(
      (await app.get(`/1/applications/${applicationId}/integrations`)).body.data,
      [],
    );
    await page.getByLabel('Bot token').fill(`  ${TOKEN}\n`);
    await press(page, 'Make one up');
    await press(page, 'Check and save');
    await page.waitForURL(/\/integrations\/\d+$/);
    await page.getByText('Nothing sent yet').waitFor();
    const { body } = await app.get(`/1/applications/${applicationId}/integrations`);
    const [{ token, secret }] = body.data;
    assert.equal(token, TOKEN, 'white space that came along is gone');
    assert.match(secret, /^[0-9a-f]{32}$/);
    assert.ok(!(await page.content()).includes(TOKEN), 'the secret is not on the page');
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('give the address of the hook, or have it registered', async () => {
    const { id } = await make({ token: TOKEN });
    await using visit = await console.open(`${list}/${id}`, LIGHT);
    const { page } = visit;
    await page.getByText('What comes in is refused for now').waitFor();
    const { body } = await app.get(`/1/integrations/${id}/hook`);
    await page.getByText(body.url).waitFor();
    await press(page, 'Register it for me');
    // The vendor wants https, which a service on loopback does not have.
    await page.getByText(/now calls this address|Webhook registration failed/).waitFor();
    const chat = await make({ name: 'webmessenger', token: undefined });
    await page.goto(`${console.service.url}${list}/${chat.id}`);
    await page.getByText(`data-integration="${chat.id}"`).waitFor();
    assert.deepEqual(await axeFaults(page), []);
  });

  it('are changed without their secrets being seen or typed again', async () => {
    const address = 'https://push.example.com';
    const { id } = await make({ name: 'gotify', address, token: 'fake-secret-token-1234' });
    await using visit = await console.open(`${list}/${id}`, LIGHT);
    const { page } = visit;
    await page.getByLabel('Server URL').fill('https://pull.example.com');
    await press(page, 'Save');
    await page.getByText('Saved.').waitFor();
    const stored = async () => (await app.get(`/1/integrations/${id}`)).body;
    assert.deepEqual(
      [(await stored()).address, (await stored()).token],
      ['https://pull.example.com', 'fake-secret-token-1234'],
    );
    await page.getByLabel('Application token').fill('fake-secret-token-5678');
    await press(page, 'Undo changes');
    await page.getByLabel('Application token').fill('fake-secret-token-9999');
    await press(page, 'Save');
    await until('the token is changed', async () => (await stored()).token.endsWith('9999'));
    await page.getByRole('switch', { name: 'Enabled' }).click();
    await page.getByText('Disabled').first().waitFor();
    await until('it is disabled', async () => (await stored()).state === 'disable');
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('say how they do: what was refused, since when, and what to do', async () => {
    const { id } = await make({ token: WRONG });
    const generator = { type: 'Service', id: String(id) };
    await app.post('/1/message', message({ generator }));
    await using visit = await console.open(`${list}/${id}`, DARK_PHONE);
    const { page } = visit;
    await page.getByText('The channel refused the credentials').waitFor();
    await page.getByText('Correct the credentials').waitFor();
    await press(page, 'Check now');
    await page.getByText('The channel refuses these credentials').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.goto(console.service.url + list);
    await page.getByRole('link', { name: new RegExp(`Integration ${id}.*Paused`) }).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('show whatever they are called as text', async () => {
    const username = CORPUS.join(' ').slice(0, 900);
    const { id } = await make({ name: 'webmessenger', token: undefined, username });
    await using visit = await console.open(list, LIGHT);
    const { page } = visit;
    await page.getByText(username).waitFor();
    await page.getByText(username).click();
    await page.waitForURL(`**/${id}`);
    await holds(page, `document.querySelector('main input[value^="<script"]') !== null`);
    await page.goto(`${console.service.url}/app/applications/${applicationId}/messages`);
    await press(page, 'Via');
    await page.getByRole('menuitemcheckbox', { name: username.slice(0, 40) }).waitFor();
    assertFaultless(visit);
  });

  it('are deleted once their channel is typed', async () => {
    const { id } = await make({ name: 'ntfy', address: 'https://ntfy.sh', token: undefined });
    await using visit = await console.open(`${list}/${id}`, LIGHT);
    const { page } = visit;
    await press(page, 'Delete');
    const go = page.getByRole('button', { name: 'Delete it for good' });
    assert.ok(await go.isDisabled());
    assert.deepEqual(await axeFaults(page), []);
    await page.getByLabel('to confirm').fill('ntfy');
    await go.click();
    await page.getByText('Deleted.').waitFor();
    assert.equal((await app.get(`/1/integrations/${id}`)).status, 404);
    await page.getByRole('link', { name: 'Add integration' }).waitFor();
  });
});
