import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { nearestChannels, searchChannels } from '../../console/src/integrations/channel-search.ts';
import { CHANNELS } from '../../src/channels/index.ts';

const ALL = CHANNELS.map((channel) => ({ aliases: [], ...channel }));
const found = (text: string) => searchChannels(ALL, text).map(({ name }) => name);
const nearest = (text: string) => nearestChannels(ALL, text).map(({ name }) => name);

describe('the channel search', () => {
  const SMS = ['callr', 'messagebird', 'twilio', 'vonage'];
  for (const [text, expected] of [
    ['sms', SMS],
    ['text', SMS],
    ['Text message', SMS],
    ['mail', ['email']],
    ['e-mail', ['email']],
    ['smtp', ['email']],
    ['facebook', ['instagram', 'messenger', 'whatsapp']],
    ['push', ['gotify', 'ntfy']],
    ['push notifications', ['gotify', 'ntfy']],
    ['notification', ['gotify', 'ntfy']],
    ['whats app', ['whatsapp']],
    ['jabber', ['xmpp']],
    ['x', ['twitter']],
    ['website', ['webmessenger']],
  ] as const) {
    it(`"${text}" finds ${expected.join(', ')}`, () => {
      const names = found(text);
      for (const name of expected) assert.ok(names.includes(name), `${name} in ${names.join()}`);
    });
  }

  it('ranks names before other words', () => {
    assert.equal(found('messenger')[0], 'messenger');
    assert.equal(found('whatsapp')[0], 'whatsapp');
    assert.equal(found('tele')[0], 'telegram');
  });

  it('finds every channel without a text, and none for a text that nothing resembles', () => {
    assert.equal(found(' ').length, CHANNELS.length);
    assert.deepEqual(found('qqqq'), []);
    assert.deepEqual(nearest('qqqq'), []);
  });

  it('offers the nearest names for a typing error', () => {
    assert.equal(nearest('telgram')[0], 'telegram');
    assert.equal(nearest('whatsup')[0], 'whatsapp');
    assert.equal(nearest('mattermots')[0], 'mattermost');
  });
});
