import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import type { HttpPeer } from '../emulators/server/http.ts';
import { CHATS, TOKEN, openTelegram } from '../emulators/telegram.ts';
import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { integrate } from '../support/service/activity.ts';
import { until } from '../support/until.ts';

const SMALL_PHONE = { ...DARK_PHONE, viewport: { width: 360, height: 800 } };

describe('console: options', { skip: CHROMIUM.skip }, () => {
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

  async function make(fields: Record<string, unknown> = {}) {
    const { application, app } = await console.service.application();
    const integration = await integrate(app, application.id, { token: TOKEN, ...fields });
    return { app, integration, path: `/app/applications/${application.id}` };
  }

  const control = (page: Page, name: string) => page.getByTestId(`option-${name}`);
  /** Optional fields are in disclosures. */
  const openDetails = (page: Page) =>
    page.evaluate(
      "for (const details of document.querySelectorAll('details')) details.open = true",
    );
  const fitsWidth = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');

  for (const [where, options] of [
    ['on a desktop', LIGHT],
    ['on a phone', SMALL_PHONE],
  ] as const) {
    it(`an integration is added and changed with default options ${where}`, async () => {
      const { application, app } = await console.service.application();
      const list = `/app/applications/${application.id}/integrations`;
      await using visit = await console.open(`${list}/new/telegram`, options);
      const { page } = visit;
      await page.getByLabel('Bot token').fill(TOKEN);
      await openDetails(page);
      await control(page, 'silent').selectOption('true');
      assert.deepEqual(await axeFaults(page), []);
      assert.ok(await fitsWidth(page));
      await page.getByTestId('save').click();
      await page.waitForURL(/\/integrations\/\d+$/);
      const id = /\d+$/.exec(page.url())?.[0] ?? '';
      const stored = async () => (await app.get(`/1/integrations/${id}`)).body.options;
      assert.deepEqual(await stored(), { silent: true });
      await control(page, 'silent').waitFor();
      assert.equal(await control(page, 'silent').inputValue(), 'true');
      assert.ok(await page.getByTestId('save-options').isDisabled());
      await control(page, 'link_preview').selectOption('false');
      await control(page, 'silent').selectOption('');
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('save-options').click();
      await until('the options are changed', async () => (await stored())?.link_preview === false);
      assert.deepEqual(await stored(), { link_preview: false });
      await page.getByTestId('undo-options').waitFor({ state: 'detached' });
      await control(page, 'link_preview').selectOption('');
      await page.getByTestId('save-options').click();
      await until('the options are cleared', async () => (await stored()) === undefined);
      assert.ok(await fitsWidth(page));
      assertFaultless(visit);
    });

    it(`the playground previews and sends options, and the message shows them ${where}`, async () => {
      const { app, integration, path } = await make({ options: { silent: true } });
      const query = `integration=${integration.id}&to=${CHATS.person}`;
      await using visit = await console.open(`${path}/playground?${query}`, options);
      const { page } = visit;
      const resolved = page.getByTestId('options').getByRole('listitem');
      await resolved.getByText('silent: true').waitFor();
      await control(page, 'link_preview').selectOption('false');
      await resolved.getByText('link_preview: false').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      assert.ok(await fitsWidth(page));
      await page.getByTestId('send').click();
      await page.locator('[role="status"] [data-state="sent"]').waitFor();
      const { body } = await app.get('/1/messages');
      assert.deepEqual(body.data[0].options, { silent: true, link_preview: false });
      await page.goto(`${console.service.url}${path}/messages/${body.data[0].id}`);
      await resolved.getByText('link_preview: false').waitFor();
      assert.deepEqual(await resolved.allTextContents(), ['silent: true', 'link_preview: false']);
      assert.deepEqual(await axeFaults(page), []);
      assert.ok(await fitsWidth(page));
      assertFaultless(visit);
    });
  }

  it('each type has its control, and a refused value is shown at it', async () => {
    const { integration, path } = await make();
    await using visit = await console.open('/app/start', SMALL_PHONE);
    const { page } = visit;
    // Options that the service does not have, so that it refuses them.
    const shared = { help: 'Help.', link: 'https://example.com/' };
    const added = [
      { ...shared, name: 'ttl', label: 'Lifetime', type: 'integer', minimum: 1, maximum: 60 },
      { ...shared, name: 'sound', label: 'Sound', type: 'choice', choices: ['bell', 'horn'] },
      { ...shared, name: 'tag', label: 'Tag', type: 'text', max_length: 5, example: 'a' },
    ];
    await page.route('**/1/channels', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      for (const channel of body.data)
        if (channel.name === 'telegram') channel.options.push(...added);
      await route.fulfill({ response, json: body });
    });
    const error = (name: string) =>
      control(page, name).and(page.locator('[aria-invalid="true"][aria-describedby*="error"]'));
    await page.goto(`${console.service.url}${path}/integrations/${integration.id}`);
    await control(page, 'ttl').fill('30');
    await control(page, 'sound').selectOption('horn');
    await control(page, 'tag').fill('longer than allowed');
    assert.equal(await control(page, 'tag').inputValue(), 'longe');
    await page.getByTestId('save-options').click();
    for (const { name } of added) await error(name).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assert.ok(await fitsWidth(page));

    const query = `integration=${integration.id}&to=${CHATS.person}`;
    await page.goto(`${console.service.url}${path}/playground?${query}`);
    await control(page, 'ttl').fill('30');
    await error('ttl').waitFor();
    await page.getByTestId('refused').waitFor();
    assert.ok(await page.getByTestId('send').isDisabled());
    assert.deepEqual(await axeFaults(page), []);
    await control(page, 'ttl').fill('');
    await page.getByTestId('send').and(page.locator(':enabled')).waitFor();
    assert.equal(await error('ttl').count(), 0);
  });

  it('the form of the webhook channel generates a secret of its form', async () => {
    const { path } = await make();
    await using visit = await console.open(`${path}/integrations/new/webhook`, LIGHT);
    const { page } = visit;
    await page.getByTestId('generate').waitFor({ state: 'attached' });
    await openDetails(page);
    await page.getByTestId('generate').click();
    const secret = page.getByLabel('Signing secret').first();
    assert.match(await secret.inputValue(), /^whsec_[A-Za-z0-9+/]{43}=$/);
    assertFaultless(visit);
  });
});
