import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Channel } from '../../src/channels/channel.ts';
import { CHANNELS } from '../../src/channels/index.ts';
import { formattedIn } from '../../src/compose/formatted.ts';
import { type Step, makePlan } from '../../src/compose/plan.ts';
import { unstyled } from '../../src/lib/rich-text/rich-text.ts';
import type { ActivityObject } from '../../src/model/activity.ts';
import { fc } from '../support/fast-check.ts';
import { outgoing } from './suite.ts';

/* We add no character that the author did not write, except the product's own escapes. */

/** Look-alikes and invisible characters: joiners, zero-width and no-break spaces, modifier letters. */
const FOREIGN = /[\u00a0\u00ad\u02b0-\u02ff\u200b-\u200f\u2060-\u2064\u2217\u223c\ufeff]/u;

const PIECES = [
  ['*', '_', '~', '`', '```', '\\', '#', '> ', '- ', '1. ', '[', '](', '|', '||', '<a', '</a>'],
  ['<', '&', '&lt;', '===', '---', '@all', '@bob', ':+1:', '$', '!', '.', '    ', '\t', '\n', ' '],
  ['Ada', '7', '*100#', 'é', 'https://example.com/a_b', 'www.example.com/a_b', 'a@b.org', 'C:\\x'],
].flat();
const piece = fc.constantFrom(...PIECES);
const texts = fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => pieces.join(''));

/** Channels that write for several products. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  twilio: ['whatsapp:+15558675310'],
  vonage: ['whatsapp:447700900000', 'viber:447700900000', 'rcs:447700900000'],
};
const APPLICATION = { consumer_key: 'x', consumer_secret: 'x' };
const CASES = CHANNELS.filter(
  ({ renderers }) => renderers !== undefined && renderers !== 'whole',
).flatMap((channel) =>
  [channel.recipient.example, ...(OTHERS[channel.name] ?? [])].map(
    (recipient) => [channel, recipient] as const,
  ),
);

/** The plan of this object for that channel. */
function planFor(channel: Channel, recipient: string, object: Partial<ActivityObject>) {
  const { activity } = outgoing({ recipient, text: '', object });
  const credentials = channel.name === 'vonage' ? APPLICATION : {};
  return makePlan(activity, channel, { recipient, credentials, options: {} }).steps;
}

/** All texts of the requests, as they are and as a product reads their escapes. */
function textsIn(steps: readonly Step[]): string[] {
  const found: string[] = [];
  JSON.stringify(steps, (_, value: unknown) => {
    if (typeof value === 'string') found.push(value, read(value, ENTITY), read(value, ESCAPE));
    return value;
  });
  return found;
}

const ENTITY = /&(?:#(?<code>\d+)|(?<name>lt|gt|amp|quot));/g;
const ESCAPE = /\\(?<sign>[!-/:-@[-`{-~])|&(?:#(?<code>\d+)|(?<name>lt|gt|amp|quot));/g;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

function read(text: string, escape: RegExp): string {
  return Array.from(text.matchAll(escape)).reduceRight((rest, { 0: found, index, groups = {} }) => {
    const { sign, code, name = '' } = groups;
    const character = sign ?? NAMED[name] ?? String.fromCodePoint(Number(code));
    return rest.slice(0, index) + character + rest.slice(index + found.length);
  }, text);
}

describe('plain text', () => {
  for (const [channel, recipient] of CASES) {
    for (const mediaType of [undefined, 'text/markdown'] as const) {
      const kind = mediaType ?? 'text/plain';
      it(`plain text gets no added characters from ${channel.name} (${kind}, ${recipient})`, () => {
        fc.assert(
          fc.property(texts, (content) => {
            const object = { type: 'Note', content, ...(mediaType !== undefined && { mediaType }) };
            assert.doesNotMatch(JSON.stringify(planFor(channel, recipient, object)), FOREIGN);
          }),
          { numRuns: 200 },
        );
      });
    }

    it(`plain text, captions and button labels are sent unchanged by ${channel.name} (${recipient})`, () => {
      const to = { recipient, credentials: {}, options: {} };
      const isEscaped = (channel.text?.write?.(unstyled('*a*'), to) ?? '*a*') !== '*a*';
      const lines = texts
        .map((text) => text.replaceAll('\n', ' ').trim())
        // Which of these are escaped, rendering.slow.test.ts asks the product's own parser.
        .filter((text) => text !== '' && !(isEscaped && /[\\&]|\.(?:com|org)/.test(text)));
      fc.assert(
        fc.property(lines, (content) => {
          const image = { type: 'Image', url: 'https://example.com/a.png' };
          const attachment = [{ type: 'Button', name: content, value: 'v' }];
          for (const object of [
            { type: 'Note', content },
            { ...image, content },
            { type: 'Note', content: 'Well?', attachment },
          ]) {
            const found = textsIn(planFor(channel, recipient, object));
            assert.ok(
              found.some((text) => text.includes(content)),
              JSON.stringify({ object, found }),
            );
          }
        }),
        { numRuns: 300 },
      );
    });
  }
});

describe('text that a product may format', () => {
  const BOTH = 'Dial *100# or *123# *now*, @bob :+1:\n> a';
  for (const [name, recipient, ...expected] of [
    ['whatsapp', undefined, ['bold', '*100# or *123# *now*'], ['quote', '> a']],
    ['twilio', undefined],
    ['twilio', 'whatsapp:+15558675310', ['bold', '*100# or *123# *now*'], ['quote', '> a']],
    ['vonage', undefined],
    ['vonage', 'whatsapp:447700900000', ['bold', '*100# or *123# *now*'], ['quote', '> a']],
    ['vonage', 'viber:447700900000', ['bold', '*100# or *123# *now*']],
    ['vonage', 'rcs:447700900000'],
    ['viber', undefined, ['bold', '*100# or *123# *now*']],
    ['mattermost', undefined, ['mention', '@bob'], ['emoji', ':+1:']],
    ['rocketchat', undefined, ['mention', '@bob'], ['emoji', ':+1:'], ['quote', '> a']],
    ['slack', undefined, ['emoji', ':+1:']],
    ['telegram', undefined],
    ['xmpp', undefined],
    ['discord', undefined],
    ['ms-teams', undefined],
  ] as const) {
    it(`text that a product may format is listed for ${name}${recipient === undefined ? '' : ` to ${recipient}`}`, () => {
      const channel = CHANNELS.find((each) => each.name === name);
      assert.ok(channel);
      const to = {
        recipient: recipient ?? channel.recipient.example,
        credentials: {},
        options: {},
      };
      const listed = formattedIn([unstyled(BOTH)], channel, to);
      assert.deepEqual(
        listed.map(({ as, text }) => [as, text]),
        expected,
      );
    });
  }
});

describe('lists in SMS', () => {
  const SMS = CHANNELS.filter(
    ({ text, recipient: { example } }) =>
      text?.isSms?.({ recipient: example, credentials: {}, options: {} }) === true,
  );
  const text = '- a\n- [x] b\n- [ ] c\n\n---\n\n1. d';
  for (const { name } of SMS) {
    it(`lists in SMS use GSM 03.38 characters with ${name}`, () => {
      const channel = CHANNELS.find((each) => each.name === name);
      assert.ok(channel);
      const recipient = channel.recipient.example;
      const { activity } = outgoing({ recipient, text, object: { mediaType: 'text/markdown' } });
      const { steps } = makePlan(activity, channel, { recipient, credentials: {}, options: {} });
      assert.match(JSON.stringify(steps), /- a\\n\[x\] b\\n\[ \] c\\n\\n---\\n\\n1\. d/);
      assert.deepEqual(
        steps.map((step) => 'request' in step && step.request.segments),
        [{ encoding: 'GSM-7', count: 1, because: [] }],
      );
    });
  }

  it('lists in SMS are tested on every channel for SMS', () => {
    const inCategory = CHANNELS.filter(({ category }) => category === 'sms');
    assert.deepEqual(SMS, inCategory);
  });
});
