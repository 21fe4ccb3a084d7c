import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { CORPUS } from '../support/corpus.ts';
import { CHROMIUM, assertFaultless, holds } from '../support/programs/browser.ts';
import {
  DESKTOP,
  PHONE,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { until } from '../support/until.ts';

/* The message log, with messages of every kind. */

const MANY = 1_500;
const SECRET = 'a-fake-identity-key-of-32-bytes-or-more';

describe('console: messages', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let app: Client;
  let log: string;
  /** Integrations: one that sends, one without visitors, one whose server is unreachable. */
  const via = { chat: 0, closed: 0, away: 0 };

  const activity = (integration: number, to: string, content: string) =>
    message({
      generator: { type: 'Service', id: String(integration) },
      to: { type: 'Person', id: to },
      object: { type: 'Note', content },
    }).message;

  async function send(integration: number, to: string, content: string): Promise<number> {
    const { body } = await app.post('/1/message', { message: activity(integration, to, content) });
    return body.id;
  }

  const reaches = (id: number, state: string) =>
    until(`message ${id} is ${state}`, async () => {
      const { body } = await app.get(`/1/messages/${id}`);
      return body.state === state;
    });

  before(async () => {
    console = await openConsole();
    const { application, app: client } = await console.service.application({ name: 'the-log' });
    app = client;
    log = `/app/applications/${application.id}/messages`;
    const make = async (fields: object) =>
      (await integrate(app, application.id, { token: undefined, ...fields })).id;
    via.chat = await make({ name: 'webmessenger', secret: SECRET });
    via.closed = await make({ name: 'webmessenger' });
    via.away = await make({ name: 'gotify', address: 'http://127.0.0.1:9', token: 'fake-token' });
    const many = Array.from({ length: MANY }, (_, i) =>
      activity(via.chat, `guest${i}`, `No. ${i}`),
    );
    for (let i = 0; i < MANY; i += 500) {
      await app.post('/1/messages', { messages: many.slice(i, i + 500) });
    }
  });
  after(() => console[Symbol.asyncDispose]());

  const rows = (page: Page) => page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
  const row = (page: Page, text: string) => rows(page).filter({ hasText: text });

  it('all messages can be scrolled to, and only visible rows are rendered', async () => {
    await using visit = await console.open(log, DESKTOP);
    const { page } = visit;
    await row(page, `No. ${MANY - 1}`).waitFor();
    await until('the first message is reached by scrolling', async () => {
      await page.mouse.wheel(0, 20_000);
      return (await page.locator(`[data-testid="list-end"][data-count="${MANY}"]`).count()) > 0;
    });
    await page.keyboard.press('End');
    await row(page, 'No. 0').waitFor();
    assert.ok((await rows(page).count()) < 80);
    assertFaultless(visit);
  });

  it('filters narrow the message log and are kept in the URL', async () => {
    const failed = await send(via.closed, 'nobody', 'To nobody');
    const waiting = await send(via.away, '1', 'To a server that is away');
    await reaches(failed, 'failed');
    await using visit = await console.open(log, { ...DESKTOP, colorScheme: 'dark' });
    const { page } = visit;
    const choose = async (filter: string, choice: string) => {
      await page.getByTestId(`filter-${filter}`).click();
      await page.getByRole('menuitemcheckbox', { name: choice, exact: true }).click();
      await page.keyboard.press('Escape');
    };
    await choose('state', 'Failed');
    await row(page, 'To nobody').waitFor();
    await holds(page, `document.querySelectorAll('[data-row]').length === 1`);
    assert.match(page.url(), /\?state=failed$/);
    await page.getByTestId('filter-state').click();
    await page.getByRole('menuitemcheckbox', { name: 'Queued' }).click();
    assert.deepEqual(await axeFaults(page), []);
    await page.keyboard.press('Escape');
    await row(page, 'To a server that is away').waitFor();
    await choose('integration', 'gotify');
    await holds(page, `document.querySelectorAll('[data-row]').length === 1`);
    await page.reload();
    await row(page, 'To a server that is away').waitFor();
    await holds(page, `document.querySelectorAll('[data-row]').length === 1`);

    await page.getByTestId('clear-filters').click();
    await page.getByTestId('filter-recipient').click();
    await page.getByRole('dialog').getByRole('textbox').fill('guest7');
    await page.getByTestId('apply').click();
    await row(page, 'No. 7').waitFor();
    await holds(page, `document.querySelectorAll('[data-row]').length === 1`);

    await page.goto(`${console.service.url}${log}?id=${waiting}&since=1h`);
    await row(page, 'To a server that is away').waitFor();
    await page.getByTestId('filter-time').click();
    assert.deepEqual(await axeFaults(page), []);
    await page.locator('input[type=datetime-local]').nth(1).fill('2020-01-01T00:00:00');
    await page.getByTestId('apply').click();
    await page.getByTestId('no-match').waitFor();
    await page.getByTestId('clear-all').click();
    await row(page, 'To nobody').waitFor();
    assertFaultless(visit);
  });

  it('in live mode, new messages and state changes appear at once', async () => {
    await using visit = await console.open(`${log}?live=true`, { ...PHONE, colorScheme: 'light' });
    const { page } = visit;
    await row(page, 'To a server that is away').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    const id = await send(via.chat, 'visitor', 'Fresh from the API');
    await row(page, 'Fresh from the API').locator('[data-state="sent"]').waitFor();
    await app.delete(`/1/messages/${id}`);
    await page.getByTestId('live').click();
    await holds(page, `!location.search.includes('live')`);
    assertFaultless(visit);
  });

  it('the arrow keys, j and k move through the message log', async () => {
    await using visit = await console.open(log, DESKTOP);
    const { page } = visit;
    await row(page, 'Fresh from the API').getByRole('link').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Message \d+/ }).waitFor();
    await page.locator('[data-step="accepted"]').waitFor();
    await page.goBack();
    await row(page, 'Fresh from the API').waitFor();
    assertFaultless(visit);
  });

  it('a message that waits for its next attempt is retried at once', async () => {
    const id = await send(via.away, 'try-now', 'Try me now');
    const attempts = async () => (await app.get(`/1/messages/${id}`)).body.attempts as number;
    // After the third attempt, the retry delay is half a minute: enough time to open the page.
    await until('three attempts', async () => {
      if ((await attempts()) >= 3) return true;
      await app.post(`/1/messages/${id}/retry`);
      return false;
    });
    await using visit = await console.open(`${log}/${id}`, DESKTOP);
    const { page } = visit;
    const button = page.getByTestId('retry');
    await button.waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await button.click();
    await until('another attempt', async () => (await attempts()) === 4);
    assertFaultless(visit);
  });

  it('a message is canceled, resent and copied as curl', async () => {
    const id = await send(via.away, '1', 'A <b>bold</b> try');
    await using visit = await console.open(`${log}/${id}`, {
      ...PHONE,
      colorScheme: 'dark',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = visit;
    await page.locator('[data-step="waiting-order"]').waitFor();
    await page.getByTestId('cancel').click();
    await page.locator('[data-step="canceled"]').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('resend').click();
    await page.locator('h1 [data-state="queued"]').waitFor();

    await page.getByTestId('copy-curl').click();
    const copied: string = await page.evaluate('navigator.clipboard.readText()');
    assert.match(copied, /^curl '[^']+\/1\/message'[^]*A <b>bold<\/b> try/);

    await page.goto(`${console.service.url}${log}/${id - 1}`);
    await page.locator('[data-step="accepted"]').waitFor();
    assertFaultless(visit);
  });

  it('a message shows each attempt with request, response and reason', async () => {
    const id = await send(via.closed, 'nobody', 'To nobody again');
    await reaches(id, 'failed');
    await using visit = await console.open(`${log}/${id}`, { ...DESKTOP, colorScheme: 'light' });
    const { page } = visit;
    await page.locator('[data-step="permanent"]').waitFor();
    const { error } = (await app.get(`/1/messages/${id}`)).body;
    const notice = page.locator(`[data-testid="error"][data-code="${error.code}"]`);
    for (const text of [error.title, error.help]) await notice.getByText(text).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    const failing = (await app.get(`/1/messages?to=1`)).body.data.at(-1);
    await page.goto(`${console.service.url}${log}/${failing.id}`);
    await page.locator('[data-step="transient"]').first().waitFor();
    await page.locator('[data-step="waiting-retry"]').waitFor();
    await page.locator('details summary').first().click();
    await page.locator('details[open]').getByText('To a server that is away').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('numbers in a message are shown exactly as they were sent', async () => {
    const written = JSON.stringify(activity(via.chat, 'exact', 'With a long number')).replace(
      '"type":"Create"',
      '"type":"Create","ticket":9007199254740993123',
    );
    const { body } = await app.post('/1/message', undefined, { raw: `{"message":${written}}` });
    await using visit = await console.open(`${log}/${body.id}`, DESKTOP);
    await visit.page.getByText('9007199254740993123').first().waitFor();

    // As if the channel had reported it as delivered, then as read.
    await reaches(body.id, 'sent');
    await console.service.store.engine.db
      .updateTable('outbox')
      .set({ state: 'read', deliveredAt: Date.now() - 60_000, updatedAt: Date.now() })
      .where('id', '=', body.id)
      .execute();
    await visit.page.reload();
    await visit.page.locator('[data-step="read"]').waitFor();
    const steps = await visit.page
      .locator('[data-step]')
      .evaluateAll((items) => items.map((item) => item.getAttribute('data-step')));
    assert.deepEqual(steps, ['accepted', 'sent', 'delivered', 'read']);
    assertFaultless(visit);
  });

  it('message content is shown as text and never run', async () => {
    const hostile = CORPUS.map(
      (text, i) =>
        message({
          generator: { type: 'Service', id: String(via.chat), name: text },
          actor: { type: 'Person', id: text, name: text },
          to: { type: 'Person', id: `hostile-${i}`, name: text },
          object: { type: 'Note', id: text, summary: text, content: text },
        }).message,
    );
    const { body } = await app.post('/1/messages', { messages: hostile });
    const last = body.data.at(-1).id;
    await using visit = await console.open(log, DESKTOP);
    const { page } = visit;
    for (const text of CORPUS.slice(-10)) await row(page, text).first().waitFor();
    for (const { id } of body.data.slice(0, 4)) {
      await page.goto(`${console.service.url}${log}/${id}`);
      await page
        .getByText(CORPUS[id - body.data[0].id] ?? '')
        .first()
        .waitFor();
    }
    await page.goto(`${console.service.url}${log}?to=${encodeURIComponent(CORPUS[0] ?? '')}`);
    await page.getByTestId('no-match').waitFor();
    assert.ok(last > 0);
    const foreign: number = await page.evaluate(
      `document.querySelectorAll('script:not([src^="/assets/"]), iframe, object, embed, base').length`,
    );
    assert.equal(foreign, 0);
    assertFaultless(visit);
  });

  it('an unknown message shows the not-found page', async () => {
    await using visit = await console.open(`${log}/987654`, DESKTOP);
    await visit.page.getByTestId('not-found').waitFor();
    const { application } = await console.service.application({ name: 'empty-one' });
    await visit.page.goto(`${console.service.url}/app/applications/${application.id}/messages`);
    await visit.page.getByTestId('no-messages').waitFor();
    assert.deepEqual(await axeFaults(visit.page), []);
  });
});
