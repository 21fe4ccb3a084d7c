import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import { assertNoPlaceholders } from '../../test/channels/placeholders.ts';
import { cpuMs } from '../../test/support/cpu.ts';
import { capabilitiesOf } from './capabilities.ts';
import { CHANNELS } from './index.ts';
import { optionFaults } from './options.ts';

/* Checks that every channel is complete, tested and documented. */

const ROOT = new URL('../../', import.meta.url);
const exists = (path: string) => existsSync(new URL(path, ROOT));

const USUALLY_SECRET: ReadonlySet<string> = new Set([
  'token',
  'secret',
  'refresh',
  'consumer_secret',
]);

for (const channel of CHANNELS) {
  describe(`the channel ${channel.name}`, () => {
    const { name, renderers, send } = channel;

    it('sends, and describes its addresses and text', () => {
      assert.ok(send);
      assert.ok(renderers);
    });

    it('declares the unit in which its text is measured', () => {
      const { text } = channel;
      if (!text) return;
      // 3 bytes each; outside the alphabet of SMS, a character counts as up to 2.3.
      const isInBytes = text.measure('日'.repeat(10)) >= 30;
      assert.equal(text.unit === 'bytes', isInBytes);
    });

    it('has a summary and search words for people who choose a channel', () => {
      const { summary, keywords } = channel;
      assert.match(summary, /^[A-Z].*\.$/);
      assert.ok(summary.length <= 90, 'the gallery shows two lines');
      assert.ok(keywords.length > 0);
      for (const word of keywords) assert.equal(word, word.trim().toLowerCase());
    });

    it('has a test case for each of its capabilities, run by the shared suite', () => {
      // Channels with a session have their cases with a scripted server apart from those with a real one.
      const path = ['send', 'answers']
        .map((file) => `test/channels/${name}/${file}.test.ts`)
        .find((file) => exists(file));
      assert.ok(path);
      // The runner itself fails for an ability without a case.
      assert.match(readFileSync(new URL(path, ROOT), 'utf8'), /testChannel\(|stepsOf|resultOf/);
    });

    it('has genuine webhook requests, from which the shared suite derives every forgery', () => {
      if (!channel.hook) return;
      const path = `test/channels/${name}/hook.test.ts`;
      assert.ok(exists(path), path);
      assert.match(readFileSync(new URL(path, ROOT), 'utf8'), /testHook\(/);
    });

    it('has a setup guide and a page', () => {
      for (const path of [`docs/channels/setup/${name}.md`, `docs/channels/${name}.md`]) {
        assert.ok(exists(path), path);
      }
    });

    it('has credential formats that match in linear time', () => {
      for (const { name: field, format } of channel.credentials) {
        if (!format) continue;
        const { pattern, hint } = format;
        assert.equal(pattern.flags, '', field);
        assert.ok(new RegExp(pattern.source, 'u'), field);
        assert.match(hint, /^[A-Z].{10,90}\.$/, field);
        for (const value of ['', ' ', '\n']) assert.ok(!pattern.test(value), field);
        for (const unit of ['a', '0', '-', '.', ':', '/', 'whsec_A= ', 'a@']) {
          const hostile = `${unit.repeat(20_000)}\n`;
          assert.ok(cpuMs(() => pattern.test(hostile)) < 100, `${field}: ${unit}`);
        }
      }
    });

    it('names its sets of credentials if there are several', () => {
      const { needs, needNames } = channel;
      assert.equal(needNames?.length, needs.length > 1 ? needs.length : undefined);
    });

    it("links to the vendor's page with the credentials, as its guide does", () => {
      const { url, dashboard } = channel;
      if (url !== undefined) assert.ok(dashboard, 'dashboard');
      if (dashboard === undefined) return;
      const guide = readFileSync(new URL(`docs/channels/setup/${name}.md`, ROOT), 'utf8');
      assert.ok(guide.includes(`(${dashboard})`) || guide.includes(`<${dashboard}>`), dashboard);
    });

    it('masks every credential, or states why it holds no secret', () => {
      for (const { name: field, secret, publicBecause } of channel.credentials) {
        const needsReason = !secret && USUALLY_SECRET.has(field);
        assert.equal(publicBecause !== undefined, needsReason, `publicBecause of ${field}`);
      }
    });

    it('has no placeholders of the generated channel left', () => {
      assertNoPlaceholders(channel);
    });

    it("cites the vendor's documentation at the top of its file", () => {
      const folder = `src/channels/${name}/channel.ts`;
      const path = exists(folder) ? folder : `src/channels/${name}.ts`;
      const source = readFileSync(new URL(path, ROOT), 'utf8');
      const head = source.slice(0, source.indexOf(': Channel = {'));
      assert.match(head, /https:\/\//);
    });

    it("declares options with unique names, help, valid examples and a link to the vendor's page", () => {
      const { options = [] } = channel;
      assert.equal(new Set(options.map((option) => option.name)).size, options.length);
      assert.equal(channel.options === undefined, options.length === 0);
      for (const { name: option, label, help, rule, link = '' } of options) {
        assert.match(option, /^[a-z]+(?:_[a-z]+)*$/);
        assert.match(label, /^[A-Z]/);
        assert.match(help, /^[A-Z].*\.$/);
        assert.match(link, /^https:\/\//);
        if (rule.type !== 'text') continue;
        assert.deepEqual(optionFaults(channel, { [option]: rule.example }, ''), []);
      }
    });

    it('has the capabilities that its code implements', () => {
      const can = capabilitiesOf(channel);
      assert.equal(can.send, true);
      assert.equal(can.edit, renderers === 'whole' || channel.edit !== undefined);
      assert.equal(
        can.image,
        renderers === 'whole' || (renderers && 'image' in renderers) === true,
      );
    });
  });
}

describe('options of several channels', () => {
  it('have the same type if they have the same name, except for priorities', () => {
    const types = new Map<string, string>();
    for (const { name, rule } of CHANNELS.flatMap(({ options = [] }) => options)) {
      if (name === 'priority') continue;
      assert.equal(types.get(name) ?? rule.type, rule.type, name);
      types.set(name, rule.type);
    }
  });

  it('accept only values that the channel can send', () => {
    for (const [name, options] of [
      ['ntfy', { click: 'javascript:alert(1)' }],
      ['ntfy', { icon: 'https://' }],
      ['ntfy', { click: `https://example.com/${'x'.repeat(300)}` }],
      ['ntfy', { priority: 3 }],
      ['gotify', { priority: 11 }],
      ['email', { reply_to: 'ada@example.org, eve@example.org' }],
      ['email', { reply_to: 'Ada <ada@example.org>' }],
      ['twilio', { ttl: 36_001 }],
      ['vonage', { ttl: 29 }],
    ] as const) {
      const channel = CHANNELS.find((each) => each.name === name);
      assert.ok(channel);
      assert.equal(optionFaults(channel, options, '').length, 1, JSON.stringify(options));
    }
  });
});

it('the address of a server may name a port, TLS, both or neither', () => {
  const servers = CHANNELS.filter(({ name }) => ['irc', 'smpp', 'xmpp'].includes(name));
  for (const { name, credentials } of servers) {
    const pattern = credentials.find((field) => field.name === 'address')?.format?.pattern;
    assert.ok(pattern, name);
    for (const server of ['chat.example.org', '[::1]']) {
      for (const rest of ['', ':6697', '+tls', ':6697+tls']) {
        assert.match(server + rest, pattern, name);
      }
      for (const rest of [':', ':port', ':123456', '/path', ':1:2']) {
        assert.doesNotMatch(server + rest, pattern, name);
      }
    }
  }
});
