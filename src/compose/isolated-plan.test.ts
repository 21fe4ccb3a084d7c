import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CHANNELS } from '../channels/index.ts';
import { ACTIVITY_STREAMS, type Activity } from '../model/activity.ts';
import { MAX_TEXT_ON_MAIN_THREAD, planSafely } from './isolated-plan.ts';
import { makePlan } from './plan.ts';

const activity = (content: string): Activity => ({
  '@context': ACTIVITY_STREAMS,
  type: 'Create',
  generator: { type: 'Service', id: 1 },
  to: { type: 'Person', id: 9007199254740993n },
  object: {
    type: 'Note',
    mediaType: 'text/markdown',
    content,
    attachment: [{ type: 'Image', url: 'https://example.org/a.png' }],
  },
});

const TEXT = '**Bold** and [a link](https://example.org), *now*.\n\n- one\n- two\n\n';
const LONG = activity(TEXT.repeat(Math.ceil(MAX_TEXT_ON_MAIN_THREAD / TEXT.length)));

describe('planning a long message', () => {
  for (const channel of CHANNELS) {
    const given = { recipient: channel.recipient.example, credentials: {} };
    it(`gives the same result in a thread as without one for ${channel.title}`, async () => {
      const plan = await planSafely(LONG, channel, given);
      assert.deepEqual(plan, makePlan(LONG, channel, given));
    });
  }

  it('planning a long message does not block the main thread', async () => {
    const telegram = CHANNELS.find(({ name }) => name === 'telegram');
    assert.ok(telegram);
    const before = process.threadCpuUsage();
    // Takes its thread more than a second.
    await planSafely(activity('~~a'.repeat(85_000)), telegram, { recipient: '1', credentials: {} });
    const { user, system } = process.threadCpuUsage(before);
    assert.ok(user + system < 500_000, `${user + system} µs on the main thread`);
  });
});
