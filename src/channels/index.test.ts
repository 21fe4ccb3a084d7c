import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cpuMs } from '../../test/support/cpu.ts';
import { CHANNELS, CHANNEL_NAMES, RETIRED, findChannel } from './index.ts';

const names = CHANNELS.map((channel) => channel.name);
const allNames = CHANNELS.flatMap((channel) => [channel.name, ...(channel.aliases ?? [])]);

describe('the list of channels', () => {
  it('the list of channels is in alphabetical order', () => {
    assert.deepEqual(names, names.toSorted());
    assert.deepEqual(CHANNEL_NAMES, names);
  });

  it('the list of channels uses each name and alias once, and no name of a retired channel', () => {
    assert.equal(new Set(allNames).size, allNames.length);
    assert.deepEqual(
      allNames.filter((name) => RETIRED.has(name)),
      [],
    );
  });

  it('the list of channels writes names in lower case, with hyphens', () => {
    for (const name of [...allNames, ...RETIRED.keys()]) {
      for (const word of name.split('-')) assert.match(word, /^[a-z][a-z0-9]*$/, name);
    }
  });

  it('the list of channels finds a channel by its name or alias, in any case, with space around it', () => {
    for (const channel of CHANNELS) {
      for (const name of [channel.name, ...(channel.aliases ?? [])]) {
        assert.equal(findChannel(name), channel);
        assert.equal(findChannel(`  ${name.toUpperCase()}\n`), channel);
      }
    }
    assert.equal(findChannel('Gitter')?.name, 'matrix');
    assert.equal(findChannel('X')?.name, 'twitter');
  });

  it('the list of channels finds nothing by an unknown name', () => {
    for (const name of ['', ' ', 'kik', 'carrier-pigeon', 'constructor', '__proto__']) {
      assert.equal(findChannel(name), undefined, name);
    }
  });

  it('the list of channels names the replacement of a retired channel in one sentence', () => {
    assert.deepEqual([...RETIRED.keys()].toSorted(), ['flowdock', 'kik']);
    for (const [name, advice] of RETIRED) {
      assert.match(advice, /; use .+ instead\.$/, name);
      const advised = advice
        .slice(advice.indexOf('; use ') + 6, -' instead.'.length)
        .split(/, | or /);
      for (const other of advised) assert.ok(findChannel(other), `${name}: ${other}`);
    }
  });
});

for (const channel of CHANNELS) {
  describe(`the declaration of ${channel.name}`, () => {
    it('has a title and a page about sending', () => {
      assert.notEqual(channel.title.trim(), '');
      assertLink(channel.docs);
    });

    it('declares every credential once, with a label and help', () => {
      const fields = channel.credentials.map((field) => field.name);
      assert.equal(new Set(fields).size, fields.length);
      for (const field of channel.credentials) {
        assert.match(field.label, /^\S.*\S$/, field.name);
        assert.match(field.help, /^\S.{9,}\.$/, field.name);
      }
    });

    it('needs only credentials that it declares', () => {
      const declared = new Set(channel.credentials.map((field) => field.name));
      assert.notEqual(channel.needs.length, 0);
      for (const name of channel.needs.flat()) assert.ok(declared.has(name), name);
    });

    it('links every limit to the page that sets it', () => {
      for (const limit of channel.limits) {
        assert.notEqual(limit.what.trim(), '');
        assertLink(limit.link);
      }
    });

    it('accepts its own example of a recipient', () => {
      assert.notEqual(channel.recipient.format.trim(), '');
      assert.equal(channel.recipient.validate(channel.recipient.example), undefined);
    });

    it('refuses an empty recipient', () => {
      assert.equal(typeof channel.recipient.validate(''), 'string');
    });

    it('refuses a recipient of 100,000 characters without delay', () => {
      const spentMs = cpuMs(() => {
        for (const piece of ['a', '1', '@', '/', '.', ',', '"', '=', ' ', 'a@', '1,', 'é', '😀']) {
          const id = piece.repeat(100_000 / piece.length);
          for (const start of ['', '!', '@', '#', '+', 'spaces/', channel.recipient.example]) {
            assert.equal(typeof channel.recipient.validate(start + id), 'string', start + piece);
          }
        }
      });
      assert.ok(spentMs < 2000, `${spentMs} ms`);
    });
  });

  function assertLink(link: string): void {
    if (channel.name === 'webmessenger' && link.startsWith('/')) return;
    assert.equal(new URL(link).protocol, 'https:', link);
  }
}

const PHONE_BAD = [
  '',
  '+',
  '5551234',
  'call me',
  '+49 30 123456',
  '+1234567890123456',
  '+0123456789',
];

const P256DH =
  'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4';

function subscription(
  more: object = {},
  keys: object = { p256dh: P256DH, auth: 'BTBZMqHH6r4Tts7J_aSIgg' },
): string {
  return JSON.stringify({ endpoint: 'https://push.example.net/1', ...more, keys });
}

const RECIPIENTS: Record<string, { good: string[]; bad: string[] }> = {
  callr: { good: ['+33123456789', '+6834000'], bad: [...PHONE_BAD, '33123456789'] },
  discord: {
    good: ['175928847299117063', '1'],
    bad: ['general', '#general', '-5', '0175928847299117063', '184467440737095516150'],
  },
  email: {
    good: [
      'ada@example.org',
      "o'hara+tag@mail.example.co.uk",
      'root@localhost',
      '"two words"@example.org',
      'ops@[192.0.2.1]',
      'ops@[IPv6:2001:db8::1]',
      'жук@пример.рф',
      `${'a'.repeat(64)}@example.org`,
    ],
    bad: [
      'ada',
      '@example.org',
      'ada@',
      'ada@example..org',
      'ada@-example.org',
      'Ada <ada@example.org>',
      'ada@example.org, bob@example.org',
      'ada@example.org\r\nBcc: eve@example.org',
      'a b@example.org',
      'a@b@example.org',
      `${'a'.repeat(65)}@example.org`,
      `a@${'b'.repeat(253)}`,
    ],
  },
  'google-chat': {
    good: ['spaces/AAAAqWB1Abc', 'spaces/a-b_c'],
    bad: ['AAAAqWB1Abc', 'spaces/', 'spaces/A/messages/B', 'spaces/../users/1', 'spaces/A?x=1'],
  },
  gotify: { good: ['ops', 'Ops on call 😀'], bad: [''] },
  groupme: { good: ['1234567890', '12'], bad: ['my group', '12a', '-12'] },
  instagram: { good: ['1784140123456789', '987'], bad: ['@someone', '12 34', '1.5'] },
  irc: {
    good: ['#switchboard', 'nick', '[a]^_`', '&local', '@#ops', '##c++', '#été'],
    bad: ['two words', '#a,#b', ':nick', '$$*.example.org', 'nick\r\nQUIT', 'nick\u0000', ' nick'],
  },
  line: {
    good: [
      'U4af4980629b1e2f3c4d5e6f708192a3b',
      'C4af4980629b1e2f3c4d5e6f708192a3b',
      'R4af4980629b1e2f3c4d5e6f708192a3b',
    ],
    bad: ['my-line-id', 'U4af4980629', 'X4af4980629b1e2f3c4d5e6f708192a3b', 'U'.repeat(33)],
  },
  matrix: {
    good: [
      '!AbCdEfGhIjKlMnOpQr:example.org',
      '!31hneApxJ_1o-63DmFrpeqnkFfWppnzWso1JvH3ogLM',
      '@ada:example.org',
      '@ada:[2001:db8::1]:8448',
      '@a/b=c:localhost:8448',
    ],
    bad: ['ada', '@ada', '@ada:', '!', 'room:example.org', '!two words:a', `!${'é'.repeat(128)}`],
  },
  mattermost: {
    good: ['4xp9fdt77pncbef59f4k1qe83o', 'abcdefghijklmnopqrstuvwxyz'],
    bad: ['town-square', '4XP9FDT77PNCBEF59F4K1QE83O', '4xp9fdt77pncbef59f4k1qe83', '~town-square'],
  },
  messagebird: { good: ['31612345678', '+31612345678'], bad: [...PHONE_BAD.slice(3), '+', '1234'] },
  messenger: { good: ['4012345678901234', '1'], bad: ['ada.lovelace', '12 34', '-12'] },
  'ms-teams': {
    good: [
      '19:0123456789abcdef0123456789abcdef@thread.tacv2',
      '19:0123456789abcdef@thread.tacv2;messageid=1481567603816',
      'a:1pL6i0oY3C0K8oAj8f4L2Kx5oG_Qw-3',
      '8:live:ada',
    ],
    bad: ['the general channel', 'a:1\n', 'ä:1'],
  },
  'nextcloud-talk': {
    good: ['n3xtc10ud', 'abcd'],
    bad: ['', 'abc', 'N3XTC10UD', '../room', 'a'.repeat(31)],
  },
  ntfy: { good: ['switchboard-alerts', 'A_1'], bad: ['my topic', 'a/b', 'a.b', 'a'.repeat(65)] },
  pushover: {
    good: ['uQiRzpo4DXghDmr9QzzfQu27cmVRsG', 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG:droid_2-a'],
    bad: [
      'uQiRzpo4DXghDmr9QzzfQu27cmVRs',
      'uQiRzpo4DXghDmr9QzzfQu27cmVRsG:',
      'uQiRzpo4DXghDmr9QzzfQu27cmVRsG:my phone',
      'ada@example.org',
    ],
  },
  rocketchat: {
    good: ['#general', '@ada.lovelace', 'GENERAL', 'ByehQjC44FwMeiLbX', '#日本語'],
    bad: ['#', '@', '##general', 'two words', '#a\nb'],
  },
  signal: {
    good: [
      '+4915112345678',
      '11111111-2222-4333-8444-555555555555',
      'u:ada_l.01',
      'group:exampleGroupIdOfSignalAAAAAAAAAAAAAAAAAAAAA=',
    ],
    bad: ['', '4915112345678', '+0151', 'ada.01', 'u:ada', 'group:', 'group:a b', '../x'],
  },
  slack: {
    good: [
      'C0123456789',
      'G012AB3CD',
      'D0123456789',
      'U0123456789',
      'W0123456789',
      '#general',
      '#総務',
    ],
    bad: ['general', '#', '@ada', 'c0123456789', 'C0123456789,C0123456780', 'X0123456789', '#a b'],
  },
  smpp: {
    good: ['+491512345678', '+6834000', '70707'],
    bad: [...PHONE_BAD.filter((id) => id !== '5551234'), '491512345678', 'Switchboard'],
  },
  telegram: {
    good: ['123456789', '-1001234567890', '@switchboard'],
    bad: ['switchboard', '@', '+491701234567', '12.5'],
  },
  twilio: {
    good: ['+15558675310', 'whatsapp:+15558675310', 'rcs:+15558675310', 'messenger:1234567890'],
    bad: [...PHONE_BAD, '15558675310', 'whatsapp:15558675310', 'sms:+15558675310'],
  },
  twitter: {
    good: ['2244994945', '1234567890123456789'],
    bad: ['@ada', 'ada', '12345678901234567890', '-1'],
  },
  viber: {
    good: ['01234567890A=', 'jc9HsWTZ2Yf2NkRZ8KcNug==', 'a+b/c'],
    bad: ['+49 170 1234567', '=', 'abc===', 'ada@example.org'],
  },
  vonage: {
    good: ['447700900000', '6834000'],
    bad: [
      ...PHONE_BAD.filter((id) => id !== '5551234'),
      '+447700900000',
      '00447700900000',
      '123456',
    ],
  },
  webex: {
    good: [
      'Y2lzY29zcGFyazovL3VzL1JPT00vYmJjZWIxYWQtNDNmMS0zYjU4LTkxNDctZjE0YmIwYzRkMTU0',
      'Y2lzY29zcGFyazovL3VzL1BFT1BMRS9mMDZkNzFhNS0wODMzLTRmYTUtYTcyYS1jYzg5YjI1ZWVlMmU',
      'julie@example.com',
    ],
    bad: [
      '12345',
      'julie',
      'julie @example.com',
      // The id of a message.
      'Y2lzY29zcGFyazovL3VzL01FU1NBR0UvOTJkYjNiZTAtNDNiZC0xMWU2LThhZTktZGQ1YjNkZmM1NjVk',
    ],
  },
  webhook: {
    good: ['customer-42', 'anything at all: ✓', 'line one\nline two', 'x'.repeat(512)],
    bad: ['', 'x'.repeat(513)],
  },
  webmessenger: {
    good: ['visitor-7f3a', 'a', 'A_1.b-c', 'ada@example.org', 'auth0|5f7c', 'x'.repeat(128)],
    bad: ['two words', 'a/b', '<b>', 'é', 'x'.repeat(129), 'a\n'],
  },
  webpush: {
    good: [
      subscription(),
      subscription({ expirationTime: null }),
      subscription({ expirationTime: 1_794_700_800_000 }),
      subscription({}, { auth: 'BTBZMqHH6r4Tts7J_aSIgg', p256dh: P256DH }),
    ],
    bad: [
      '',
      '{}',
      'null',
      'https://push.example.net/1',
      ` ${subscription()}`,
      subscription({ endpoint: 'http://push.example.net/1' }),
      subscription({ endpoint: 'https://user:password@push.example.net/1' }),
      subscription({ endpoint: 'https://push.example.net/ü' }),
      subscription({ expirationTime: 'never' }),
      subscription({ more: 1 }),
      subscription({}, { p256dh: P256DH }),
      subscription({}, { p256dh: P256DH, auth: 'BTBZMqHH6r4Tts7J_aSI' }),
      subscription({}, { p256dh: P256DH, auth: 'BTBZMqHH6r4Tts7J_aSIgg==' }),
      subscription({}, { p256dh: `${P256DH.slice(0, -1)}8`, auth: 'BTBZMqHH6r4Tts7J_aSIgg' }),
      subscription({}, { p256dh: P256DH, auth: 'BTBZMqHH6r4Tts7J_aSIgg', more: 1 }),
      subscription({ endpoint: `https://push.example.net/${'a'.repeat(1024)}` }),
    ],
  },
  wechat: {
    good: ['oLVPpjqs9BhvzwPj5A-vTYAX3GLc', 'o6_bmjrPTlm6_2sgVt7hMZOPfL2M'],
    bad: ['ada@example.org', 'two words', 'a/b'],
  },
  whatsapp: {
    good: ['16505551234', '+16505551234', 'US.13491208655302741918', 'US.ENT.11815799212886844830'],
    bad: [...PHONE_BAD.slice(3), 'us.1349', 'USA.1349', '1-650-555-1234'],
  },
  xmpp: {
    good: [
      'romeo@example.net',
      'romeo@example.net/the balcony',
      'room@conference.example.net/nick@home',
      'example.net',
      'жук@пример.рф',
      'ada@[2001:db8::1]',
    ],
    bad: [
      '@example.net',
      'romeo@',
      'a b@example.net',
      'a@b@c',
      'romeo@example.net/',
      "o'hara@a",
      '/x',
    ],
  },
  zulip: {
    good: ['general/greetings', 'general/', 'core team/a/b', '9', '9,10,11', '日本/挨拶'],
    bad: ['general', '/greetings', '9,', ',9', '9, 10', 'a,b', 'general/two\nlines'],
  },
};

describe('the format of recipients', () => {
  it('the format of recipients is tested for every channel', () => {
    assert.deepEqual(Object.keys(RECIPIENTS).toSorted(), names);
  });

  for (const [name, { good, bad }] of Object.entries(RECIPIENTS)) {
    for (const id of good) {
      it(`${name} accepts ${show(id)}`, () => {
        assert.equal(findChannel(name)?.recipient.validate(id), undefined);
      });
    }
    for (const id of bad) {
      it(`${name} refuses ${show(id)}`, () => {
        assert.match(findChannel(name)?.recipient.validate(id) ?? '', /^must be /);
      });
    }
  }
});

function show(id: string): string {
  return JSON.stringify(id.length > 60 ? `${id.slice(0, 20)}… (${id.length} characters)` : id);
}
