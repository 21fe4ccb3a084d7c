import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

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
import { eventsOf } from '../support/service/feed.ts';

const SMALL_PHONE = { ...DARK_PHONE, viewport: { width: 360, height: 800 } };

describe('console: names of integrations', { skip: CHROMIUM.skip }, () => {
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

  async function make() {
    const { application, app } = await console.service.application({ name: 'naming-things' });
    const add = (fields: Record<string, unknown>) => integrate(app, application.id, fields);
    return { app, add, path: `/app/applications/${application.id}` };
  }

  it('a name is not cut off beside the mark of the sandbox', async () => {
    const { app, add, path } = await make();
    const label = 'Second SMS provider';
    const { id } = await add({ mode: 'sandbox', token: undefined, label });
    await app.post('/1/message', message({ generator: { type: 'Service', id: String(id) } }));
    await eventsOf(app, 'message.sent', 1);
    await using visit = await console.open(`${path}/messages`, LIGHT);
    const { page } = visit;
    for (const list of ['messages', 'events']) {
      await page.goto(`${console.service.url}${path}/${list}`);
      const name = page.locator('main').getByText(label, { exact: true });
      await name.first().waitFor();
      const { shown, whole } = await name
        .first()
        .evaluate((element) => ({ shown: element.clientWidth, whole: element.scrollWidth }));
      assert.ok(whole <= shown + 1, `${list}: ${shown} of ${whole} px`);
      await page.locator('main [data-state=sandbox]').first().waitFor();
    }
    assertFaultless(visit);
  });

  it('lists, filters, the playground and messages name integrations by label, account or channel', async () => {
    const { app, add, path } = await make();
    const labeled = await add({ token: TOKEN, label: 'Support bot' });
    const checked = await add({ token: TOKEN });
    const plain = await add({ token: TOKEN });
    await app.post(`/1/integrations/${checked.id}/check`, {});
    const names = ['Support bot', '@example_bot', `Telegram ${plain.id}`];
    const generator = { type: 'Service', id: String(labeled.id) };
    const { body: sent } = await app.post('/1/message', message({ generator }));

    for (const look of [LIGHT, DARK_PHONE]) {
      await using visit = await console.open(`${path}/integrations`, look);
      const { page } = visit;
      for (const name of names) {
        await page.locator('main li .font-medium', { hasText: name }).waitFor();
      }
      assert.deepEqual(await axeFaults(page), []);
      await page.goto(`${console.service.url}${path}/playground`);
      for (const name of names) {
        await page
          .getByTestId('integration')
          .locator('option', { hasText: name })
          .waitFor({ state: 'attached' });
      }
      await page.goto(`${console.service.url}${path}/messages`);
      await page.getByTestId('filter-integration').click();
      for (const name of names) {
        await page.getByRole('menuitemcheckbox', { name }).waitFor();
      }
      await page.getByRole('menuitemcheckbox', { name: 'Support bot' }).click();
      await page.waitForURL(/integration=/);
      await page.goto(`${console.service.url}${path}/messages/${sent.id}`);
      await page.locator('main').getByText('Support bot', { exact: true }).waitFor();
      assertFaultless(visit);
    }
  });

  it('the list shows long names in full on a phone', async () => {
    const { add, path } = await make();
    const label = 'Customer support of the northern region, outside office hours';
    await add({ token: TOKEN, label });
    await using visit = await console.open(`${path}/integrations`, SMALL_PHONE);
    const { page } = visit;
    const name = page.getByTestId('integration-name');
    await name.getByText(label).waitFor();
    await page.getByTestId('health').waitFor();
    const isCut = await page.evaluate<boolean>(`(() => {
      const shown = document.querySelector('[data-testid=integration-name]');
      return shown.scrollWidth > shown.clientWidth;
    })()`);
    assert.equal(isCut, false);
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('an integration is renamed, and found by its label in the palette', async () => {
    const { app, add, path } = await make();
    const { id } = await add({ token: TOKEN });
    await using visit = await console.open(`${path}/integrations/${id}`, LIGHT);
    const { page } = visit;
    await page.getByRole('heading', { name: `Telegram ${id}`, level: 1 }).waitFor();
    await page.getByTestId('rename').click();
    await page.getByRole('dialog').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('dialog').getByLabel('Label').fill('  Night shift ');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Night shift/, level: 1 }).waitFor();
    assert.equal((await app.get(`/1/integrations/${id}`)).body.label, 'Night shift');
    await page.goto(`${console.service.url}${path}/messages`);
    await page.locator('h1').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('night shi');
    await page.getByRole('option', { name: /Night shift/ }).click();
    await page.waitForURL(`**/integrations/${id}`);
    assertFaultless(visit);
  });

  it('a new integration has the label of its form and the account of its check', async () => {
    const { path } = await make();
    await using visit = await console.open(`${path}/integrations/new/telegram`, DARK_PHONE);
    const { page } = visit;
    await page.getByLabel('Bot token').fill(TOKEN);
    await page.getByLabel('Label').fill('Orders');
    await page.getByTestId('save').click();
    await page.waitForURL(/\/integrations\/\d+$/);
    await page.locator('h1', { hasText: 'Orders' }).getByText('@example_bot').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });
});
