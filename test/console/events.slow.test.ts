import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { EventType } from '../../src/model/event.ts';
import { type Endpoint, openEndpoint } from '../emulators/endpoint.ts';
import { CORPUS } from '../support/corpus.ts';
import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { until } from '../support/until.ts';

/** The activity of a received message. */
const received = (content: string, name = 'Grace') => ({
  '@context': 'https://www.w3.org/ns/activitystreams',
  type: 'Create',
  published: 1,
  generator: { type: 'Service', id: '7', name: 'telegram' },
  actor: { type: 'Person', id: 'guest-1', name },
  target: { type: 'Application', id: '7', name: 'telegram' },
  object: { type: 'Note', id: 'x', content },
});

const report = (id: number, state: string) => ({
  id,
  application_id: 1,
  integration_id: 7,
  state,
  to: 'guest-1',
  object_id: null,
  channel_ids: [],
  error: null,
});

describe('console: events', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let endpoint: Endpoint;
  before(async () => {
    console = await openConsole();
    endpoint = await openEndpoint();
  });
  after(async () => {
    await console[Symbol.asyncDispose]();
    await endpoint.close();
  });

  async function make(fields: Record<string, unknown> = {}) {
    const { application } = await console.service.application(fields);
    const applicationId = Number(application.id);
    const append = (events: readonly [EventType, unknown][]) =>
      console.service.store.events.append(
        events.map(([type, data]) => {
          const createdAt = Date.now();
          return { applicationId, type, data: JSON.stringify(data), media: null, createdAt };
        }),
      );
    return { append, path: `/app/applications/${applicationId}/events` };
  }

  it('events are listed newest first and filtered by type', async () => {
    const { append, path } = await make();
    await append(
      Array.from({ length: 250 }, (_, i) =>
        i === 5
          ? ['message.received', received('a rare word')]
          : ['message.sent', report(i, 'sent')],
      ),
    );
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    const list = page.getByRole('list', { name: 'Events' });
    await list.getByRole('link', { name: /Message 249/ }).waitFor();
    assert.ok((await list.getByRole('link').count()) < 80, 'only visible rows are rendered');
    assert.deepEqual(await axeFaults(page), []);
    await until('the first is in sight', async () => {
      await page.keyboard.press('End');
      return list.getByRole('link', { name: /Message 0\b/ }).isVisible();
    });
    await page.locator('[data-testid="list-end"][data-count="250"]').waitFor();
    await page.keyboard.press('Home');
    await page.getByTestId('filter-type').click();
    await page.getByRole('menuitemcheckbox', { name: 'message.received' }).click();
    await page.keyboard.press('Escape');
    await list.getByRole('link', { name: /a rare word/ }).waitFor();
    assert.equal(await list.getByRole('link').count(), 1);
    assert.match(page.url(), /type=message\.received/);
    await page.goto(`${console.service.url}${path}?type=message.failed`);
    await page.getByTestId('no-match').waitFor();
    assertFaultless(visit);
  });

  it('the name of a person who joined is shown once', async () => {
    const { append, path } = await make();
    const member = { type: 'Person', id: 'guest-1', name: 'Grace Hopper' };
    await append([['member.joined', { ...received(''), type: 'Join', object: member }]]);
    for (const look of [LIGHT, DARK_PHONE]) {
      await using visit = await console.open(path, look);
      const row = visit.page.getByRole('list', { name: 'Events' }).getByRole('link');
      await row.waitFor();
      const text = (await row.textContent()) ?? '';
      assert.equal(text.split('Grace').length - 1, 1, text);
      assertFaultless(visit);
    }
  });

  it('new events are counted, and shown at once in live mode', async () => {
    const { append, path } = await make();
    await using visit = await console.open(path, DARK_PHONE);
    const { page } = visit;
    await page.getByTestId('no-events').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    // Events are counted once the page is connected.
    await until('the first is counted', async () => {
      await append([['message.received', received('the first word')]]);
      return page.getByTestId('show-new').isVisible();
    });
    await page.getByTestId('show-new').click();
    await page.getByText('the first word').first().waitFor();
    await page.getByTestId('live').click();
    await append([['message.received', received('the second word')]]);
    await page.getByText('the second word').waitFor();
    assert.match(page.url(), /live=true/);
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('an event page links to the reply, the next event and the message', async () => {
    const { append, path } = await make();
    await append([
      ['message.received', received('Where is my order?')],
      ['message.delivered', report(4711, 'delivered')],
    ]);
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await page.getByRole('link', { name: /Where is my order/ }).click();
    await page.getByTestId('event-content').waitFor();
    await page.getByText('guest-1').first().waitFor();
    assert.deepEqual(await axeFaults(page), []);
    const answer = page.getByTestId('reply');
    assert.match(
      (await answer.getAttribute('href')) ?? '',
      /\/playground\?integration=7&to=guest-1$/,
    );
    await page.getByTestId('next-event').click();
    await page.getByRole('heading', { name: 'Event 2' }).waitFor();
    const link = page.getByRole('link', { name: '4711' });
    assert.match((await link.getAttribute('href')) ?? '', /\/messages\/4711$/);
    assertFaultless(visit);
  });

  it('webhook deliveries show every attempt and are resent on demand', async () => {
    const { append, path } = await make({ webhook_url: `${endpoint.url}/hook` });
    endpoint.next({ status: 503, body: 'not just now' });
    await append([
      ['message.received', received('one')],
      ['message.received', received('two')],
    ]);
    const ids = () => endpoint.seen.map(({ headers }) => headers['webhook-id']);
    await until('all are delivered', () => endpoint.seen.length === 3);
    await using visit = await console.open(`${path}/deliveries`, DARK_PHONE);
    const { page } = visit;
    await page.locator('a:has([data-state="sent"])').nth(1).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.locator('a:has([data-state="sent"])').nth(1).click();
    await page.locator('[data-outcome="transient"][data-status="503"]').waitFor();
    await page.locator('[data-outcome="sent"]').waitFor();
    await page.locator('details summary').first().click();
    await page.getByText('not just now').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('resend').click();
    await until('it is delivered again', () => endpoint.seen.length === 4);
    assert.equal(ids().at(-1), ids().at(0));
    await page.locator('nav a[href$="/events/deliveries"]').click();
    await page.getByTestId('recover').click();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('submit').click();
    await page.locator('[data-testid="toast"][data-tone="ok"]').first().waitFor();
    await until('both are delivered again', () => endpoint.seen.length === 6);
    assert.deepEqual(ids().slice(-2), ids().slice(1, 3));
    assertFaultless(visit);
  });

  it('without a webhook, the deliveries page leads to the webhook settings', async () => {
    const { path } = await make();
    await using visit = await console.open(`${path}/deliveries`, LIGHT);
    const { page } = visit;
    await page.getByTestId('no-webhook').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('no-webhook').getByRole('link').click();
    await page.getByLabel('URL').waitFor();
    assertFaultless(visit);
  });

  it('received messages are shown as text and never run', async () => {
    const { append, path } = await make();
    await append(CORPUS.map((text) => ['message.received', received(text, text)]));
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    for (const text of CORPUS.slice(-10))
      await page.getByText(text, { exact: true }).first().waitFor();
    await page.goto(`${console.service.url}${path}/2`);
    await page
      .getByText(CORPUS[1] ?? '', { exact: true })
      .first()
      .waitFor();
    assertFaultless(visit);
  });
});
