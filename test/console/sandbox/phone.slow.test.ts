import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { BrowserContextOptions, Page } from 'playwright-core';

import { CHROMIUM, assertFaultless, holds } from '../../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../../support/programs/console.ts';
import { eventsOf } from '../../support/service/feed.ts';

const fitsWidth = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');

const showsEnd = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    const box = document.querySelector('[data-scroller]');
    const last = [...box.querySelectorAll('li')].at(-1);
    return last.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom + 1;
  })()`);

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
      await page.getByTestId('action').waitFor();
      await page.getByTestId('answer').fill('Until six');
      await page.getByTestId('answer').press('Enter');
      await page.getByTestId('written').waitFor();
      const [pressed, answered] = await eventsOf(app, 'message.received', 2);
      assert.equal(pressed?.data.object.attachment[0].value, 'yes');
      assert.equal(answered?.data.object.content, 'Until six');
      await page.getByTestId('fault-unavailable').click();
      await page.locator('[data-testid=fault-unavailable][aria-checked=true]').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      assert.ok(await fitsWidth(page));
      assertFaultless(visit);
    });
  }

  /** The phone of a new sandbox integration. */
  async function openPhone(channel: string, options: BrowserContextOptions = LIGHT) {
    const { application, app } = await console.service.application({ name: 'phone-test' });
    const { body: integration } = await app.post('/1/integrations', {
      application_id: application.id,
      name: channel,
      state: 'enable',
      mode: 'sandbox',
    });
    const path = `/app/applications/${application.id}/integrations/${integration.id}/phone`;
    const visit = await console.open(path, options);
    const send = (to: string, object: Record<string, unknown>, type = 'Create') =>
      app.post('/1/message', {
        message: {
          '@context': 'https://www.w3.org/ns/activitystreams',
          type,
          generator: { type: 'Service', id: integration.id },
          to: { type: 'Person', id: to },
          object: { type: 'Note', ...object },
        },
      });
    return Object.assign(visit, { app, send });
  }

  it('a message is marked as read and quoted, and a photo, a voice note and a place are sent', async () => {
    await using visit = await openPhone('whatsapp', { viewport: { width: 360, height: 740 } });
    const { page, app, send } = visit;
    await send('16505551234', { content: 'Are you there?' });
    await page.locator('[data-testid=status][data-state=delivered]').waitFor();
    await page.getByTestId('message-actions').click();
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('report-read').click();
    await page.locator('[data-testid=status][data-state=read]').waitFor();
    await page.getByTestId('message-actions').click();
    await page.getByTestId('quote-message').click();
    await page.getByTestId('answer').fill('Yes');
    await page.getByTestId('answer').press('Enter');
    await page.getByTestId('written').getByTestId('quote').waitFor();
    for (const kind of ['image', 'audio', 'place']) {
      await page.getByTestId(`send-${kind}`).click();
      const drawn = { image: 'picture', audio: 'file-audio', place: 'place' }[kind] ?? '';
      await page.getByTestId('written').getByTestId(drawn).waitFor();
      // Images grow when they are loaded.
      await holds(
        page,
        `[...document.querySelectorAll('[data-scroller] img')].every(({ complete }) => complete)`,
      );
      assert.ok(await showsEnd(page), `after ${kind}`);
    }
    await page.getByTestId('message-actions').click();
    await page.getByTestId('react').first().click();
    await page.getByTestId('reaction').waitFor();
    const events = await eventsOf(app, 'message.received', 4);
    const types = events.map(({ data }) => data.object.type);
    assert.deepEqual(types.slice(1), ['Image', 'Audio', 'Place']);
    assert.ok(await fitsWidth(page));
    assertFaultless(visit);
  });

  it('a person joins and leaves a channel in which several people write', async () => {
    await using visit = await openPhone('slack');
    const { page, app, send } = visit;
    await page.getByTestId('person').selectOption('C0123456789');
    await page.locator('[data-testid=conversation][data-look=rows]').waitFor();
    await send('C0123456789', { content: 'Deployed' });
    await page.getByTestId('received').waitFor();
    await page.getByTestId('speaker').selectOption('U0123456780');
    await page.getByTestId('person-actions').click();
    await page.getByTestId('join').click();
    await page.locator('[data-testid=action][data-kind=join]').waitFor();
    await page.getByTestId('answer').fill('Thanks');
    await page.getByTestId('answer').press('Enter');
    await page.getByTestId('written').waitFor();
    await page.getByTestId('person-actions').click();
    await page.getByTestId('leave').click();
    await page.locator('[data-testid=action][data-kind=leave]').waitFor();
    const [joined] = await eventsOf(app, 'member.joined', 1);
    const [left] = await eventsOf(app, 'member.left', 1);
    const [written] = await eventsOf(app, 'message.received', 1);
    assert.ok(JSON.stringify(joined?.data).includes('U0123456780'));
    assert.ok(JSON.stringify(left?.data).includes('U0123456780'));
    assert.equal(written?.data.object.attributedTo.id, 'U0123456780');
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('a person blocks the sender, and messages fail until they no longer do', async () => {
    await using visit = await openPhone('telegram');
    const { page, app, send } = visit;
    await page.getByTestId('person-actions').click();
    await page.getByTestId('block').click();
    await page.locator('[data-testid=action][data-kind=block]').waitFor();
    await send('123456789', { content: 'Hello?' });
    await eventsOf(app, 'message.failed', 1);
    await page.getByTestId('person-actions').click();
    await page.locator('[data-testid=block][data-blocked=true]').click();
    await page.locator('[data-testid=action][data-kind=unblock]').waitFor();
    await send('123456789', { content: 'Hello again' });
    await page.getByTestId('received').waitFor();
    assert.equal(await page.getByTestId('received').count(), 1);
    assertFaultless(visit);
  });

  it('a message is edited and deleted before the eyes of the person', async () => {
    await using visit = await openPhone('telegram');
    const { page, send } = visit;
    const id = 'news-1';
    await send('123456789', { id, content: 'Before' });
    const received = page.getByTestId('received');
    await received.filter({ hasText: 'Before' }).waitFor();
    await send('123456789', { id, content: 'After' }, 'Update');
    await received.filter({ hasText: 'After' }).getByTestId('edited').waitFor();
    assert.equal(await received.filter({ hasText: 'Before' }).count(), 0);
    await send('123456789', { id }, 'Delete');
    await received.filter({ hasText: 'After' }).waitFor({ state: 'detached' });
    assert.equal(await received.count(), 1);
    assertFaultless(visit);
  });

  it('an email has its subject, and so has the answer', async () => {
    await using visit = await openPhone('email');
    const { page, app, send } = visit;
    await send('ada@sandbox.test', { name: 'Your order', content: 'It is on its way.' });
    await page.locator('[data-testid=conversation][data-look=mail]').waitFor();
    const received = page.getByTestId('received');
    await received.getByTestId('subject').filter({ hasText: 'Your order' }).waitFor();
    await page.getByTestId('message-actions').click();
    await page.getByTestId('quote-message').click();
    await page.getByTestId('answer').fill('Thanks');
    await page.getByTestId('answer').press('Enter');
    const written = page.getByTestId('written').getByTestId('subject');
    await written.filter({ hasText: 'Your order' }).waitFor();
    await eventsOf(app, 'message.received', 1);
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('cards are side by side, and each button belongs to its card', async () => {
    await using visit = await openPhone('messenger', { viewport: { width: 360, height: 740 } });
    const { page, app, send } = visit;
    const items = ['tea', 'coffee'].map((what) => ({
      type: 'Note',
      name: `Fresh ${what}`,
      content: `The ${what}.`,
      attachment: [{ type: 'Button', name: `Buy ${what}`, value: `buy-${what}` }],
    }));
    await send('4012345678901234', { type: 'Collection', items });
    const cards = page.getByTestId('cards').getByRole('listitem');
    await cards.nth(1).getByText('The coffee.').waitFor();
    assert.equal(await cards.count(), 2);
    await cards.nth(1).getByTestId('phone-button').click();
    const [pressed] = await eventsOf(app, 'message.received', 1);
    assert.equal(pressed?.data.object.attachment[0].value, 'buy-coffee');
    assert.ok(await fitsWidth(page));
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });
});
