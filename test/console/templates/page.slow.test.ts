import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHROMIUM, assertFaultless } from '../../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../../support/programs/console.ts';
import { integrate } from '../../support/service/activity.ts';

describe('console: templates', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole({ SWITCHBOARD_ROLE: 'all' });
  });
  after(() => console[Symbol.asyncDispose]());

  for (const [name, look] of [
    ['light', LIGHT],
    ['dark phone', DARK_PHONE],
  ] as const) {
    it(`creates, changes, previews and deletes a template (${name})`, async () => {
      const { application, app } = await console.service.application({ name: 'template-test' });
      const path = `/app/applications/${application.id}/templates`;
      await using visit = await console.open(path, look);
      const { page } = visit;
      await page.getByTestId('no-templates').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('create').click();
      await page.getByLabel('Name').fill('order_shipped');
      await page.getByLabel('Text').fill('Order {{ name }}');
      await page.getByTestId('submit').click();
      await page.getByTestId('versions').waitFor();
      assert.ok(await page.getByTestId('save').isDisabled(), 'nothing to save');
      await page.getByTestId('content').fill('Your order, {{ name }}');
      await page.getByTestId('title').fill('About {{ topic }}');
      await page.getByTestId('save').click();
      await page.getByTestId('versions').locator('li').nth(1).waitFor();
      const { body } = await app.get('/1/templates');
      const [template] = body.data;
      assert.deepEqual(
        [template.name, template.version, template.contents.en.content],
        ['order_shipped', 2, 'Your order, {{ name }}'],
      );
      const samples = await page.getByTestId('parameters').inputValue();
      assert.deepEqual(Object.keys(JSON.parse(samples)), ['topic', 'name']);
      await page.getByTestId('title').fill('');
      await page.getByTestId('save').click();
      await page.getByTestId('versions').locator('li').nth(2).waitFor();
      const { body: changed } = await app.get(`/1/templates/${template.id}`);
      assert.equal(changed.contents.en.name, undefined);
      await page.getByTestId('parameters').fill('{"name": "Ada"}');
      await page.getByTestId('preview').click();
      await page.locator('[data-channel=telegram] summary').click();
      const previews = page.getByTestId('previews').getByText('Your order, Ada');
      await previews.filter({ visible: true }).first().waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('delete').click();
      await page.getByRole('dialog').getByRole('button').last().click();
      await page.getByTestId('no-templates').waitFor();
      assertFaultless(visit);
    });
  }

  it('syncs the templates of a vendor and shows their status', async () => {
    const { application, app } = await console.service.application({ name: 'vendor-templates' });
    await integrate(app, application.id, { name: 'whatsapp', mode: 'sandbox', token: undefined });
    await using visit = await console.open(`/app/applications/${application.id}/templates`, LIGHT);
    const { page } = visit;
    await page.getByTestId('sync').click();
    const section = page.getByTestId('vendor-templates');
    await section.locator('[data-state=paused]').waitFor();
    await section.locator('[data-state=approved]').first().waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });
});
