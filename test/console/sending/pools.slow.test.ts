import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHROMIUM } from '../../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../../support/programs/console.ts';
import { integrate } from '../../support/service/activity.ts';
import type { Client } from '../../support/service/client.ts';

/* Pools: which integrations stand in for one another, and how. */

describe('console: pools', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let app: Client;
  let base: string;
  const via = { twilio: 0, vonage: 0, whatsapp: 0 };

  before(async () => {
    console = await openConsole();
    const { application, app: client } = await console.service.application({
      name: 'provider-pools',
    });
    app = client;
    base = `/app/applications/${application.id}`;
    for (const name of ['twilio', 'vonage', 'whatsapp'] as const) {
      const sandbox = { name, mode: 'sandbox', token: undefined };
      via[name] = (await integrate(app, application.id, sandbox)).id;
    }
  });
  after(() => console[Symbol.asyncDispose]());

  const pools = async () => (await app.get('/1/pools')).body.data;
  /** Browsers log refused requests; there must be no other fault. */
  const assertRefusedOnly = ({ faults }: { faults: readonly string[] }) =>
    assert.deepEqual(
      faults.filter((fault) => !/status of (409|422)/.test(fault)),
      [],
    );

  for (const [where, options] of [
    ['on a desktop', LIGHT],
    ['on a phone', { ...DARK_PHONE, viewport: { width: 360, height: 740 } }],
  ] as const) {
    it(`a pool is created, changed and deleted ${where}`, async () => {
      await using visit = await console.open(`${base}/pools`, options);
      const { page } = visit;
      await page.getByTestId('no-pools').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('create').click();
      await page.getByTestId('name').fill('sms');
      const add = async (id: number) => {
        await page.getByTestId('integration').selectOption(String(id));
        await page.getByTestId('add-member').click();
      };
      await add(via.twilio);
      await add(via.whatsapp);
      await page.getByTestId('submit').click();
      await page.getByTestId('members-error').waitFor();
      await page.getByTestId('member-row').nth(1).getByTestId('remove-member').click();
      await add(via.vonage);
      await page.getByTestId('strategy').selectOption('weighted');
      await page.getByTestId('weight').first().fill('3');
      assert.deepEqual(await axeFaults(page), []);
      await page.getByTestId('submit').click();
      await page.getByTestId('member').nth(1).waitFor();
      const [made] = await pools();
      assert.partialDeepStrictEqual(made, {
        name: 'sms',
        strategy: 'weighted',
        failover_after: 'PT30S',
        members: [
          { integration_id: via.twilio, weight: 3 },
          { integration_id: via.vonage, weight: 1 },
        ],
      });
      await page.getByTestId('health').nth(1).waitFor();
      assert.deepEqual(await axeFaults(page), []);

      await page.getByTestId('edit').click();
      await page.getByTestId('strategy').selectOption('least_cost');
      await page.getByTestId('price').first().fill('0.0075');
      await page.getByTestId('member-row').nth(1).getByTestId('up').click();
      await page.getByTestId('failover').fill('2');
      await page.getByTestId('submit').click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.getByTestId('failover').fill('45');
      await page.getByTestId('submit').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.partialDeepStrictEqual((await pools())[0], {
        strategy: 'least_cost',
        failover_after: 'PT45S',
        members: [
          { integration_id: via.vonage, price: null },
          { integration_id: via.twilio, price: 0.0075 },
        ],
      });
      await page.getByTestId('delete').click();
      await page.getByTestId('confirm').click();
      await page.getByTestId('no-pools').waitFor();
      assert.deepEqual(await pools(), []);
      assertRefusedOnly(visit);
    });
  }
});
