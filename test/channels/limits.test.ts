import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Channel, Renderers } from '../../src/channels/channel.ts';
import { CHANNELS } from '../../src/channels/index.ts';
import { makePlan } from '../../src/compose/plan.ts';
import { unstyled } from '../../src/lib/rich-text/rich-text.ts';
import type { ActivityObject } from '../../src/model/activity.ts';
import { hosted } from '../emulators/server/media.ts';
import { type TestMessage, openContext, outgoing, resultOf } from './suite.ts';
import { KINDS } from './upload-cases.ts';
import { VENDORS, type Vendor } from './vendors.ts';

/*
 * The limits that channels declare, at the limit and one above it, in characters that bytes, UTF-16 units, code points
 * and graphemes count differently. The emulator must accept the requests for both, so it must agree on the unit.
 */
const CHARACTERS = {
  letters: 'a',
  emoji: '😀',
  'combining characters': 'e\u0301',
  'emoji of several code points': '👩‍👩‍👧',
};
/** Characters that JSON, XML, HTML and Markdown escape. */
const ESCAPED = { 'quotation marks': '"', backslashes: '\\', ampersands: '&', asterisks: '*' };

/** Long texts take long to compose, so they are tested with letters only. */
const MAX_LENGTH_FOR_ALL = 100_000;
const charactersFor = (max: number) =>
  Object.entries(CHARACTERS).slice(0, max > MAX_LENGTH_FOR_ALL ? 1 : undefined);

/** Files that vendors fetch by their addresses. */
const FILES = {
  Image: { url: 'https://example.com/photo.png', mediaType: 'image/png' },
  Video: { url: 'https://example.com/clip.mp4', mediaType: 'video/mp4' },
  Audio: { url: 'https://example.com/song.mp3', mediaType: 'audio/mpeg' },
  Document: { url: 'https://example.com/report.pdf', mediaType: 'application/pdf' },
};

/** Files that the vendor accepts from its own servers only. */
const SPECIAL: Readonly<Record<string, { url: string; preview: string }>> = {
  'groupme video': { url: 'https://v.groupme.com/1', preview: 'https://v.groupme.com/2' },
};
const TYPES = ['Image', 'Video', 'Audio', 'Document'] as const;

interface Sent {
  /** The texts of the parts, in the channel's markup. */
  texts: string[];
  degradations: string[];
}

const MAX_ATTEMPTS = 3;

/** Sends the message to the emulator, which must accept every part. */
async function sent(vendor: Vendor, message: Partial<TestMessage>): Promise<Sent> {
  const peer = await vendor.open();
  try {
    const credentials = vendor.credentials(peer.url);
    const { chat } = peer;
    await using context = openContext({ credentials, url: peer.url, ...(chat && { chat }) });
    const planned = outgoing({ recipient: vendor.to, ...message });
    const texts: string[] = [];
    const watched = withTexts(vendor.channel, texts);
    const { degradations } = makePlan(planned.activity, watched, {
      recipient: vendor.to,
      credentials,
    });
    let result = await resultOf(vendor.channel, 'send', planned, undefined, context);
    // The vendor is still processing an uploaded video.
    for (let i = 0; i < MAX_ATTEMPTS && result.outcome === 'limited'; i++) {
      result = await resultOf(vendor.channel, 'send', planned, undefined, context);
    }
    assert.equal(result.outcome, 'sent', JSON.stringify(result));
    return { texts, degradations: degradations.map(({ what }) => what) };
  } finally {
    await peer.close();
  }
}

/** Records the texts that the channel renders. */
function withTexts(channel: Channel, texts: string[]): Channel {
  const renderers = renderersOf(channel);
  return {
    ...channel,
    renderers: {
      ...renderers,
      text(part, to) {
        texts.push(part.text);
        return renderers.text(part, to);
      },
    },
  };
}

function renderersOf({ renderers }: Channel): Renderers {
  assert.ok(typeof renderers === 'object');
  return renderers;
}

/** The length of a text as the vendor counts it. */
function measured({ channel, to }: Vendor, text: string): number {
  assert.ok(channel.text);
  const destination = { recipient: to, credentials: {}, options: {} };
  const written = channel.text.write?.(unstyled(text), destination) ?? text;
  return channel.text.measure(written);
}

/** The longest text of this character that measures at most `max`. */
function longest(vendor: Vendor, character: string, max: number): string {
  let [low, high] = [0, max + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (measured(vendor, character.repeat(middle)) <= max) low = middle;
    else high = middle;
  }
  return character.repeat(low);
}

for (const vendor of VENDORS) {
  const { channel } = vendor;
  const { name, text } = channel;
  const { buttons, titleLimit, ...renderers } = renderersOf(channel);

  describe(`the limits of ${name}`, () => {
    for (const [what, character] of text
      ? [...charactersFor(text.max), ...Object.entries(ESCAPED)]
      : []) {
      it(`${name} sends the longest text of ${what} as one message, and one more as two`, async () => {
        const max = text?.max ?? 0;
        const whole = longest(vendor, character, max);
        const atLimit = await sent(vendor, { text: whole });
        assert.equal(atLimit.texts.length, 1);
        assert.ok(!atLimit.degradations.includes('length'));
        const above = await sent(vendor, { text: whole + character });
        assert.equal(above.texts.length, 2);
        assert.ok(above.degradations.includes('length'));
        for (const part of [...atLimit.texts, ...above.texts]) {
          assert.ok((text?.measure(part) ?? 0) <= max);
        }
      });
    }

    for (const type of TYPES) {
      const kind = type.toLowerCase() as Lowercase<typeof type>;
      const max = renderers[kind]?.maxCaptionLength ?? 0;
      const file =
        SPECIAL[`${name} ${kind}`] ?? (vendor.uploads ? { url: hosted(KINDS[type]) } : FILES[type]);
      const captioned = (content?: string): Partial<TestMessage> => ({
        object: { type, ...file, ...(content !== undefined && { content }) },
      });
      for (const [what, character] of max > 0 ? charactersFor(max) : []) {
        it(`${name} sends the longest caption of ${what} with the file, and one more as a text: ${kind}`, async () => {
          const caption = longest(vendor, character, max);
          const atLimit = await sent(vendor, captioned(caption));
          assert.deepEqual(atLimit, await sent(vendor, captioned()));
          const above = await sent(vendor, captioned(caption + character));
          assert.deepEqual(
            above.degradations.filter((each) => each !== 'length'),
            ['caption'],
          );
        });
      }
    }

    if (buttons) {
      const isReply = buttons.kinds.includes('reply');
      const button = (label: string, i = 0) => ({
        type: 'Button',
        name: label,
        ...(isReply ? { value: `v${i}` } : { url: `https://example.com/${i}` }),
      });
      const withButtons = (...attachment: ActivityObject[]) => ({ object: { attachment } });

      it(`${name} shows ${buttons.max} buttons, and lists one more`, async () => {
        const labels = Array.from({ length: buttons.max + 1 }, (_, i) => button(`B${i}`, i));
        const atLimit = await sent(vendor, withButtons(...labels.slice(1)));
        assert.deepEqual(atLimit.degradations, []);
        const above = await sent(vendor, withButtons(...labels));
        assert.equal(above.degradations[0], 'buttons');
      });

      it(`${name} sends the longest text with all buttons`, async () => {
        const labels = Array.from({ length: buttons.max }, (_, i) =>
          button(`${i}`.padEnd(buttons.maxLabelLength, 'x'), i),
        );
        const whole = longest(vendor, '"', text?.max ?? 0);
        await sent(vendor, { text: whole, ...withButtons(...labels) });
      });

      for (const [what, character] of Object.entries(CHARACTERS)) {
        it(`${name} shows a button with the longest label of ${what}, and lists a longer one`, async () => {
          const label = character.repeat(Math.floor(buttons.maxLabelLength / character.length));
          const atLimit = await sent(vendor, withButtons(button(label)));
          assert.deepEqual(atLimit.degradations, []);
          const above = await sent(vendor, withButtons(button(label + character)));
          assert.equal(above.degradations[0], 'buttons');
        });
      }

      // The API refuses longer values: buttons.test.ts.
      const { payload } = buttons;
      for (const [what, character] of payload ? Object.entries(CHARACTERS) : []) {
        it(`${name} sends a button with the longest value of ${what}`, async () => {
          assert.ok(payload);
          const { max, unit, write = ({ value = '' }) => value } = payload;
          const size = (count: number) => {
            const value = write({ name: 'Yes', value: character.repeat(count) });
            return unit === 'bytes' ? Buffer.byteLength(value) : value.length;
          };
          let count = 1;
          while (size(count + 1) <= max) count++;
          const pressed = { type: 'Button', name: 'Yes', value: character.repeat(count) };
          assert.deepEqual((await sent(vendor, withButtons(pressed))).degradations, []);
        });
      }
    }

    for (const [what, character] of titleLimit ? Object.entries(CHARACTERS) : []) {
      it(`${name} sends the longest title of ${what}, and a longer one as text`, async () => {
        assert.ok(titleLimit);
        let title = character;
        while (titleLimit.measure(title + character) <= titleLimit.max) title += character;
        const atLimit = await sent(vendor, { object: { name: title } });
        assert.deepEqual(atLimit.degradations, []);
        const above = await sent(vendor, { object: { name: title + character } });
        assert.deepEqual(above.degradations, ['long_title']);
      });
    }
  });
}

it('every channel with limits has an emulator to test them', () => {
  const limited = CHANNELS.filter(({ renderers }) => typeof renderers === 'object');
  assert.deepEqual(
    VENDORS.map(({ channel }) => channel.name).toSorted(),
    limited.map(({ name }) => name),
  );
});

/** Channels whose limit is below the vendor's, and why. */
const OWN_LIMITS: Readonly<Record<string, string>> = {
  callr: 'the carrier limits the number of segments without stating it; phones join ten',
  email: 'each server announces its own size limit, which includes the attachments',
  'google-chat': 'the limit of 32,000 bytes includes the cards with images and buttons',
  irc: 'the limit of 512 bytes includes the prefix that the server adds for recipients',
  matrix: 'the limit of 65,536 bytes includes the formatted text and what the homeserver adds',
  'ms-teams': 'the limit of 100 KB is approximate; Microsoft recommends 80 KB, in UTF-16',
  slack: 'Slack truncates after 40,000 characters without an error; an update accepts 4,000',
  smpp: 'the protocol allows 255 segments, of which phones join ten',
  webmessenger: 'our own channel',
  webpush: 'the limit of 3,993 bytes includes the title, the buttons and the options',
  xmpp: 'servers must accept stanzas of 10,000 bytes, which include addresses and styles',
};

it('every channel with its own limit is tested', () => {
  const names = new Set(VENDORS.map(({ channel }) => channel.name));
  assert.deepEqual(
    Object.keys(OWN_LIMITS).filter((name) => !names.has(name)),
    [],
  );
});

for (const vendor of VENDORS) {
  const { channel } = vendor;
  if (!channel.text || channel.name in OWN_LIMITS) continue;
  const { text } = channel;

  it(`the emulator of ${channel.name} refuses a longer text`, async () => {
    const lax = { ...vendor, channel: { ...channel, text: { ...text, max: text.max + 1 } } };
    const whole = longest(vendor, 'a', text.max);
    await sent(vendor, { text: whole });
    await assert.rejects(sent(lax, { text: `${whole}a` }), { name: 'AssertionError' });
  });
}
