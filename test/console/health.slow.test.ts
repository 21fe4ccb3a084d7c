import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { type Endpoint, openEndpoint } from '../emulators/endpoint.ts';
import type { HttpPeer } from '../emulators/server/http.ts';
import { TOKEN, openTelegram } from '../emulators/telegram.ts';
import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { integrate, message } from '../support/service/activity.ts';
import { until } from '../support/until.ts';

describe('console: health', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let endpoint: Endpoint;
  let telegram: HttpPeer;
  before(async () => {
    telegram = await openTelegram();
    endpoint = await openEndpoint(() => ({ status: 500, body: 'maintenance' }));
    console = await openConsole({ SWITCHBOARD_TELEGRAM_URL: telegram.url });
  });
  after(async () => {
    await console[Symbol.asyncDispose]();
    await Promise.all([endpoint.close(), telegram.close()]);
  });

  const badge = (page: Page, state: string) =>
    page.locator(`h1 [data-testid="health"][data-state="${state}"]`);
  const problem = (page: Page, kind: string) => page.locator(`[data-kind="${kind}"]`);

  it('an integration that cannot reach its server is failing on its page and the overview', async () => {
    const { application, app } = await console.service.application({ name: 'lost-mail' });
    const { id } = await integrate(app, application.id, {
      name: 'email',
      address: 'smtp://127.0.0.1:1',
      username: 'shop@example.com',
      token: undefined,
    });
    const generator = { type: 'Service', id: String(id) };
    for (const name of ['ada', 'bob', 'cy']) {
      const to = { type: 'Person', id: `${name}@example.com` };
      await app.post('/1/message', message({ generator, to }));
    }
    const { health } = await until('it fails', async () => {
      const { body } = await app.get(`/1/integrations/${id}`);
      return body.health.state === 'failing' && body.health.waiting === 3 && body;
    });
    const home = `/app/applications/${application.id}`;
    await using visit = await console.open(`${home}/integrations/${id}`, LIGHT);
    const { page } = visit;
    await badge(page, 'failing').waitFor();
    const notice = page.getByTestId('failing');
    await notice.locator('time').waitFor();
    const shown = (await notice.textContent()) ?? '';
    assert.ok(shown.toLowerCase().includes(health.last_error.toLowerCase()), shown);
    // While one of them is being attempted, the others wait.
    await until('all three wait', async () => {
      await page.reload();
      return /^3\b/.test((await page.getByTestId('waiting').textContent()) ?? '');
    });
    assert.deepEqual(await axeFaults(page), []);
    await page.goto(`${console.service.url}${home}/integrations`);
    await page.locator('[data-testid="health"][data-state="failing"]').waitFor();
    for (const path of [`${home}/overview`, '/app/overview']) {
      await page.goto(console.service.url + path);
      await problem(page, 'integration_failing').locator('time').waitFor();
    }
    assert.deepEqual(await axeFaults(page), []);
    await problem(page, 'integration_failing').getByRole('link').click();
    await page.waitForURL(`**${home}/integrations/${id}**`);
    assertFaultless(visit);
  });

  it('an integration is failing after a failed check and recovered after a passed one', async () => {
    const { application, app } = await console.service.application({ name: 'checked-bot' });
    const { id } = await integrate(app, application.id, { name: 'telegram', token: TOKEN });
    await using visit = await console.open(
      `/app/applications/${application.id}/integrations/${id}`,
      DARK_PHONE,
    );
    const { page } = visit;
    const check = page.getByTestId('check');
    await badge(page, 'unknown').waitFor();
    telegram.next({ status: 502, body: 'bad gateway' });
    await check.click();
    await badge(page, 'failing').waitFor();
    await page.getByTestId('failing').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await check.click();
    await badge(page, 'ok').waitFor();
    await page.getByTestId('failing').waitFor({ state: 'detached' });
    assertFaultless(visit);
  });

  it('an email integration without an IMAP server says what receiving needs', async () => {
    const { application, app } = await console.service.application({ name: 'send-only' });
    const { id } = await integrate(app, application.id, {
      name: 'email',
      address: 'smtp://127.0.0.1:1',
      username: 'desk@example.com',
      token: 'fake-password',
    });
    const page = `/app/applications/${application.id}/integrations/${id}`;
    await using visit = await console.open(page, LIGHT);
    await visit.page.getByTestId('no-imap-server').waitFor();
    assert.deepEqual(await axeFaults(visit.page), []);
    assertFaultless(visit);
  });

  it('an integration whose session fails is not receiving, on its page and the overview', async () => {
    const { application, app } = await console.service.application({ name: 'lost-session' });
    const { id } = await integrate(app, application.id, {
      name: 'irc',
      address: '127.0.0.1:1',
      username: 'switch',
      token: undefined,
    });
    await until('it fails', async () => {
      const { body } = await app.get(`/1/integrations/${id}`);
      return body.health.receiving.state === 'failing';
    });
    const home = `/app/applications/${application.id}`;
    await using visit = await console.open(`${home}/integrations/${id}`, LIGHT);
    const { page } = visit;
    await badge(page, 'failing').waitFor();
    await page.getByTestId('not-receiving').locator('time').waitFor();
    await page.locator('[data-testid="session"][data-state="failing"]').waitFor();
    assert.equal(await page.getByTestId('failing').count(), 0, 'sending does not fail');
    assert.deepEqual(await axeFaults(page), []);
    await page.goto(`${console.service.url}${home}/overview`);
    await problem(page, 'receiving_failing').locator('time').waitFor();
    assertFaultless(visit);
  });

  it('a webhook that answers 500 is failing and shows the blocking delivery', async () => {
    const { application } = await console.service.application({
      name: 'stuck-events',
      webhook_url: `${endpoint.url}/stuck`,
    });
    const id = Number(application.id);
    await console.service.store.events.append(
      Array.from({ length: 60 }, () => ({
        applicationId: id,
        type: 'message.sent' as const,
        data: '{}',
        media: null,
        createdAt: Date.now(),
      })),
    );
    const webhook = await until('it fails', async () => {
      const { body } = await console.service.api.get(`/1/applications/${id}/webhook`);
      return body.state === 'failing' && body;
    });
    const home = `/app/applications/${id}`;
    await using visit = await console.open(`${home}/settings/webhook`, LIGHT);
    const { page } = visit;
    await page.locator('[data-testid="webhook-state"][data-state="failing"]').waitFor();
    const notice = page.getByTestId('failing');
    await notice.locator('time').first().waitFor();
    const shown = (await notice.textContent()) ?? '';
    for (const part of ['500', '60', 'maintenance']) assert.ok(shown.includes(part), shown);
    assert.deepEqual(await axeFaults(page), []);
    await notice.getByRole('link').click();
    await page.waitForURL(`**${home}/events/deliveries/${webhook.blocking.id}`);

    await page.goto(`${console.service.url}${home}/events/deliveries`);
    const first = page.getByRole('table').getByRole('row').nth(1);
    await first.getByTestId('blocking').waitFor();
    await first.locator(`a[href$="/deliveries/${webhook.blocking.id}"]`).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.goto(`${console.service.url}/app/overview`);
    await problem(page, 'webhook_failing').locator('time').waitFor();
    assertFaultless(visit);
  });
});
