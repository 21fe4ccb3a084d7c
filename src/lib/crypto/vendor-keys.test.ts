import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { SignJWT, exportJWK, generateKeyPair } from 'jose';

import { type FetchAnswer, FetchFault } from '../http/fetch.ts';
import { VendorKeys } from './vendor-keys.ts';

const NOW = 1_794_700_800_000;
const expected = { issuer: 'https://example.com', audience: '42', now: NOW, maxAgeSeconds: 3600 };

const answer = (json: unknown, status = 200): FetchAnswer => ({
  status,
  header: () => undefined,
  text: JSON.stringify(json),
  truncated: false,
  json: () => json,
});

const pair = async () => generateKeyPair('RS256', { extractable: true });
/** Shared, because generating keys is slow. */
const made = { a: await pair(), b: await pair() };

function vendor() {
  const keys: object[] = [];
  let requestCount = 0;
  return {
    async rotate(kid: keyof typeof made) {
      const key = await exportJWK(made[kid].publicKey);
      keys.splice(0, keys.length, { ...key, kid, alg: 'RS256' });
    },
    async sign(kid: keyof typeof made, claims: object = {}) {
      const at = NOW / 1000;
      const all = { iss: expected.issuer, aud: '42', iat: at, exp: at + 3600, ...claims };
      return new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid }).sign(made[kid].privateKey);
    },
    requestKeys: async () => {
      await Promise.resolve();
      requestCount++;
      return answer({ keys: [...keys] });
    },
    requestCount: () => requestCount,
  };
}

describe('vendor keys', () => {
  it("vendor keys accept the vendor's token and are requested once", async () => {
    const { rotate, sign, requestKeys, requestCount } = vendor();
    await rotate('a');
    const keys = new VendorKeys();
    const token = await sign('a');
    const all = await Promise.all(
      [1, 2, 3].map(async () => keys.verify(token, expected, requestKeys)),
    );
    for (const claims of all) assert.partialDeepStrictEqual(claims, { aud: '42' });
    assert.equal(requestCount(), 1);
  });

  it('vendor keys are requested again for an unknown key, at most once a minute', async () => {
    const { rotate, sign, requestKeys, requestCount } = vendor();
    await rotate('a');
    const keys = new VendorKeys();
    await keys.verify(await sign('a'), expected, requestKeys);
    await rotate('b');
    const token = await sign('b');
    const early = await keys.verify(token, { ...expected, now: NOW + 59_000 }, requestKeys);
    assert.equal(typeof early, 'string');
    assert.equal(requestCount(), 1);
    const later = await keys.verify(token, { ...expected, now: NOW + 60_000 }, requestKeys);
    assert.partialDeepStrictEqual(later, { aud: '42' });
    assert.equal(requestCount(), 2);
  });

  const seconds = NOW / 1000;
  for (const [why, claims] of [
    ['another issuer', { iss: 'https://evil.example.com' }],
    ['another audience', { aud: '43' }],
    ['no issuer', { iss: undefined }],
    ['no expiry', { exp: undefined }],
    ['a past expiry', { iat: seconds - 3700, exp: seconds - 61 }],
    ['an issue time in the future', { iat: seconds + 61, exp: seconds + 3600 }],
    ['an issue time too long ago', { iat: seconds - 3661, exp: seconds + 3600 }],
    ['a not-before time in the future', { nbf: seconds + 61 }],
  ] as const) {
    it(`vendor keys refuse a token with ${why}`, async () => {
      const { rotate, sign, requestKeys } = vendor();
      await rotate('a');
      const verdict = await new VendorKeys().verify(await sign('a', claims), expected, requestKeys);
      assert.equal(typeof verdict, 'string');
    });
  }

  it('vendor keys refuse malformed tokens and other signature algorithms', async () => {
    const { rotate, sign, requestKeys } = vendor();
    await rotate('a');
    const [, body] = (await sign('a')).split('.');
    const head = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const token of ['', 'a.b.c', `${head({ alg: 'none' })}.${body}.`]) {
      assert.equal(
        typeof (await new VendorKeys().verify(token, expected, requestKeys)),
        'string',
        token,
      );
    }
    const shared = new SignJWT({}).setProtectedHeader({ alg: 'HS256', kid: 'a' });
    const secret = await shared.sign(Buffer.from('fake-secret-as-long-as-it-has-to-be'));
    assert.equal(typeof (await new VendorKeys().verify(secret, expected, requestKeys)), 'string');
  });

  it('vendor keys are unavailable if the vendor does not answer, and not requested again at once', async () => {
    const { rotate, sign, requestKeys } = vendor();
    await rotate('a');
    const token = await sign('a');
    const keys = new VendorKeys();
    let requestCount = 0;
    const refuse = () => {
      requestCount++;
      return Promise.resolve(answer({ error: 1 }, 500));
    };
    for (let i = 0; i < 2; i++) {
      await assert.rejects(keys.verify(token, expected, refuse), FetchFault);
    }
    assert.equal(requestCount, 1);
    const later = await keys.verify(token, { ...expected, now: NOW + 60_000 }, requestKeys);
    assert.partialDeepStrictEqual(later, { aud: '42' });
  });
});
