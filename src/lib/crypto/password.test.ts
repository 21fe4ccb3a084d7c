import assert from 'node:assert/strict';
import * as crypto from 'node:crypto';
import { describe, it } from 'node:test';

import { hashPassword, needsRehash, pretendToVerify, verifyPassword } from './password.ts';

const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** A hash as a Node without argon2 creates it. */
function scryptPhc(password: string, { ln = 15, r = 8, p = 3 } = {}): string {
  const salt = crypto.randomBytes(16);
  const N = 2 ** ln;
  const hash = crypto.scryptSync(password, salt, 32, { N, r, p, maxmem: 256 * N * r });
  return `$scrypt$ln=${ln},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
}

function argon2Phc(password: string, memory: number, passes: number, parallelism: number): string {
  const nonce = crypto.randomBytes(16);
  const hash = crypto.argon2Sync('argon2id', {
    message: password,
    nonce,
    memory,
    passes,
    parallelism,
    tagLength: 32,
  });
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(hash)}`;
}

describe('password', () => {
  it('password is stored as argon2id with 19 MiB, two passes and one lane, in PHC format', async () => {
    const phc = await hashPassword('correct horse');
    const [, salt = '', hash = ''] = PHC.exec(phc) ?? assert.fail(phc);
    assert.equal(Buffer.from(salt, 'base64').length, 16);
    const again = crypto.argon2Sync('argon2id', {
      message: 'correct horse',
      nonce: Buffer.from(salt, 'base64'),
      memory: 19 * 1024,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    });
    assert.equal(hash, base64(again));
    assert.equal(needsRehash(phc), false);
  });

  it('password gets a new salt each time', async () => {
    assert.notEqual(await hashPassword('same'), await hashPassword('same'));
  });

  it('matches itself only', async () => {
    const phc = await hashPassword('pässword 😀');
    assert.equal(await verifyPassword('pässword 😀', phc), true);
    for (const wrong of ['', 'pässword', 'Pässword 😀', 'pässword 😀 ', phc]) {
      assert.equal(await verifyPassword(wrong, phc), false, wrong);
    }
  });

  it('password does not match a truncated or altered hash', async () => {
    const phc = await hashPassword('password');
    const [, salt = '', hash = ''] = PHC.exec(phc) ?? assert.fail(phc);
    for (const changed of [
      phc.slice(0, -1),
      phc.slice(0, -hash.length),
      phc.replace(salt, base64(crypto.randomBytes(16))),
      `${phc}A`,
      `${phc}$`,
    ]) {
      assert.equal(await verifyPassword('password', changed), false, changed);
    }
  });

  it('stored with scrypt still matches and needs a rehash', async () => {
    const phc = scryptPhc('from before');
    assert.equal(await verifyPassword('from before', phc), true);
    assert.equal(await verifyPassword('from after', phc), false);
    assert.equal(needsRehash(phc), true);
    assert.equal(await verifyPassword('cheap', scryptPhc('cheap', { ln: 10, p: 1 })), true);
  });

  it('stored with other cost parameters matches and needs a rehash', async () => {
    for (const [memory, passes, lanes] of [
      [8 * 1024, 2, 1],
      [19 * 1024, 1, 1],
      [19 * 1024, 2, 2],
      [19 * 1024, 3, 1],
    ] as const) {
      const phc = argon2Phc('password', memory, passes, lanes);
      assert.equal(await verifyPassword('password', phc), true, phc);
      assert.equal(await verifyPassword('Password', phc), false, phc);
      assert.equal(needsRehash(phc), true, phc);
    }
  });

  it('stored in an unknown format is an error, not a mismatch', async () => {
    for (const phc of [
      '',
      'password',
      '$2b$10$abcdefghijklmnopqrstuv',
      '$argon2i$v=19$m=8,t=1,p=1$YQ$YQ',
    ]) {
      await assert.rejects(verifyPassword('password', phc), phc);
    }
  });

  it('verification without an account always fails', async () => {
    assert.equal(await pretendToVerify('password'), false);
  });
});
