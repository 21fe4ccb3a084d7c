import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHROMIUM, assertFaultless, holds } from '../../support/programs/browser.ts';
import {
  DARK_PHONE,
  DESKTOP,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../../support/programs/console.ts';
import { integrate, message } from '../../support/service/activity.ts';
import type { Client } from '../../support/service/client.ts';
import { until } from '../../support/until.ts';

/* What is sent beside an activity: templates, categories and times, and what a person can do while a message waits. */

const TO = '16505551234';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A later time, as the field takes it. */
const localTime = (milliseconds: number) =>
  new Date(Date.now() + milliseconds).toISOString().slice(0, 16);

describe('console: instructions', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let app: Client;
  let id: number;
  let base: string;
  let integrationId: number;

  before(async () => {
    console = await openConsole({ SWITCHBOARD_ROLE: 'all' });
    const { application, app: client } = await console.service.application({ name: 'instructed' });
    app = client;
    id = Number(application.id);
    base = `/app/applications/${id}`;
    const sandbox = { name: 'whatsapp', mode: 'sandbox', token: undefined };
    ({ id: integrationId } = await integrate(app, id, sandbox));
    await app.post(`/1/integrations/${integrationId}/templates/sync`);
    const contents = { en: { content: 'Hi {{ name }}' } };
    await app.post('/1/templates', { name: 'greeting', default_language: 'en', contents });
  });
  after(() => console[Symbol.asyncDispose]());

  /** Browsers log refused requests; there must be no other fault. */
  const assertRefusedOnly = ({ faults }: { faults: readonly string[] }) =>
    assert.deepEqual(
      faults.filter((fault) => !/status of 422/.test(fault)),
      [],
    );
  const newest = async () => (await app.get('/1/messages?limit=1')).body.data[0];
  const plan = async (hours: number) => {
    const send_at = new Date(Date.now() + hours * HOUR_MS).toISOString();
    const to = { type: 'Person', id: TO };
    return (await app.post('/1/message', { ...message({ to }), send_at })).body.id as number;
  };

  for (const [where, options] of [
    ['on a desktop', LIGHT],
    ['on a phone', DARK_PHONE],
  ] as const) {
    it(`a template is chosen, filled in, previewed and sent ${where}`, async () => {
      await using visit = await console.open(`${base}/playground?to=${TO}`, options);
      const { page } = visit;
      await page.getByTestId('template').selectOption('vendor appointment en');
      const values = page.getByTestId('template-values');
      await values.fill('{"patient": "Ada"}');
      await page.locator('[role="alert"]').first().waitFor();
      assert.ok(await page.getByTestId('send').isDisabled());
      await values.fill('{"patient": ');
      assert.ok(await page.getByTestId('send').isDisabled());
      await values.fill('{"patient": "Ada", "date": "1 May", "time": "9:00"}');
      await page.getByTestId('template-layout').getByText('Reminder for Ada').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('category').selectOption('marketing');
      const send = page.getByTestId('send').and(page.locator(':enabled'));
      await send.click();
      const sent = await until('the template', async () => {
        const found = await newest();
        return found?.template?.name === 'appointment' && found;
      });
      assert.equal(sent.category, 'marketing');

      await page.getByTestId('template').selectOption('vendor hello_world en_US');
      await page.getByTestId('template-when').selectOption('outside');
      await page.getByTestId('text').fill('Free text');
      await send.click();
      await until('free text with a template for later', async () => {
        return (await newest()).outside_window?.name === 'hello_world';
      });

      await page.getByTestId('template').selectOption('own greeting en');
      await values.fill('{"name": "Grace"}');
      await page.getByTestId('send-at').fill(localTime(100 * DAY_MS));
      await page.getByTestId('leaves-at').or(page.locator('[role="alert"]')).first().waitFor();
      await send.click();
      const scheduled = await until('the scheduled message', async () => {
        const found = await newest();
        return found.state === 'scheduled' && found;
      });
      assert.equal(scheduled.template.source, 'own');
      await app.delete(`/1/messages/${scheduled.id}`);
      assertFaultless(visit);
    });
  }

  it('a scheduled message is listed, its time changed, and it is canceled', async () => {
    const [first, second] = [await plan(30), await plan(40)];
    await using visit = await console.open(`${base}/messages`, DESKTOP);
    const { page } = visit;
    await page.getByTestId('filter-state').click();
    const choice = page.getByRole('menuitemcheckbox');
    await choice.filter({ hasText: 'Scheduled' }).click();
    await page.keyboard.press('Escape');
    await holds(page, `document.querySelectorAll('[data-row]').length === 2`);
    await page.locator('[data-row] [data-state="scheduled"]').first().waitFor();
    assert.deepEqual(await axeFaults(page), []);

    await page.goto(`${console.service.url}${base}/messages/${first}`);
    await page.locator('[data-step="waiting-schedule"]').waitFor();
    await page.getByTestId('reschedule').click();
    const at = page.getByTestId('send-at');
    await at.fill(localTime(1_000 * DAY_MS));
    await page.getByTestId('submit').click();
    await page.getByRole('dialog').locator('[role="alert"]').waitFor();
    const { send_at: planned } = (await app.get(`/1/messages/${first}`)).body;
    assert.deepEqual(await axeFaults(page), []);
    await at.fill(localTime(50 * HOUR_MS));
    await page.getByTestId('submit').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { body: changed } = await app.get(`/1/messages/${first}`);
    assert.notEqual(changed.send_at, planned);

    await page.getByTestId('cancel').click();
    await page.locator('[data-step="canceled"]').waitFor();
    assert.equal((await app.get(`/1/messages/${first}`)).body.state, 'canceled');
    assert.equal((await app.get(`/1/messages/${second}`)).body.state, 'scheduled');
    assertRefusedOnly(visit);
  });

  it('quiet hours are added, refused if they leave no time, and shown on a message', async () => {
    await using visit = await console.open(`${base}/settings`, LIGHT);
    const { page } = visit;
    const form = page.getByTestId('quiet-hours');
    assert.equal(await form.getByTestId('default-zone').inputValue(), '', 'no zone is in force');
    assert.ok(await page.getByTestId('save-quiet-hours').isDisabled());
    await form.getByTestId('default-zone').fill('Europe/Nowhere');
    await page.getByTestId('add-quiet-rule').click();
    await page.getByTestId('save-quiet-hours').click();
    await form.locator('[role="alert"]').waitFor();
    await form.getByTestId('default-zone').fill('UTC');
    const now = Date.now();
    const clock = (millis: number) => new Date(millis).toISOString().slice(11, 16);
    await form.getByLabel('From').fill(clock(now - HOUR_MS));
    await form.getByLabel('Until').fill(clock(now + 2 * HOUR_MS));
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('save-quiet-hours').click();
    const rule = await until('the rule', async () => {
      const { body } = await console.service.api.get(`/1/applications/${id}/policies`);
      return body.quiet_hours.rules[0];
    });
    const to = { type: 'Person', id: 'US.13491208655302741918' };
    const [category] = rule.categories;
    const { body } = await app.post('/1/message', { ...message({ to }), category });
    assert.equal(body.state, 'scheduled');
    await page.goto(`${console.service.url}${base}/messages/${body.id}`);
    await page.locator('[data-step="waiting-quiet_hours"]').waitFor();
    assertRefusedOnly(visit);
  });
});
