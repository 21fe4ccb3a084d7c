import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHROMIUM, assertFaultless } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../support/programs/console.ts';
import { eventsOf } from '../support/service/feed.ts';

describe('console: phone of a sandbox integration', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  before(async () => {
    console = await openConsole({ SWITCHBOARD_ROLE: 'all' });
  });
  after(() => console[Symbol.asyncDispose]());

  for (const [name, look] of [
    ['light', LIGHT],
    ['dark phone', DARK_PHONE],
  ] as const) {
    it(`creates, shows, answers and presses (${name})`, async () => {
      const { application, app } = await console.service.application({ name: 'phone-test' });
      const path = `/app/applications/${application.id}`;
      await using visit = await console.open(`${path}/integrations/new/telegram`, look);
      const { page } = visit;
      await page.getByTestId('try-sandbox').getByRole('button').click();
      await page.waitForURL(/\/phone/);
      await page.getByTestId('no-messages').waitFor();
      const [, id] = /integrations\/(\d+)\/phone/.exec(page.url()) ?? [];
      const message = {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id },
        to: { type: 'Person', id: '123456789' },
        object: {
          type: 'Note',
          mediaType: 'text/markdown',
          content: 'Is **somebody** at home?',
          attachment: [{ type: 'Button', name: 'Yes', value: 'yes' }],
        },
      };
      await app.post('/1/message', { message });
      const bubble = page.getByTestId('received');
      await bubble.locator('strong', { hasText: 'somebody' }).waitFor();
      await page.getByTestId('phone-button').click();
      await page.getByTestId('deed').waitFor();
      await page.getByTestId('answer').fill('Until six');
      await page.getByTestId('answer').press('Enter');
      await page.getByTestId('written').waitFor();
      const [pressed, answered] = await eventsOf(app, 'message.received', 2);
      assert.equal(pressed?.data.object.attachment[0].value, 'yes');
      assert.equal(answered?.data.object.content, 'Until six');
      await page.getByTestId('fault-unavailable').click();
      await page.locator('[data-testid=fault-unavailable][aria-pressed=true]').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      assertFaultless(visit);
    });
  }
});
