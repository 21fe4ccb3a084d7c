import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { CHROMIUM, assertFaultless } from '../../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../../support/programs/console.ts';
import { integrate } from '../../support/service/activity.ts';
import type { Client, Reply } from '../../support/service/client.ts';
import { eventsOf } from '../../support/service/feed.ts';
import { until } from '../../support/until.ts';

/* The pages of contacts, and adding somebody who wrote. */

describe('console: contacts', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let app: Client;
  let base: string;
  before(async () => {
    console = await openConsole();
    const { application, app: client } = await console.service.application({ name: 'people' });
    app = client;
    base = `/app/applications/${application.id}`;
    const sandbox = { name: 'telegram', mode: 'sandbox', token: undefined };
    const { id } = await integrate(app, application.id, sandbox);
    await app.post(`/1/sandbox/${id}/reply`, { text: 'Hello' });
    await eventsOf(app, 'message.received', 1);
  });
  after(() => console[Symbol.asyncDispose]());

  /** Browsers log refused requests; there must be no other fault. */
  const assertRefusedOnly = ({ faults }: { faults: readonly string[] }) =>
    assert.deepEqual(
      faults.filter((fault) => !/status of (409|422)/.test(fault)),
      [],
    );
  const find = async (externalId: string) =>
    (await app.get(`/1/contacts?external_id=${externalId}`)).body.data[0];
  const alert = (page: Page) => page.getByRole('dialog').getByRole('alert');

  for (const [where, options, id, phone] of [
    ['on a desktop', LIGHT, 'desk', '+15558675310'],
    [
      'on a phone',
      { ...DARK_PHONE, viewport: { width: 360, height: 740 } },
      'pocket',
      '+15558675311',
    ],
  ] as const) {
    it(`a contact is created, found, changed and deleted ${where}`, async () => {
      await using visit = await console.open(`${base}/contacts`, options);
      const { page } = visit;
      await page.getByTestId('create').first().click();
      await page.getByTestId('name').fill(`Ada Lovelace ${id}`);
      await page.getByTestId('external_id').fill(id);
      await page.getByTestId('timezone').fill('Europe/Nowhere');
      await page.getByTestId('address').fill('no number');
      await page.getByTestId('submit').click();
      await alert(page).first().waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('timezone').fill('Europe/London');
      await page.getByTestId('submit').click();
      await alert(page).first().waitFor();
      await page.getByTestId('address').fill(phone);
      await page.getByTestId('add-field').click();
      await page.getByLabel('Field 1: name').fill('plan');
      await page.getByLabel('Field 1: value').fill('gold');
      await page.getByTestId('add-field').click();
      await page.getByLabel('Field 2: name').fill(' plan');
      await alert(page).filter({ hasText: 'Name used twice.' }).waitFor();
      assert.equal(await page.getByLabel('Field 2: name').getAttribute('aria-invalid'), 'true');
      assert.ok(await page.getByTestId('submit').isDisabled());
      assert.deepEqual(await axeFaults(page), []);
      await page.getByLabel('Remove field 2').click();
      await page.getByTestId('submit').click();
      await page.waitForURL(/contacts\/\d+$/);
      const made = await find(id);
      assert.partialDeepStrictEqual(made, { timezone: 'Europe/London', fields: { plan: 'gold' } });

      assert.ok(await page.getByTestId('save').isDisabled(), 'nothing to save');
      await page.getByTestId('add-address').click();
      await page.getByTestId('channel').selectOption('email');
      await page.getByTestId('address').fill(`${id}@example.com`);
      await page.getByTestId('preference').fill('10');
      await page.getByTestId('submit').click();
      const rows = page.getByTestId('address-row');
      await rows.nth(1).waitFor();
      assert.match(
        (await rows.first().textContent()) ?? '',
        /@example\.com/,
        'the preferred first',
      );
      await rows.nth(1).getByTestId('edit-address').click();
      await page.getByTestId('label').fill('Old phone');
      await page.getByTestId('active').uncheck();
      await page.getByTestId('submit').click();
      await rows.nth(1).locator('[data-state="disabled"]').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      const states = (await find(id)).addresses.map(({ state, label }: Reply['body']) => [
        state,
        label,
      ]);
      assert.deepEqual(states, [
        ['disabled', 'Old phone'],
        ['active', null],
      ]);
      await rows.nth(1).getByTestId('remove-address').click();
      await page.getByTestId('confirm').click();
      await rows.nth(1).waitFor({ state: 'detached' });
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await page.getByTestId('add-field').click();
      await page.getByLabel('Field 2: name').fill('plan');
      await page.getByText('Name used twice.').waitFor();
      assert.ok(await page.getByTestId('save').isDisabled());
      await page.getByLabel('Field 2: name').fill('');
      await page.getByTestId('name').fill('');
      await page.getByTestId('save').click();
      await until('the name is cleared', async () => (await find(id)).name === null);
      assert.deepEqual((await find(id)).fields, { plan: 'gold' });

      await page.goto(`${console.service.url}${base}/contacts`);
      await page.getByTestId('search').fill(`${id}@exam`);
      await page.getByTestId('contacts').getByRole('link').first().click();
      await page.getByTestId('delete').click();
      await page.getByTestId('confirm').click();
      await page.waitForURL(/contacts$/);
      assert.equal(await find(id), undefined);
      assertRefusedOnly(visit);
    });
  }

  it('a file is imported, with its progress and the errors of its lines', async () => {
    await using visit = await console.open(`${base}/contacts`, LIGHT);
    const { page } = visit;
    await page.getByTestId('import').click();
    const csv =
      'external_id,name,sms\nimported-1,Mary Import,+15558675399\nimported-2,Bad,nonsense\n';
    const buffer = Buffer.from(csv);
    await page.getByTestId('file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer });
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('submit').click();
    await page.locator('[data-testid="import-result"][data-created="1"]').waitFor();
    await page.getByTestId('import-error').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('done').click();
    await page.getByTestId('contacts').getByText('Mary Import').waitFor();
    assertFaultless(visit);
  });

  it('values that are not text keep their type when another field changes', async () => {
    const fields = { age: 36, member: true, none: null, plan: 'gold' };
    const { body } = await app.post('/1/contacts', { external_id: 'typed', fields });
    await using visit = await console.open(`${base}/contacts/${body.id}`, LIGHT);
    const { page } = visit;
    await page.getByLabel('Field 4: value').fill('silver');
    await page.getByTestId('save').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTestId('export').click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    const [contact, end] = [lines[0], lines.at(-1)].map((line) => JSON.parse(line ?? 'null'));
    assert.deepEqual([contact.kind, contact.data.id, end.kind], ['contact', body.id, 'end']);
    await until('the field changes', async () => (await find('typed')).fields.plan === 'silver');
    assert.deepEqual((await find('typed')).fields, { ...fields, plan: 'silver' });
    assertFaultless(visit);
  });

  it('two contacts are merged after a look at both, unmerged, and one is erased', async () => {
    const person = async (external_id: string | null, name: string, address: string) =>
      (
        await app.post('/1/contacts', {
          external_id,
          name,
          addresses: [{ channel: 'email', address }],
        })
      ).body.id;
    const kept = await person('twin', 'Emmy Noether', 'emmy@example.com');
    const other = await person(null, 'E. Noether', 'noether@example.com');
    const rival = await person('rival', 'Amalie Noether', 'amalie@example.com');
    const emailsOf = async (id: number) =>
      ((await app.get(`/1/contacts/${id}`)).body.addresses ?? []).map(
        ({ address }: Reply['body']) => address,
      );
    await using visit = await console.open(`${base}/contacts/${kept}`, {
      ...DARK_PHONE,
      viewport: { width: 360, height: 740 },
    });
    const { page } = visit;
    const choose = async (text: string) => {
      await page.getByTestId('find-contact').fill(text);
      await page.getByTestId('found-contact').filter({ hasText: text }).click();
      await page.getByTestId('merged').filter({ hasText: text }).waitFor();
    };
    await page.getByTestId('merge').click();
    assert.ok(await page.getByTestId('submit').isDisabled());
    await choose('amalie@example.com');
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('submit').click();
    await page.locator('[data-code="merge_conflict"]').waitFor();
    assert.deepEqual(await emailsOf(rival), ['amalie@example.com']);
    await page.getByTestId('choose-other').click();
    await choose('noether@example.com');
    await page.getByTestId('kept').filter({ hasText: 'Emmy Noether' }).waitFor();
    await page.getByTestId('submit').click();
    await page.getByTestId('unmerge').waitFor();
    assert.deepEqual(await emailsOf(kept), ['emmy@example.com', 'noether@example.com']);
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('unmerge').click();
    await page.getByTestId('confirm').click();
    await page.getByTestId('merges').waitFor({ state: 'detached' });
    assert.deepEqual(await emailsOf(other), ['noether@example.com']);

    await page.getByTestId('erase').click();
    const confirm = page.getByTestId('confirm');
    await page.getByTestId('confirm-text').fill('Emmy');
    assert.ok(await confirm.isDisabled());
    await page.getByTestId('confirm-text').fill('Emmy Noether');
    assert.deepEqual(await axeFaults(page), []);
    await confirm.click();
    await page.locator('[data-testid="erasure"][data-state="done"]').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assert.equal(await find('twin'), undefined);
    assert.deepEqual(
      visit.faults.filter((fault) => !/status of (404|409)/.test(fault)),
      [],
    );
  });

  it('a person who wrote becomes a contact from their conversation', async () => {
    await using visit = await console.open(`${base}/conversations`, LIGHT);
    const { page } = visit;
    await page.locator('[data-row]').first().click();
    await page.getByTestId('add-contact').click();
    await page.getByTestId('external_id').fill('from-a-chat');
    await page.getByTestId('submit').click();
    await page.getByTestId('contact').waitFor();
    const { addresses } = await find('from-a-chat');
    assert.deepEqual(
      addresses.map(({ channel, address }: Reply['body']) => [channel, address]),
      [['sandbox.telegram', '123456789']],
    );
    assertFaultless(visit);
  });

  it('states: nobody found, failing, not found', async () => {
    await using visit = await console.open(`${base}/contacts?q=nobody-has-this`, LIGHT);
    const { page } = visit;
    await page.getByTestId('no-match').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await page.route('**/1/contacts?**', (route) => route.fulfill({ status: 500, json: {} }));
    await page.reload();
    await page.getByRole('alert').getByRole('button').waitFor();
    await page.unroute('**/1/contacts?**');
    await page.getByRole('alert').getByRole('button').click();
    await page.getByTestId('no-match').waitFor();
    await page.goto(`${console.service.url}${base}/contacts/999999999`);
    await page.getByTestId('not-found').waitFor();
  });
});
