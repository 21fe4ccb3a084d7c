import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { findChannel } from '../../channels/index.ts';
import type { Credentials } from '../../model/integration.ts';
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
    unencoded: token,
    'in a URL': encodeURIComponent(token),
    'in JSON': JSON.stringify(token),
    'in base64': base64(token),
  })) {
    it(`masks every occurrence of a secret ${how}`, () => {
      const text = redact('telegram', { token }, `<${written}> and again <${written}>`);
      assert.doesNotMatch(text, /fake|token/);
      assert.ok(!text.includes(base64(token).slice(0, -2)));
      assert.match(text, /^<"?\*\*\*=*"?> and again <"?\*\*\*=*"?>$/);
    });
  }

  it('masks a password encoded together with its user name', () => {
    const credentials = { username: 'ada', token: 'fake-password' };
    for (const pair of ['ada:fake-password', '\0ada\0fake-password']) {
      const text = redact('email', credentials, `AUTH ${base64(pair)}`);
      assert.match(text, /^AUTH \*\*\*=*$/);
    }
  });

  it('does not mask fields that are not secret', () => {
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

  it('does not change a text when there is no secret', () => {
    assert.equal(redact('telegram', { token: '' }, 'Bad Request'), 'Bad Request');
    assert.equal(redact('telegram', {}, 'Bad Request'), 'Bad Request');
    assert.equal(redact('email', { username: 'a' }, 'a is over quota'), 'a is over quota');
  });

  it('blanks the whole text when one of several secrets is too short', () => {
    const credentials = { token: 'fake-token', secret: 'ab' };
    assert.equal(redact('telegram', credentials, 'fake-token or ab'), BLANK);
  });

  it('masks the whole of a secret that contains another one', () => {
    const credentials = { token: 'fake-token', secret: 'fake-token-and-more' };
    assert.equal(redact('telegram', credentials, 'a fake-token-and-more b'), 'a *** b');
  });

  it('masks random secrets in random texts', () => {
    const secret = fc.string({ minLength: 4, maxLength: 40, unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        // A secret made of asterisks would be found again in the mask.
        fc.pre(!value.includes('*'));
        const text = redact('telegram', { token: value }, before + value + after);
        assert.ok(!text.includes(value));
      }),
    );
  });
});
