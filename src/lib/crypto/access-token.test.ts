import assert from 'node:assert/strict';
import { it } from 'node:test';

import { AccessToken } from './access-token.ts';

const REFUSED = { refused: 'by the vendor' };

it('concurrent callers share one request for an access token', async () => {
  const access = new AccessToken<typeof REFUSED>();
  let requestCount = 0;
  const requestToken = async () => {
    await Promise.resolve();
    return { token: `token-${++requestCount}`, seconds: 3600 };
  };
  const tokens = await Promise.all([1, 2, 3].map(async () => access.get(0, requestToken)));
  assert.deepEqual(tokens, ['token-1', 'token-1', 'token-1']);
  assert.equal(await access.get(3_539_000, requestToken), 'token-1');
});

it('an access token is refreshed shortly before it expires and after the vendor rejects it', async () => {
  const access = new AccessToken<typeof REFUSED>();
  let requestCount = 0;
  const requestToken = () => Promise.resolve({ token: `token-${++requestCount}`, seconds: 3600 });
  assert.equal(await access.get(0, requestToken), 'token-1');
  assert.equal(await access.get(3_540_000, requestToken), 'token-2');
  access.forget('token-1');
  assert.equal(await access.get(3_540_001, requestToken), 'token-2');
  access.forget('token-2');
  assert.equal(await access.get(3_540_002, requestToken), 'token-3');
});

it('a short-lived access token is used for half its lifetime', async () => {
  const access = new AccessToken<typeof REFUSED>();
  let requestCount = 0;
  const requestToken = () => Promise.resolve({ token: `token-${++requestCount}`, seconds: 60 });
  await access.get(0, requestToken);
  assert.equal(await access.get(29_999, requestToken), 'token-1');
  assert.equal(await access.get(30_000, requestToken), 'token-2');
});

it('a refusal goes to all waiting callers and is not cached', async () => {
  const access = new AccessToken<typeof REFUSED>();
  const refuse = () => Promise.resolve(REFUSED);
  const refusals = await Promise.all([1, 2].map(async () => access.get(0, refuse)));
  assert.deepEqual(refusals, [REFUSED, REFUSED]);
  assert.equal(await access.get(0, () => Promise.resolve({ token: 'a', seconds: 60 })), 'a');
});

it('a failed request for an access token is not cached', async () => {
  const access = new AccessToken<typeof REFUSED>();
  await assert.rejects(async () => access.get(0, () => Promise.reject(new Error('no answer'))));
  assert.equal(await access.get(0, () => Promise.resolve({ token: 'a', seconds: 60 })), 'a');
});
