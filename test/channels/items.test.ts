import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Channel } from '../../src/channels/channel.ts';
import { CHANNELS } from '../../src/channels/index.ts';
import { makePlan } from '../../src/compose/plan.ts';
import { outgoing } from './suite.ts';

/* Collection items on every channel with buttons: each item keeps its own content and buttons. */

const buy = (what: string) => ({ type: 'Button', name: `Buy ${what}`, value: `buy-${what}` });
const NOTES = [
  { type: 'Note', content: `The tea. ${'x'.repeat(150)}`, attachment: [buy('tea')] },
  { type: 'Note', content: `The coffee. ${'y'.repeat(150)}`, attachment: [buy('coffee')] },
];
const SHORT = NOTES.map(({ content, ...rest }) => ({ ...rest, content: content.slice(0, 12) }));

/** Channels that remove buttons when another message follows, so all items but the last list their buttons. */
const FLEETING = ['line', 'viber'];
/** Whether the buttons of the channel return values; elsewhere they are listed. */
const returnsValues = ({ renderers }: Channel) =>
  typeof renderers === 'object' && renderers.buttons?.kinds.includes('reply') === true;

function planFor(channel: Channel, items: readonly object[], more: object = {}) {
  const object = { type: 'Collection', items, ...more } as object;
  const { activity, recipient } = outgoing({ recipient: channel.recipient.example, object });
  const credentials = Object.fromEntries(channel.credentials.map(({ name }) => [name, 'x']));
  const { steps, degradations } = makePlan(activity, channel, { recipient, credentials });
  const parts = steps.map((step) => JSON.stringify('request' in step ? step.request : {}));
  return { parts, degradations: degradations.map(({ what }) => what) };
}

const WITH_BUTTONS = CHANNELS.filter(
  ({ renderers }) => typeof renderers === 'object' && renderers.buttons !== undefined,
);

describe('collection items', () => {
  for (const channel of WITH_BUTTONS) {
    const { name } = channel;

    it(`collection items too long for cards are sent one by one with their buttons: ${name}`, () => {
      const { parts, degradations } = planFor(channel, NOTES);
      assert.equal(parts.length, 2, parts.join('\n'));
      for (const [i, part] of parts.entries()) {
        const [own, other] = i === 0 ? ['tea', 'coffee'] : ['coffee', 'tea'];
        assert.ok(part.includes(`The ${own}.`) && part.includes(`Buy ${own}`), part);
        assert.ok(!part.includes(other), part);
        const isNative = returnsValues(channel) && (i === 1 || !FLEETING.includes(name));
        assert.equal(part.includes(`buy-${own}`), isNative, part);
      }
      const isAllNative = returnsValues(channel) && !FLEETING.includes(name);
      assert.deepEqual(degradations, isAllNative ? [] : ['buttons', 'value']);
    });

    it(`collection items keep their buttons when they are short: ${name}`, () => {
      const { parts } = planFor(channel, SHORT);
      const isSideBySide = typeof channel.renderers === 'object' && channel.renderers.carousel;
      assert.equal(parts.length, isSideBySide ? 1 : 2, parts.join('\n'));
      assert.ok(['Buy tea', 'Buy coffee'].every((each) => parts.join('').includes(each)));
    });

    it(`collection items without buttons are followed by the collection's buttons: ${name}`, () => {
      const items = SHORT.map(({ type, content }) => ({ type, content }));
      const { parts } = planFor(channel, items, { attachment: [buy('all')] });
      assert.match(parts.at(-1) ?? '', /Buy all/);
    });

    it(`collection items leave the collection's buttons below its text: ${name}`, () => {
      const more = { content: 'Choose.', attachment: [{ ...buy('all'), value: 'all' }] };
      const { parts } = planFor(channel, NOTES, more);
      assert.equal(parts.length, 3, parts.join('\n'));
      assert.ok(parts[0]?.includes('Choose.') && parts[0].includes('Buy all'));
      assert.ok(parts.slice(1).every((part) => !part.includes('Buy all')));
    });
  }

  it('collection items become one text with a button list each on channels without buttons', () => {
    const sms = CHANNELS.find(({ name }) => name === 'callr');
    assert.ok(sms);
    const { parts, degradations } = planFor(sms, SHORT);
    assert.equal(parts.length, 1);
    assert.match(parts[0] ?? '', /tea.*1\. Buy tea.*coffee.*1\. Buy coffee/);
    assert.deepEqual(degradations, ['buttons', 'value']);
  });
});
