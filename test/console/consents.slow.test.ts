import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { unsubscribeAddress } from '../../src/compose/unsubscribe-token.ts';
import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { until } from '../support/until.ts';

describe('console: consent', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole();
  });
  after(() => console[Symbol.asyncDispose]());

  async function make() {
    const { application, app } = await console.service.application();
    const id = Number(application.id);
    return { id, app, path: `/app/applications/${id}/consents` };
  }

  for (const [where, options] of [
    ['on a desktop', LIGHT],
    ['on a phone', DARK_PHONE],
  ] as const) {
    it(`an address is found with its history, and its consent changed ${where}`, async () => {
      const { app, path } = await make();
      const ada = { family: 'email', address: 'ada@example.com', scope: 'marketing' };
      await app.post('/1/consents', { ...ada, state: 'granted', evidence: 'form of 3 May' });
      await app.post('/1/consents', { family: 'sms', address: '+15558675310', state: 'revoked' });
      await using visit = await console.open(path, options);
      const { page } = visit;
      await page.getByTestId('consents').getByRole('row').nth(2).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('search').fill('nobody@example.com');
      await page.getByTestId('no-match').waitFor();
      await page.getByTestId('search').fill('ada@example.com');
      await page.getByTestId('consents').waitFor();
      await page.getByTestId('show').click();
      const history = page.getByTestId('history');
      await history.getByRole('listitem').first().waitFor();
      assert.equal(await history.getByText('form of 3 May').count(), 1);
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('revoke').click();
      await page.getByTestId('confirm').click();
      await until('the stop', async () => {
        const { body } = await app.get('/1/consents?address=ada@example.com');
        return body.data[0].state === 'revoked';
      });
      await history.locator('[data-state="revoked"]').waitFor();
      assertFaultless(visit);
    });
  }

  it('a consent is recorded, and mistakes are shown beside their fields', async () => {
    const { app, path } = await make();
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await page.getByTestId('no-consents').waitFor();
    await page.getByTestId('record').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByTestId('channel').selectOption('email');
    await dialog.getByTestId('address').fill('');
    await page.getByTestId('submit').click();
    await page.getByRole('alert').waitFor();
    await dialog.getByTestId('channel').selectOption('sms');
    await dialog.getByTestId('address').fill('+15558675310');
    await page.getByTestId('submit').click();
    await page.getByTestId('consents').locator('[data-state="revoked"]:visible').waitFor();
    const { body } = await app.get('/1/consents');
    assert.deepEqual([body.data[0].family, body.data[0].scope], ['sms', 'all']);
  });

  it('the block of a vendor, and the stop of an erased person, have no button to lift it', async () => {
    const { id, path } = await make();
    const block = { key: 'sms:+15558675310', scope: 'vendor', state: 'revoked' } as const;
    const proof = { source: 'vendor', evidence: '21610', applicationId: id, at: 1 } as const;
    await console.service.store.consents.change([{ ...block, ...proof }]);
    await using visit = await console.open(path, LIGHT);
    const { page } = visit;
    await page.getByTestId('show').click();
    await page.getByTestId('history').getByRole('listitem').first().waitFor();
    assert.equal(await page.getByTestId('grant').count(), 0);
    const stop = { ...block, scope: 'all', key: 'sms:erased:MDEyMzQ1Njc4OWFi' } as const;
    await console.service.store.consents.change([{ ...stop, ...proof, at: 2 }]);
    await page.reload();
    const row = page.getByRole('row').filter({ has: page.getByTestId('erased') });
    await row.getByTestId('show').click();
    await page.getByTestId('history').getByRole('listitem').first().waitFor();
    assert.equal(await page.getByTestId('grant').count(), 0);
    assert.deepEqual(await axeFaults(page), []);
  });

  for (const [where, options] of [
    ['without scripts', { javaScriptEnabled: false }],
    ['on a phone', DARK_PHONE],
  ] as const) {
    it(`a person unsubscribes with one button ${where}`, async () => {
      const { id, app } = await make();
      const person = { applicationId: id, key: 'email:ada@example.com' };
      const address = unsubscribeAddress(console.service.store.signer, 'https://x.test', person);
      await using visit = await console.openAsStranger(new URL(address).pathname, options);
      const { page } = visit;
      if (options !== DARK_PHONE) await page.getByRole('button').waitFor();
      else assert.deepEqual(await axeFaults(page), []);
      assert.deepEqual((await app.get('/1/consents')).body.data, []);
      await page.getByRole('button').click();
      await page.getByRole('status').waitFor();
      const { body } = await app.get('/1/consents');
      assert.deepEqual([body.data[0].scope, body.data[0].state], ['marketing', 'revoked']);
      assertFaultless(visit);
    });
  }

  it('the policies are changed, and sending against a stop is confirmed first', async () => {
    const { id } = await make();
    await using visit = await console.open(`/app/applications/${id}/settings`, LIGHT);
    const { page } = visit;
    const form = page.getByTestId('consent-policy');
    const [doubleOptIn, allowTransactional] = [
      form.getByRole('checkbox').nth(0),
      form.getByRole('checkbox').nth(1),
    ];
    await doubleOptIn.check();
    await page.getByLabel('Answer to STOP').fill('Bye.');
    await page.getByTestId('save-consent-policy').click();
    const policies = async () =>
      (await console.service.api.get(`/1/applications/${id}/policies`)).body.consent;
    await until('the policy', async () => (await policies()).double_opt_in === true);
    assert.equal((await policies()).confirmation.stop, 'Bye.');
    await allowTransactional.check();
    await page.getByTestId('save-consent-policy').click();
    await page.getByTestId('confirm').waitFor();
    assert.equal((await policies()).allow_transactional, false);
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('confirm').click();
    await until(
      'the confirmed policy',
      async () => (await policies()).allow_transactional === true,
    );
    // Behind an open dialog, nothing can be filled in.
    await page.getByTestId('confirm').waitFor({ state: 'detached' });
    const retention = page.getByTestId('retention');
    await retention.getByRole('spinbutton').fill('7');
    await page.getByTestId('save-retention').click();
    await until('the retention', async () => {
      const { body } = await console.service.api.get(`/1/applications/${id}/policies`);
      return body.retention.days === 7;
    });
  });
});
