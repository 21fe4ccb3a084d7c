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

/** What somebody said, as it is told. */
const said = (content: string, name = 'Grace') => ({
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

describe('the events of the console', { skip: CHROMIUM.skip }, () => {
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
    const happen = (events: readonly [EventType, unknown][]) =>
      console.service.store.events.append(
        events.map(([type, data]) => {
          const createdAt = Date.now();
          return { applicationId, type, data: JSON.stringify(data), media: null, createdAt };
        }),
      );
    return { happen, path: `/app/applications/${applicationId}/events` };
  }

  it('are listed from the newest to the first, and narrowed to some types', async () => {
    const { happen, path } = await make();
    await happen(
      Array.from({ length: 250 }, (_, i) =>
        i === 5 ? ['message.received', said('a rare word')] : ['message.sent', report(i, 'sent')],
      ),
    );
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    const list = page.getByRole('list', { name: 'Events' });
    await list.getByRole('link', { name: /Message 249/ }).waitFor();
    assert.ok((await list.getByRole('link').count()) < 80, 'only those in sight are on the page');
    assert.deepEqual(await axeFaults(page), []);
    await until('the first is in sight', async () => {
      await page.keyboard.press('End');
      return list.getByRole('link', { name: /Message 0\b/ }).isVisible();
    });
    await page.getByText('That is all.').waitFor();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Type' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'message.received' }).click();
    await page.keyboard.press('Escape');
    await list.getByRole('link', { name: /a rare word/ }).waitFor();
    assert.equal(await list.getByRole('link').count(), 1);
    assert.match(page.url(), /type=message\.received/);
    await page.goto(`${console.service.url}${path}?type=message.failed`);
    await page.getByText('None of these has happened').waitFor();
    assertFaultless(visit);
  });

  it('that are new are counted, and appear by themselves while it is live', async () => {
    const { happen, path } = await make();
    await using visit = await console.open(path, DARK_PHONE);
    const { page } = visit;
    await page.getByText('Nothing has happened yet').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    // Until it listens, nothing is heard.
    await until('the first is counted', async () => {
      await happen([['message.received', said('the first word')]]);
      return page.getByRole('button', { name: /\d+ new/ }).isVisible();
    });
    await page.getByRole('button', { name: /\d+ new/ }).click();
    await page.getByText('the first word').first().waitFor();
    await page.getByRole('button', { name: 'Go live' }).click();
    await happen([['message.received', said('the second word')]]);
    await page.getByText('the second word').waitFor();
    assert.match(page.url(), /live=true/);
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('have pages of their own, which lead on', async () => {
    const { happen, path } = await make();
    await happen([
      ['message.received', said('Where is my order?')],
      ['message.delivered', report(4711, 'delivered')],
    ]);
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await page.getByRole('link', { name: /Where is my order/ }).click();
    await page.getByRole('heading', { name: 'Somebody wrote' }).waitFor();
    await page.getByText('guest-1').first().waitFor();
    assert.deepEqual(await axeFaults(page), []);
    const answer = page.getByRole('link', { name: 'Answer' });
    assert.match(
      (await answer.getAttribute('href')) ?? '',
      /\/playground\?integration=7&to=guest-1$/,
    );
    await page.getByRole('link', { name: 'Later' }).click();
    await page.getByRole('heading', { name: 'Event 2' }).waitFor();
    const link = page.getByRole('link', { name: '4711' });
    assert.match((await link.getAttribute('href')) ?? '', /\/messages\/4711$/);
    assertFaultless(visit);
  });

  it('are delivered to a webhook with each attempt on record, and again on demand', async () => {
    const { happen, path } = await make({ webhook_url: `${endpoint.url}/hook` });
    endpoint.next({ status: 503, body: 'not just now' });
    await happen([
      ['message.received', said('one')],
      ['message.received', said('two')],
    ]);
    const ids = () => endpoint.seen.map(({ headers }) => headers['webhook-id']);
    await until('all are delivered', () => endpoint.seen.length === 3);
    await using visit = await console.open(`${path}/deliveries`, DARK_PHONE);
    const { page } = visit;
    await page.getByRole('link', { name: /Taken/ }).nth(1).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('link', { name: /Taken/ }).nth(1).click();
    await page.getByText('The endpoint answered 503.').waitFor();
    await page.getByText('The endpoint took it').waitFor();
    await page.getByText('Request and answer').first().click();
    await page.getByText('not just now').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('button', { name: 'Deliver again' }).click();
    await until('it is delivered again', () => endpoint.seen.length === 4);
    assert.equal(ids().at(-1), ids().at(0));
    await page.getByRole('link', { name: 'Webhook deliveries' }).click();
    await page.getByRole('button', { name: 'Deliver again since…' }).click();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('button', { name: 'Deliver again', exact: true }).click();
    await page.getByText('Everything since then is delivered again').waitFor();
    await until('both are delivered again', () => endpoint.seen.length === 6);
    assert.deepEqual(ids().slice(-2), ids().slice(1, 3));
    assertFaultless(visit);
  });

  it('say what a webhook would do where there is none', async () => {
    const { path } = await make();
    await using visit = await console.open(`${path}/deliveries`, LIGHT);
    const { page } = visit;
    await page.getByText('No webhook yet').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByRole('link', { name: 'Set up a webhook' }).click();
    await page.getByLabel('URL').waitFor();
    assertFaultless(visit);
  });

  it('show what people write as it is, and run none of it', async () => {
    const { happen, path } = await make();
    await happen(CORPUS.map((text) => ['message.received', said(text, text)]));
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
