import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { sql } from 'kysely';

import { CHROMIUM, assertFaultless } from '../../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../../support/programs/console.ts';

const MANY = 10_000;

describe('console: switching applications', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  /** The oldest application, which no first page of a list contains. */
  let oldest: number;
  before(async () => {
    console = await openConsole();
    const { application } = await console.service.application({ name: 'oldest-of-them-all' });
    oldest = Number(application.id);
    // With SQL, because requests would take minutes. The ids are above those of all other resources.
    const { db } = console.service.store.engine;
    await sql`insert into applications (id, team_id, owner_id, name, state, webhook_url, uncertain, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY})
      select one.id + 1000000 + n, one.team_id, one.owner_id, 'customer-' || n, 'enable', null, one.uncertain,
        one.created_at + n, one.updated_at
      from applications one cross join numbers where one.id = ${oldest}`.execute(db);
  });
  after(() => console[Symbol.asyncDispose]());

  for (const [where, options] of [
    ['light, desktop', LIGHT],
    ['dark, phone', DARK_PHONE],
  ] as const) {
    it(`one of 10,000 applications is found with the keyboard (${where})`, async () => {
      await using visit = await console.open('/app/account', options);
      const { page } = visit;
      await page.locator('h1').waitFor();
      if (where === 'dark, phone') await page.getByTestId('open-navigation').click();
      await page.getByTestId('switch-application').last().click();
      const search = page.getByTestId('application-search');
      await search.waitFor();
      await page.getByRole('option', { name: `customer-${MANY}` }).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      assert.ok((await page.getByRole('option').count()) <= 50, 'only some are listed');
      // The search field has the focus.
      await page.keyboard.type('Oldest-OF');
      await page.getByRole('option', { name: 'oldest-of-them-all' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/app/applications/${oldest}/messages`);
      await page.locator('h1').waitFor();
      if (where === 'dark, phone') {
        await page.getByTestId('header-application').getByText('oldest-of-them-all').waitFor();
      }
      assertFaultless(visit);
    });
  }

  it('an application beyond the first page opens by its URL, and is found by its id', async () => {
    await using visit = await console.open(`/app/applications/${oldest}/settings`, LIGHT);
    const { page } = visit;
    await page.getByRole('heading', { name: /oldest-of-them-all/ }).waitFor();
    await page.getByTestId('switch-application').first().click();
    await page.getByTestId('application-search').fill(String(oldest));
    await page.getByRole('option', { name: 'oldest-of-them-all' }).waitFor();
    await page.goto(`${console.service.url}/app/applications?q=%23${oldest}`);
    await page.getByRole('row', { name: /oldest-of-them-all/ }).waitFor();
    await page.getByTestId('search').fill('customer-9999');
    await page.getByRole('row', { name: /customer-9999/ }).waitFor();
    await page.getByTestId('search').fill('nowhere');
    await page.getByTestId('no-match').waitFor();
    assertFaultless(visit);
  });
});
