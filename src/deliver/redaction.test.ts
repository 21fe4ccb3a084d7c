import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { findChannel } from '../channels/index.ts';
import type { Credentials } from '../model/integration.ts';
import { BLANK, redactor } from './redaction.ts';

function redact(name: string, credentials: Credentials, text: string): string {
  const channel = findChannel(name);
  assert.ok(channel);
  return redactor(channel, credentials)(text);
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('redaction', () => {
  const token = '4242:fake/token+of a "bot"';

  for (const [how, written] of Object.entries({
    'as it is': token,
    'in an address': encodeURIComponent(token),
    'in JSON': JSON.stringify(token),
    'in base64': base64(token),
  })) {
    it(`masks a secret written ${how}, wherever it stands`, () => {
      const text = redact('telegram', { token }, `<${written}> and again <${written}>`);
      assert.doesNotMatch(text, /fake|token/);
      assert.ok(!text.includes(base64(token).slice(0, -2)));
      assert.match(text, /^<"?\*\*\*=*"?> and again <"?\*\*\*=*"?>$/);
    });
  }

  it('masks a password as authentication writes it, with the name in front', () => {
    const credentials = { username: 'ada', token: 'fake-password' };
    for (const pair of ['ada:fake-password', '\0ada\0fake-password']) {
      const text = redact('email', credentials, `AUTH ${base64(pair)}`);
      assert.match(text, /^AUTH \*\*\*=*$/);
    }
  });

  it('leaves alone what is no secret', () => {
    const credentials = { username: 'ada', token: 'fake-password', address: 'smtp.example.com' };
    const text = 'ada at smtp.example.com is over quota';
    assert.equal(redact('email', credentials, text), text);
  });

  it('blanks the whole text when a secret is too short to mask', () => {
    for (const secret of ['e', 'pw', 'abc']) {
      const shown = redact(
        'telegram',
        { token: secret },
        `the password is ${secret}, or Bad Request`,
      );
      assert.equal(shown, BLANK);
      assert.equal(redact('telegram', { token: secret }, ''), '');
    }
    assert.equal(redact('telegram', { token: 'abcd' }, 'it is abcd'), 'it is ***');
  });

  it('leaves a text whole when there is no secret', () => {
    assert.equal(redact('telegram', { token: '' }, 'Bad Request'), 'Bad Request');
    assert.equal(redact('telegram', {}, 'Bad Request'), 'Bad Request');
    assert.equal(redact('email', { username: 'a' }, 'a is over quota'), 'a is over quota');
  });

  it('leaves nothing of any text when one of several secrets is too short', () => {
    const credentials = { token: 'fake-token', secret: 'ab' };
    assert.equal(redact('telegram', credentials, 'fake-token or ab'), BLANK);
  });

  it('leaves nothing of a secret that holds another one', () => {
    const credentials = { token: 'fake-token', secret: 'fake-token-and-more' };
    assert.equal(redact('telegram', credentials, 'a fake-token-and-more b'), 'a *** b');
  });

  it('leaves nothing of any secret in any text', () => {
    const secret = fc.string({ minLength: 4, maxLength: 40, unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        // What the mask itself could be part of is no secret to speak of.
        fc.pre(!value.includes('*'));
        const text = redact('telegram', { token: value }, before + value + after);
        assert.ok(!text.includes(value));
      }),
    );
  });
});
