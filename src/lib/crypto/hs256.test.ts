import assert from 'node:assert/strict';
import { it } from 'node:test';

import { SignJWT, jwtVerify } from 'jose';

import { isSignedWith, readJwt, signHs256 } from './hs256.ts';

const SECRET = 'a secret of 32 bytes or more, at least';
const key = Buffer.from(SECRET);

const isGood = (token: string) => {
  const jwt = readJwt(token);
  return jwt !== undefined && isSignedWith(jwt, SECRET);
};
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

it('another implementation verifies a signed token', async () => {
  const token = signHs256({ iss: '7', name: 'Zoë' }, SECRET);
  const { payload, protectedHeader } = await jwtVerify(token, key);
  assert.deepEqual(payload, { iss: '7', name: 'Zoë' });
  assert.deepEqual(protectedHeader, { alg: 'HS256', typ: 'JWT' });
});

it('a token of another implementation is verified and read', async () => {
  const token = await new SignJWT({ name: 'Zoë' }).setProtectedHeader({ alg: 'HS256' }).sign(key);
  assert.ok(isGood(token));
  assert.deepEqual(readJwt(token)?.claims, { name: 'Zoë' });
});

it('another secret, algorithm or signature and any critical header is refused', async () => {
  const token = signHs256({ iss: '7' }, SECRET);
  const [head, body, signature = ''] = token.split('.');
  assert.equal(isGood(signHs256({ iss: '7' }, `${SECRET}.`)), false);
  assert.equal(isGood(`${head}.${part({ iss: '8' })}.${signature}`), false);
  assert.equal(isGood(`${part({ alg: 'none' })}.${body}.`), false);
  assert.equal(isGood(`${head}.${body}.`), false);
  // Another way to write the same bytes.
  assert.equal(isGood(`${head}.${body}.${signature}=`), false);
  const hs512 = await new SignJWT({}).setProtectedHeader({ alg: 'HS512' }).sign(Buffer.alloc(64));
  assert.equal(isGood(hs512), false);
  const critical = new SignJWT({}).setProtectedHeader({ alg: 'HS256', crit: ['x'], x: 1 });
  assert.equal(isGood(await critical.sign(key, { crit: { x: false } })), false);
});

it('a malformed JWT is refused', () => {
  for (const text of [
    '',
    'a',
    'a.b',
    'a.b.c',
    `${part([])}.${part({})}.x`,
    `${part({})}.e30.x.y`,
  ]) {
    assert.equal(readJwt(text), undefined, text);
  }
});
