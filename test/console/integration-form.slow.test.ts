import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { CHANNELS } from '../../src/channels/index.ts';
import type { HttpPeer } from '../emulators/server/http.ts';
import { TOKEN, openTelegram } from '../emulators/telegram.ts';
import { CHROMIUM, assertFaultless, holds } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { integrate } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { until } from '../support/until.ts';

/* The form of a new integration, in each of its states. */

const WRONG = '666:a-fake-token-that-is-wrong';
const VIEWS = {
  'light, desktop': LIGHT,
  'dark, tablet': { colorScheme: 'dark', viewport: { width: 768, height: 1024 } },
  'dark, narrow phone': { ...DARK_PHONE, viewport: { width: 360, height: 780 } },
} as const;

describe('console: integration form', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let telegram: HttpPeer;
  let app: Client;
  let applicationId: number;
  let list: string;
  before(async () => {
    telegram = await openTelegram();
    console = await openConsole({ SWITCHBOARD_TELEGRAM_URL: telegram.url });
    const { application, app: client } = await console.service.application({ name: 'form-states' });
    app = client;
    applicationId = application.id;
    list = `/app/applications/${application.id}/integrations`;
  });
  after(async () => {
    await console[Symbol.asyncDispose]();
    await telegram.close();
  });

  const result = (page: Page, status: string) =>
    page.locator(`[data-testid="check-result"][data-code="${status}"]`).waitFor();
  const assertFits = async (page: Page) => {
    assert.equal(
      await page.evaluate<number>(
        'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
      ),
      0,
    );
    assert.deepEqual(await axeFaults(page), []);
  };
  const integrations = async () =>
    (await app.get(`/1/applications/${applicationId}/integrations`)).body.data;
  const asked = () => telegram.seen.length;

  for (const [view, options] of Object.entries(VIEWS)) {
    it(`the form is accessible in every state (${view})`, async () => {
      await using visit = await console.open(`${list}/new/telegram`, options);
      const { page } = visit;
      const token = page.getByLabel('Bot token');
      await token.waitFor();
      const guide = page.getByTestId('guide');
      const isWide = options.viewport.width >= 1024;
      assert.equal(await guide.getAttribute('open'), isWide ? '' : null);
      if (!isWide) await guide.locator('summary').first().click();
      const link = page.getByTestId('dashboard');
      assert.equal(await link.getAttribute('href'), 'https://t.me/BotFather');
      await assertFits(page);

      await page.getByTestId('save').click();
      await result(page, 'incomplete');
      assert.equal(await token.getAttribute('aria-invalid'), 'true');
      await holds(page, `document.activeElement?.getAttribute('name') === 'token'`);
      await assertFits(page);

      await token.fill('not a token');
      await page.getByTestId('format-hint').waitFor();
      await assertFits(page);

      await token.fill(WRONG);
      await result(page, 'refused');
      assert.equal(await page.getByTestId('format-hint').count(), 0);
      await assertFits(page);

      await token.fill(TOKEN);
      await result(page, 'ok');
      for (const part of ['receiving-fields', 'default-options']) {
        await page.getByTestId(part).locator('summary').click();
      }
      await assertFits(page);
      assertFaultless(visit);
    });
  }

  it('credentials are checked once when typing pauses, and not again to save them', async () => {
    await using visit = await console.open(`${list}/new/telegram`, LIGHT);
    const { page } = visit;
    const already = asked();
    // Every beginning of the token from its colon on looks like a token too.
    await page.getByLabel('Bot token').pressSequentially(TOKEN);
    await result(page, 'ok');
    assert.equal(asked() - already, 1);
    const count = (await integrations()).length;
    const created = page.waitForResponse(
      (response) =>
        response.request().method() === 'POST' && response.url().endsWith('/1/integrations'),
    );
    const checks: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/1/channels/telegram/check')) checks.push(request.url());
    });
    await page.getByTestId('save').click();
    assert.equal((await created).status(), 201);
    await page.waitForURL(/\/integrations\/\d+$/);
    assert.deepEqual(checks, []);
    assert.equal((await integrations()).length, count + 1);
    assertFaultless(visit);
  });

  it('a cleared field is checked without its stored value', async () => {
    const stored = { token: 'fake-token', username: '1234567890', consumer_key: '9876543210' };
    const { id } = await integrate(app, applicationId, { name: 'whatsapp', ...stored });
    await using visit = await console.open(`${list}/${id}`, LIGHT);
    const { page } = visit;
    const checked: unknown[] = [];
    await page.route('**/1/channels/whatsapp/check', (route) => {
      checked.push(route.request().postDataJSON());
      return route.fulfill({ json: { status: 'ok', missing: [], detail: 'ok', renewed: {} } });
    });
    await page.getByLabel('Business account ID').fill('');
    await result(page, 'ok');
    await page.getByTestId('check').click();
    await until('the check on request', () => checked.length === 2);
    const change = { consumer_key: null, integration_id: id };
    assert.deepEqual(checked, [change, change]);
    assertFaultless(visit);
  });

  it('a server that counts failed logins is asked only on request', async () => {
    await using visit = await console.open(`${list}/new/irc`, LIGHT);
    const { page } = visit;
    const checks: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/check')) checks.push(request.url());
    });
    await page.getByLabel('Server').fill('not a server');
    await page.getByLabel('Nick').fill('switchboard');
    await page.getByTestId('format-hint').waitFor();
    await page.getByLabel('Server').fill('irc.example.org:6697+tls');
    await page.getByTestId('format-hint').waitFor({ state: 'detached' });
    // The hint goes after the same pause that would start a check.
    assert.deepEqual(checks, []);
    assert.equal(await page.getByTestId('checking').count(), 0);
    assertFaultless(visit);
  });

  it('the guide leads to the fields that it names', async () => {
    await using visit = await console.open(`${list}/new/discord`, LIGHT);
    const { page } = visit;
    const guide = page.getByTestId('guide');
    await guide.getByRole('button', { name: 'Public key' }).click();
    await holds(page, `document.activeElement?.getAttribute('name') === 'secret'`);
    assert.ok(await page.getByLabel('Public key').isVisible());
    assertFaultless(visit);
  });

  for (const [view, options] of Object.entries(VIEWS)) {
    it(`email is entered as servers and stored as one address (${view})`, async () => {
      await using visit = await console.open(`${list}/new/email`, options);
      const { page } = visit;
      await page.getByTestId('mail-provider').selectOption('Fastmail');
      await page.getByTestId('mail-receiving').check();
      await page.getByTestId('mail-imap').getByLabel('Mailbox').fill('Support/2026');
      await page.getByLabel('User name').fill('ada@example.org');
      await assertFits(page);
      await page.getByTestId('save').click();
      // The password is missing.
      await result(page, 'incomplete');
      await holds(page, `document.activeElement?.getAttribute('name') === 'token'`);
      await assertFits(page);
      await page.getByTestId('save-anyway').click();
      await page.waitForURL(/\/integrations\/\d+$/);
      const id = Number(page.url().split('/').at(-1));
      const stored = async () => (await app.get(`/1/integrations/${id}`)).body.address;
      assert.equal(
        await stored(),
        'smtps://smtp.fastmail.com:465 imaps://imap.fastmail.com:993/Support%2F2026',
      );
      const sending = page.getByTestId('mail-smtp');
      assert.equal(await sending.getByLabel('Host').inputValue(), 'smtp.fastmail.com');
      await page.getByTestId('mail-receiving').uncheck();
      await sending.getByLabel('Security').selectOption('starttls');
      assert.equal(await sending.getByLabel('Port').inputValue(), '587');
      await sending.getByLabel('Host').fill('');
      await page.getByTestId('save').click();
      assert.equal(await sending.getByLabel('Host').getAttribute('aria-invalid'), 'true');
      await sending.getByLabel('Host').fill('mail.example.org');
      await page.getByTestId('save').click();
      await until(
        'the address is changed',
        async () => (await stored()) === 'smtp://mail.example.org:587',
      );
      assertFaultless(visit);
    });
  }

  it('servers that the fields cannot express are shown as they were written', async () => {
    const address = 'smtps://smtp.example.org:465/unusual';
    const fields = { name: 'email', address, username: 'ada@example.org', token: undefined };
    const { id } = await integrate(app, applicationId, fields);
    await using visit = await console.open(`${list}/${id}`, LIGHT);
    const servers = visit.page.getByLabel('Servers');
    await servers.waitFor();
    assert.equal(await servers.inputValue(), address);
    assertFaultless(visit);
  });

  it('the form of a disabled application says why nothing can be saved', async () => {
    const { application } = await console.service.application({ name: 'x'.repeat(60) });
    const { id } = application;
    assert.equal((await console.service.api.delete(`/1/applications/${id}/disable`)).status, 204);
    const path = `/app/applications/${id}/integrations/new/telegram`;
    await using visit = await console.open(path, VIEWS['dark, narrow phone']);
    const { page } = visit;
    await page.getByTestId('application-disabled').waitFor();
    await page.getByLabel('Bot token').fill(TOKEN);
    assert.ok(await page.getByTestId('save').isDisabled());
    await assertFits(page);
    assertFaultless(visit);
  });

  it('every channel has a form with its credentials', async () => {
    await using visit = await console.open(`${list}/new`, LIGHT);
    const { page } = visit;
    for (const { name, title, credentials } of CHANNELS) {
      await page.getByRole('link', { name: title, exact: false }).first().waitFor();
      await page.locator(`a[href$="/integrations/new/${name}"]`).click();
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
      const [first] = credentials;
      // A value that is composed of parts has fields for them instead.
      const label = first?.parts === 'mail_servers' ? 'Host' : first?.label;
      if (label !== undefined) await page.getByLabel(label).first().waitFor();
      await page.locator('nav a[href$="/integrations/new"]').click();
    }
    assertFaultless(visit);
  });
});
