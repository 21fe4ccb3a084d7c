import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CORPUS } from '../support/corpus.ts';
import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';

describe('console: playground', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  /** An application with a web chat, and with integrations of other channels. */
  async function make(...others: Record<string, string>[]) {
    const { application, app } = await console.service.application();
    const integrate = (fields: Record<string, string>) =>
      app.post('/1/integrations', {
        application_id: application.id,
        state: 'enable',
        ...fields,
      });
    for (const fields of others) await integrate(fields);
    const secret = 'not-a-secret-but-long-enough-for-one';
    const { body } = await integrate({ name: 'webmessenger', secret });
    const path = `/app/applications/${application.id}/playground`;
    return { app, chat: Number(body.id), path };
  }

  for (const [where, options] of [
    ['on a desktop', LIGHT],
    ['on a phone', DARK_PHONE],
  ] as const) {
    it(`a message is previewed, sent and followed ${where}`, async () => {
      const twilio = { name: 'twilio', username: 'ACexample', token: 'fake-example' };
      const { app, chat, path } = await make({ ...twilio, address: '+15005550006' });
      await using visit = await console.open(`${path}?integration=${chat}`, options);
      const { page } = visit;
      await page.getByTestId('no-preview').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('recipient').fill('grace');
      await page.getByTestId('format').selectOption('text/markdown');
      await page.getByTestId('text').fill('It is **here**.');
      await page.getByTestId('add-button').click();
      await page.getByTestId('unchanged').waitFor();
      await page.getByText(/buttons: a numbered list below the text/).waitFor();
      assert.match(page.url(), new RegExp(`integration=${chat}&to=grace$`));
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('send').click();
      await page.locator('[role="status"] [data-state="sent"]').waitFor();
      const { body } = await app.get('/1/messages');
      assert.deepEqual(body.data[0].message.object, {
        type: 'Note',
        content: 'It is **here**.',
        mediaType: 'text/markdown',
        attachment: [{ type: 'Button', name: 'Yes' }],
      });
      assertFaultless(visit);
    });
  }

  it('a message to an invalid recipient cannot be sent', async () => {
    const telegram = { name: 'telegram', token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw' };
    const { chat, path } = await make(telegram, {
      name: 'matrix',
      address: 'https://example.org',
      token: 'x',
    });
    for (const options of [LIGHT, DARK_PHONE]) {
      await using visit = await console.open(`${path}?integration=${chat}&to=grace`, options);
      const { page } = visit;
      const send = page.getByTestId('send');
      const unchanged = page.getByTestId('unchanged');
      await unchanged.waitFor();
      assert.ok(await send.isEnabled());
      await page.getByTestId('format').selectOption('text/markdown');
      await page.getByTestId('text').fill('| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n  - two');
      const degraded = page.getByTestId('degraded');
      await degraded.getByText('table', { exact: true }).waitFor();
      assert.equal(await unchanged.count(), 0);
      const through = page.getByTestId('integration');
      const channel = await through
        .locator('option', { hasText: 'telegram' })
        .getAttribute('value');
      await through.selectOption(channel);
      const missing = page.getByTestId('missing').getByRole('listitem');
      await missing.waitFor();
      assert.equal(await missing.count(), 1);
      assert.doesNotMatch(await missing.innerText(), /to\.id/i);
      assert.ok(await send.isDisabled());
      assert.equal(await unchanged.count(), 0);
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('recipient').fill('123456789');
      await missing.waitFor({ state: 'detached' });
      await page.getByTestId('text').fill('Ask @ada_l');
      const formatted = page.getByTestId('may-be-formatted');
      await formatted.getByText('@ada_l', { exact: true }).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await send.and(page.locator(':enabled')).waitFor();
      assertFaultless(visit);
    }
  });

  it('form and JSON stay in sync and keep unknown properties', async () => {
    const { chat, path } = await make();
    await using visit = await console.open(`${path}?to=grace`, LIGHT);
    const { page } = visit;
    const json = page.getByTestId('json');
    const view = (value: 'form' | 'json') =>
      page.locator(`label:has(input[value="${value}"])`).click();
    await page.getByTestId('text').fill('from the form');
    await view('json');
    const activity = JSON.parse(await json.inputValue());
    assert.equal(activity.object.content, 'from the form');
    assert.deepEqual(activity.generator, { type: 'Service', id: String(chat) });
    activity.object.content = 'from the JSON';
    const written = JSON.stringify({ ...activity, 'x:big': 0 }).replace(
      ':0}',
      ':9007199254740993}',
    );
    await json.fill(written);
    await view('form');
    assert.equal(await page.getByTestId('text').inputValue(), 'from the JSON');
    await page.getByTestId('kind').selectOption('Place');
    await page.getByLabel('Latitude').fill('48.1');
    await view('json');
    const changed = await json.inputValue();
    assert.match(changed, /"x:big": 9007199254740993/);
    assert.equal(JSON.parse(changed).object.latitude, 48.1);
    await json.fill('{"type": ');
    await page.getByTestId('invalid-json').waitFor();
    assert.ok(await page.getByTestId('send').isDisabled());
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('an error of the dry run is shown', async () => {
    const { chat, path } = await make();
    await using visit = await console.open(`${path}?integration=${chat}&to=x`, DARK_PHONE);
    const { page } = visit;
    await page.getByTestId('kind').selectOption('Image');
    await page.getByTestId('file-url').fill('ftp://example.com/x.png');
    await page.locator('[role="alert"][data-code]').waitFor();
  });

  it('without an integration, the playground offers to add one', async () => {
    const { application } = await console.service.application();
    const path = `/app/applications/${application.id}/playground`;
    await using visit = await console.open(path, LIGHT);
    await visit.page.getByTestId('no-integrations').waitFor();
    assert.deepEqual(await axeFaults(visit.page), []);
    assertFaultless(visit);
  });

  it('composed text is shown as text and never run', async () => {
    const { chat, path } = await make();
    await using visit = await console.open(`${path}?integration=${chat}&to=x`, LIGHT);
    const { page } = visit;
    const text = CORPUS.join('\n');
    for (const format of ['', 'text/markdown', 'text/html']) {
      await page.getByTestId('format').selectOption(format);
      await page.getByTestId('text').fill(text);
      await page.locator('pre', { hasText: 'alert(1)' }).first().waitFor();
    }
    await page.getByTestId('send').click();
    await page.locator('[role="status"] [data-state="sent"]').waitFor();
    assertFaultless(visit);
  });
});
