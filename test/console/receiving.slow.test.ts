import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

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
import { integrate } from '../support/service/activity.ts';

/* How the page of an integration shows whether messages arrive. */

const SECRET = 'fake-webhook-secret';

const UPDATE = JSON.stringify({
  update_id: 1,
  message: {
    message_id: 1,
    date: 1_700_000_000,
    chat: { id: 5, type: 'private' },
    from: { id: 5, is_bot: false, first_name: 'Ada' },
    text: 'Hello',
  },
});

const callAs = (url: string, secret: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
    body: UPDATE,
  });

describe('console: receiving', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let telegram: HttpPeer;
  before(async () => {
    telegram = await openTelegram();
    console = await openConsole({ SWITCHBOARD_TELEGRAM_URL: telegram.url });
  });
  after(async () => {
    await console[Symbol.asyncDispose]();
    await telegram.close();
  });

  async function make(fields: Record<string, unknown>) {
    const { application, app } = await console.service.application({ name: 'receiving' });
    const { id } = await integrate(app, application.id, { token: TOKEN, ...fields });
    const { body } = await app.get(`/1/integrations/${id}/hook`);
    const path = `/app/applications/${application.id}/integrations/${id}`;
    return { path, hook: String(body.url) };
  }

  it('a sandbox integration needs no setup to receive', async () => {
    const { path } = await make({ name: 'vonage', mode: 'sandbox', token: undefined });
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await page.getByTestId('simulated').waitFor();
    for (const step of ['unverified', 'register', 'receiving-guide']) {
      assert.equal(await page.getByTestId(step).count(), 0, step);
    }
    assert.equal(await page.locator('#go-live > *').count(), 1, 'no empty box below the button');
    await page.getByTestId('simulated').getByRole('link').click();
    await page.getByTestId('phone').waitFor();
    assertFaultless(visit);
  });

  const received = (page: Page, when: 'never' | 'yes') =>
    page.getByTestId('hook-state').locator(`[data-received="${when}"]`).waitFor();

  for (const [where, look] of [
    ['on a desktop', LIGHT],
    ['on a phone', { ...DARK_PHONE, viewport: { width: 360, height: 800 } }],
  ] as const) {
    it(`the webhook of a channel shows the last request, and the last refused one ${where}`, async () => {
      const { path, hook } = await make({ secret: SECRET });
      await using visit = await console.open(path, look);
      const { page } = visit;
      await received(page, 'never');
      assert.equal(await page.getByTestId('hook-refused').count(), 0);
      assert.equal((await callAs(hook, 'fake-other-secret')).status, 401);
      // The page asks again by itself.
      await page.getByTestId('hook-refused').waitFor();
      await received(page, 'never');
      assert.equal((await callAs(hook, SECRET)).status, 200);
      await received(page, 'yes');
      assert.deepEqual(await axeFaults(page), []);
      assertFaultless(visit);
    });

    it(`the receiving guide opens below the webhook ${where}`, async () => {
      const { path } = await make({ secret: SECRET });
      await using visit = await console.open(path, look);
      const { page } = visit;
      const guide = page.getByTestId('receiving-guide');
      const text = guide.getByText('setWebhook');
      await guide.waitFor();
      assert.ok(await text.isHidden());
      await guide.locator('summary').click();
      await text.waitFor();
      assert.deepEqual(await axeFaults(page), []);
      assertFaultless(visit);
    });
  }

  it('a webhook that cannot be verified says which credential is missing', async () => {
    const { path, hook } = await make({});
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await page.getByTestId('unverified').waitFor();
    assert.equal((await callAs(hook, SECRET)).status, 401);
    await page.getByTestId('hook-refused').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });
});
