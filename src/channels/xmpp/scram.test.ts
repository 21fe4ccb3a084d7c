import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Scram } from './scram.ts';

describe('SCRAM', () => {
  // RFC 5802, section 5, and RFC 7677, section 3.
  for (const [hash, nonce, challenge, response, last] of [
    [
      'sha1',
      'fyko+d2lbbFgONRv9qkxdawL',
      'r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096',
      'c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=',
      'v=rmF9pqV8S7suAoZWja4dJRkFsKQ=',
    ],
    [
      'sha256',
      'rOprNGfwEbeRWgbNEkqO',
      'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
      'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
    ],
  ] as const) {
    it(`computes the example of the specification with ${hash}`, async () => {
      const scram = new Scram(hash, 'user', 'pencil', nonce);
      assert.equal(scram.first, `n,,n=user,r=${nonce}`);
      assert.equal(await scram.answer(challenge), response);
      assert.ok(scram.proves(last));
      for (const other of ['', 'v=', 'e=other-error', last.replace('=', '=A'), 'v=AAAA']) {
        assert.ok(!scram.proves(other), other);
      }
    });
  }

  it('refuses malformed challenges and excessive iteration counts', async () => {
    for (const challenge of [
      '',
      'r=abc,s=QQ==,i=4096',
      'r=abcd,s=,i=4096',
      'r=abcd,s=QQ==,i=1',
      'r=abcd,s=QQ==,i=500001',
      'r=abcd,s=QQ==,i=99999999999',
      'r=abcd,s=QQ==,i=-1',
      'm=x,r=abcd,s=QQ==,i=4096',
      'r=xabcd,s=QQ==,i=4096',
    ]) {
      assert.equal(
        await new Scram('sha1', 'a', 'fake', 'abc').answer(challenge),
        undefined,
        challenge,
      );
    }
    assert.ok(await new Scram('sha1', 'a', 'fake', 'abc').answer('r=abcd,s=QQ==,i=4096'));
  });

  it('accepts no server signature before a challenge', () => {
    assert.ok(!new Scram('sha1', 'a', 'fake').proves('v='));
  });

  it('escapes user names', () => {
    assert.match(new Scram('sha1', 'a=b,c', 'fake', 'x').first, /^n,,n=a=3Db=2Cc,r=x$/);
    assert.notEqual(new Scram('sha1', 'a', 'fake').first, new Scram('sha1', 'a', 'fake').first);
  });
});
