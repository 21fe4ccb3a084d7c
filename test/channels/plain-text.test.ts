import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CHANNELS } from '../../src/channels/index.ts';
import { formattedIn } from '../../src/compose/formatted.ts';
import { makePlan } from '../../src/compose/plan.ts';
import { unstyled } from '../../src/lib/rich-text/rich-text.ts';
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
const OTHERS: Readonly<Record<string, readonly string[]>> = { twilio: ['whatsapp:+15558675310'] };

describe('plain text', () => {
  for (const channel of CHANNELS.filter(
    ({ renderers }) => renderers !== undefined && renderers !== 'whole',
  )) {
    const recipients = [channel.recipient.example, ...(OTHERS[channel.name] ?? [])];
    for (const recipient of recipients) {
      for (const mediaType of [undefined, 'text/markdown'] as const) {
        const kind = mediaType ?? 'text/plain';
        it(`plain text gets no added characters from ${channel.name} (${kind}, ${recipient})`, () => {
          fc.assert(
            fc.property(texts, (text) => {
              const object = { ...(mediaType !== undefined && { mediaType }) };
              const { activity } = outgoing({ recipient, text, object });
              const { steps } = makePlan(activity, channel, {
                recipient,
                credentials: {},
                options: {},
              });
              assert.doesNotMatch(JSON.stringify(steps), FOREIGN);
            }),
            { numRuns: 200 },
          );
        });
      }
    }
  }
});

describe('text that a product may format', () => {
  const BOTH = 'Dial *100# or *123# *now*, @bob :+1:\n> a';
  for (const [name, recipient, ...expected] of [
    ['whatsapp', undefined, ['bold', '*100# or *123# *now*'], ['quote', '> a']],
    ['twilio', undefined],
    ['twilio', 'whatsapp:+15558675310', ['bold', '*100# or *123# *now*'], ['quote', '> a']],
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
  const text = '- a\n- [x] b\n- [ ] c\n\n---\n\n1. d';
  for (const name of ['callr', 'messagebird', 'twilio', 'vonage']) {
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
});
