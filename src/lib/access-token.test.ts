import assert from 'node:assert/strict';
import { it } from 'node:test';

import { AccessToken } from './access-token.ts';

const REFUSED = { refused: 'by the vendor' };

it('is asked for once by all who want it at the same time', async () => {
  const access = new AccessToken<typeof REFUSED>();
  let asked = 0;
  const ask = async () => {
    await Promise.resolve();
    return { token: `token-${++asked}`, seconds: 3600 };
  };
  const tokens = await Promise.all([1, 2, 3].map(async () => access.get(0, ask)));
  assert.deepEqual(tokens, ['token-1', 'token-1', 'token-1']);
  assert.equal(await access.get(3_539_000, ask), 'token-1');
});

it('is asked for again shortly before it expires, and when the vendor has forgotten it', async () => {
  const access = new AccessToken<typeof REFUSED>();
  let asked = 0;
  const ask = () => Promise.resolve({ token: `token-${++asked}`, seconds: 3600 });
  assert.equal(await access.get(0, ask), 'token-1');
  assert.equal(await access.get(3_540_000, ask), 'token-2');
  access.forget('token-1');
  assert.equal(await access.get(3_540_001, ask), 'token-2');
  access.forget('token-2');
  assert.equal(await access.get(3_540_002, ask), 'token-3');
});

it('is good for half its time when that is short', async () => {
  const access = new AccessToken<typeof REFUSED>();
  let asked = 0;
  const ask = () => Promise.resolve({ token: `token-${++asked}`, seconds: 60 });
  await access.get(0, ask);
  assert.equal(await access.get(29_999, ask), 'token-1');
  assert.equal(await access.get(30_000, ask), 'token-2');
});

it('tells a refusal to all who wait, and asks again the next time', async () => {
  const access = new AccessToken<typeof REFUSED>();
  const refuse = () => Promise.resolve(REFUSED);
  const refusals = await Promise.all([1, 2].map(async () => access.get(0, refuse)));
  assert.deepEqual(refusals, [REFUSED, REFUSED]);
  assert.equal(await access.get(0, () => Promise.resolve({ token: 'a', seconds: 60 })), 'a');
});

it('does not remember a fault', async () => {
  const access = new AccessToken<typeof REFUSED>();
  await assert.rejects(async () => access.get(0, () => Promise.reject(new Error('no answer'))));
  assert.equal(await access.get(0, () => Promise.resolve({ token: 'a', seconds: 60 })), 'a');
});
