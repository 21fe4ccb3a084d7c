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

describe('the playground of the console', { skip: CHROMIUM.skip }, () => {
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
    it(`shows how a message goes out, sends it and follows it, ${where}`, async () => {
      const twilio = { name: 'twilio', username: 'ACexample', token: 'fake-example' };
      const { app, chat, path } = await make({ ...twilio, address: '+15005550006' });
      await using visit = await console.open(`${path}?integration=${chat}`, options);
      const { page } = visit;
      await page.getByText('Nothing to show yet').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByLabel('To', { exact: true }).fill('grace');
      await page.getByLabel('Written in').selectOption('Markdown');
      await page.getByLabel('Text').fill('It is **here**.');
      await page.getByRole('button', { name: 'Add a button' }).click();
      await page.getByText('All of it goes out as it is.').waitFor();
      await page.getByText(/buttons: a numbered list below the text/).waitFor();
      assert.match(page.url(), new RegExp(`integration=${chat}&to=grace$`));
      assert.deepEqual(await axeFaults(page), []);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByRole('status').getByText('Sent').waitFor();
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

  it('offers no sending to an invalid recipient, and does not say that it goes out', async () => {
    const telegram = { name: 'telegram', token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw' };
    const { chat, path } = await make(telegram, {
      name: 'matrix',
      address: 'https://example.org',
      token: 'x',
    });
    for (const options of [LIGHT, DARK_PHONE]) {
      await using visit = await console.open(`${path}?integration=${chat}&to=grace`, options);
      const { page } = visit;
      const send = page.getByRole('button', { name: 'Send', exact: true });
      const unchanged = page.getByTestId('unchanged');
      await unchanged.waitFor();
      assert.ok(await send.isEnabled());
      await page.getByLabel('Written in').selectOption('Markdown');
      await page.getByLabel('Text').fill('| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n  - two');
      const degraded = page.getByRole('list', { name: 'What degrades' });
      await degraded.getByText('table', { exact: true }).waitFor();
      assert.equal(await unchanged.count(), 0);
      const through = page.getByLabel('Through');
      const channel = await through
        .locator('option', { hasText: 'telegram' })
        .getAttribute('value');
      await through.selectOption(channel);
      const missing = page.getByRole('list', { name: 'What is missing' }).getByRole('listitem');
      await missing.waitFor();
      assert.equal(await missing.count(), 1);
      assert.ok(await send.isDisabled());
      assert.equal(await unchanged.count(), 0);
      assert.deepEqual(await axeFaults(page), []);
      await page.getByLabel('To', { exact: true }).fill('123456789');
      await missing.waitFor({ state: 'detached' });
      await page.getByLabel('Text').fill('Ask @ada_l');
      const formatted = page.getByRole('list', { name: 'May be formatted' });
      await formatted.getByText('@ada_l', { exact: true }).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await send.and(page.locator(':enabled')).waitFor();
      assertFaultless(visit);
    }
  });

  it('keeps its form and its JSON in step, and what the form does not know', async () => {
    const { chat, path } = await make();
    await using visit = await console.open(`${path}?to=grace`, LIGHT);
    const { page } = visit;
    const json = page.getByLabel('The activity as JSON');
    const round = (to: 'Form' | 'JSON') => page.getByText(to, { exact: true }).click();
    await page.getByLabel('Text').fill('from the form');
    await round('JSON');
    const activity = JSON.parse(await json.inputValue());
    assert.equal(activity.object.content, 'from the form');
    assert.deepEqual(activity.generator, { type: 'Service', id: String(chat) });
    activity.object.content = 'from the JSON';
    const written = JSON.stringify({ ...activity, 'x:big': 0 }).replace(
      ':0}',
      ':9007199254740993}',
    );
    await json.fill(written);
    await round('Form');
    assert.equal(await page.getByLabel('Text').inputValue(), 'from the JSON');
    await page.getByLabel('Kind').selectOption('Place');
    await page.getByLabel('Latitude').fill('48.1');
    await round('JSON');
    const changed = await json.inputValue();
    assert.match(changed, /"x:big": 9007199254740993/);
    assert.equal(JSON.parse(changed).object.latitude, 48.1);
    await json.fill('{"type": ');
    await page.getByText('This is not JSON yet').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled());
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('says what the service does not take, in its words', async () => {
    const { chat, path } = await make();
    await using visit = await console.open(`${path}?integration=${chat}&to=x`, DARK_PHONE);
    const { page } = visit;
    await page.getByLabel('Kind').selectOption('Image');
    await page.getByLabel('Address of the file').fill('ftp://example.com/x.png');
    await page.getByRole('alert').filter({ hasText: 'http' }).waitFor();
  });

  it('leads to a first integration where there is none', async () => {
    const { application } = await console.service.application();
    const path = `/app/applications/${application.id}/playground`;
    await using visit = await console.open(path, LIGHT);
    await visit.page.getByText('First, a way out').waitFor();
    assert.deepEqual(await axeFaults(visit.page), []);
    assertFaultless(visit);
  });

  it('shows whatever is written as it is, and runs none of it', async () => {
    const { chat, path } = await make();
    await using visit = await console.open(`${path}?integration=${chat}&to=x`, LIGHT);
    const { page } = visit;
    const text = CORPUS.join('\n');
    for (const format of ['', 'text/markdown', 'text/html']) {
      await page.getByLabel('Written in').selectOption(format);
      await page.getByLabel('Text').fill(text);
      await page.locator('pre', { hasText: 'alert(1)' }).first().waitFor();
    }
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('status').getByText('Sent').waitFor();
    assertFaultless(visit);
  });
});
