import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { capabilitiesOf } from '../../../src/channels/capabilities.ts';
import { findChannel } from '../../../src/channels/index.ts';
import { SIMULATED_CHANNELS, loadSimulator } from '../../../src/sandbox/index.ts';
import { firstRecipient, isReported } from '../../../src/sandbox/simulator.ts';
import { CHROMIUM, type WatchedPage, assertFaultless } from '../../support/programs/browser.ts';
import { LIGHT, type TestConsole, openConsole } from '../../support/programs/console.ts';
import type { Client, Reply } from '../../support/service/client.ts';
import { eventsOf } from '../../support/service/feed.ts';
import { until } from '../../support/until.ts';

/*
 * Every simulated channel in the browser: text, formatted text, an image and buttons appear on the phone, and what the
 * person answers and presses arrives as events. Which of them a channel has is taken from the channel and its simulator.
 */

const TEXT = { type: 'Note', content: 'Good morning' };
const FORMATTED = {
  type: 'Note',
  mediaType: 'text/markdown',
  content: 'Your order is **on its way**.',
};
const IMAGE = {
  type: 'Image',
  url: 'https://www.example.com/parcel.png',
  mediaType: 'image/png',
  content: 'Look at this',
};
const BUTTONS = {
  type: 'Note',
  content: 'Are you at home?',
  attachment: [
    { type: 'Button', name: 'Yes', value: 'yes-7' },
    { type: 'Button', name: 'No', value: 'no-7' },
  ],
};

/** Channels whose messages are sent while the page shows another. */
const AHEAD = 3;

interface Opened {
  app: Client;
  path: string;
  integration: number;
  address: string;
}

describe('console: every simulator', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let visit: WatchedPage;
  const opened = new Map<string, Promise<Opened>>();
  /** Sends the messages of a channel. */
  const open = (name: string): Promise<Opened> => {
    const own = opened.get(name) ?? fill(console, name);
    opened.set(name, own);
    return own;
  };

  before(async () => {
    console = await openConsole({ SWITCHBOARD_ALLOW_LOOPBACK: 'off' });
    visit = await console.open('/app/account', LIGHT);
  });
  after(async () => {
    // Closes the page too.
    await console[Symbol.asyncDispose]();
  });

  for (const [i, name] of SIMULATED_CHANNELS.entries()) {
    it(`${name} shows messages on the phone and returns answers`, async () => {
      // Ahead, because each recipient gets messages no faster than its vendor allows.
      const [own] = await Promise.all(SIMULATED_CHANNELS.slice(i, i + 1 + AHEAD).map(open));
      const [channel, simulator] = [findChannel(name), await loadSimulator(name)];
      assert.ok(channel && simulator && own);
      const can = capabilitiesOf(channel);
      const { page } = visit;
      await page.goto(console.service.url + own.path);
      const received = page.getByTestId('received');
      const shown = (what: string, isIt: (entry: Reply['body']) => boolean) =>
        until(`${name}: ${what}`, async () => {
          const path = `/1/sandbox/${own.integration}/messages?limit=100`;
          const { body } = await own.app.get(path);
          return body.data.find((entry: Reply['body']) => isIt(entry));
        });

      await received.filter({ hasText: TEXT.content }).first().waitFor();

      const formatted = await shown('formatted text', ({ text }) => /on its way/.test(text));
      const bold = formatted.runs?.some((run: { bold?: true }) => run.bold) === true;
      assert.ok(can.formatting || !bold, 'formatting on a channel without');
      const bubble = received.filter({ hasText: 'on its way' });
      await bubble.first().waitFor();
      assert.equal(await bubble.locator('strong').count(), bold ? 1 : 0);

      const image = await shown('the image', ({ media, text }) => media ?? /parcel/.test(text));
      if (image.media) {
        assert.ok(can.image, 'an image on a channel without');
        const drawn = received.locator('[data-testid=picture], [data-testid=file-image]');
        await drawn.first().waitFor();
      } else {
        await received.filter({ hasText: 'parcel.png' }).first().waitFor();
      }

      const question = await shown('buttons', ({ text }) => /at home/.test(text));
      const buttons = page.getByTestId('phone-button');
      if (question.buttons) {
        // A channel that sends activities whole has no limits to tell.
        assert.ok(can.buttons ?? channel.renderers === 'whole', 'buttons on a channel without');
        await buttons.first().waitFor();
        assert.deepEqual(await buttons.allTextContents(), ['Yes', 'No']);
      } else {
        // On IRC, each line is a message.
        for (const label of [/Yes/, /No/]) {
          await received.filter({ hasText: label }).first().waitFor();
        }
        assert.equal(await buttons.count(), 0);
      }

      let events = 0;
      if (question.buttons && isReported(simulator, 'press')) {
        await buttons.first().click();
        await page.locator('[data-testid=action][data-kind=press]').waitFor();
        // Quick replies are gone.
        const isQuick = question.buttons.every(({ quick }: { quick?: true }) => quick);
        assert.equal(await buttons.count(), isQuick ? 0 : 2);
        const [pressed] = await eventsOf(own.app, 'message.received', ++events);
        assert.partialDeepStrictEqual(pressed?.data.object.attachment, [{ value: 'yes-7' }]);
      }
      if (!isReported(simulator, 'message')) {
        assert.equal(await page.getByTestId('answer').count(), 0);
      } else {
        await page.getByTestId('answer').fill('Until six');
        await page.getByTestId('answer').press('Enter');
        await page.getByTestId('written').filter({ hasText: 'Until six' }).waitFor();
        const answers = await eventsOf(own.app, 'message.received', ++events);
        assert.match(answers.at(-1)?.data.object.content, /Until six/);
      }
      assertFaultless(visit);
    });
  }
});

/** An application with a sandbox integration of the channel and four messages to its first recipient. */
async function fill({ service }: TestConsole, name: string): Promise<Opened> {
  const simulator = await loadSimulator(name);
  assert.ok(simulator);
  const { application, app } = await service.application();
  const address = firstRecipient(simulator);
  const { body, text } = await app.post('/1/integrations', {
    application_id: application.id,
    name,
    state: 'enable',
    mode: 'sandbox',
  });
  assert.ok(body.id, text);
  const messages = [TEXT, FORMATTED, IMAGE, BUTTONS].map((object) => ({
    '@context': 'https://www.w3.org/ns/activitystreams',
    type: 'Create',
    generator: { type: 'Service', id: body.id },
    to: { type: 'Person', id: address },
    object,
  }));
  const sent = await app.post('/1/messages', { messages });
  assert.equal(sent.status, 202, sent.text);
  const path = `/app/applications/${application.id}/integrations/${body.id}/phone`;
  return { app, path, integration: body.id, address };
}
