import assert from 'node:assert/strict';
import { it } from 'node:test';

import { signToken } from '../../src/http/auth/tokens.ts';
import { startTestService } from '../support/service/service.ts';

it('only a caller over the rate limit gets 429 with Retry-After', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_RATE_LIMIT: '1' },
  });
  const other = await sb.otherTeam();
  // Another token of the same user is the same caller.
  const again = sb.as(await sb.userToken(sb.owner));
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, i) => (i % 2 ? sb.api : again).get('/1/users/me')),
  );
  const limited = replies.filter(({ status }) => status === 429);
  // Even a slow machine is too fast for all of them to be within the limit.
  assert.ok(limited.length >= 10 && limited.length < 30, `${limited.length} of 30`);
  for (const { headers, body } of limited) {
    assert.ok(Number(headers.get('retry-after')) >= 1);
    assert.equal(body.code, 'rate_limited');
  }
  assert.equal((await other.api.get('/1/users/me')).status, 200);
});

it('keys overlap during a rotation and show their last use', async () => {
  await using sb = await startTestService('sqlite');
  const { application } = await sb.application();
  const makeKey = async () =>
    (await sb.api.post('/1/keys/applications', { resource_id: application.id, state: 'enable' }))
      .body;
  const clientOf = async ({ id, secret }: { id: number; secret: string }) =>
    sb.as(signToken(id, secret, Date.now(), Date.now() + 60_000));
  const old = await makeKey();
  assert.equal(old.last_used_at, null);
  const before = await clientOf(old);
  assert.equal((await before.get('/1/messages')).status, 200);
  const next = await clientOf(await makeKey());
  assert.deepEqual(
    [(await before.get('/1/messages')).status, (await next.get('/1/messages')).status],
    [200, 200],
  );
  await sb.api.delete(`/1/keys/applications/${old.id}`);
  assert.deepEqual(
    [(await before.get('/1/messages')).status, (await next.get('/1/messages')).status],
    [401, 200],
  );
  const { body } = await sb.api.get(`/1/keys/applications?resource_id=${application.id}`);
  const used = body.data.filter(
    (key: { last_used_at: string | null }) => key.last_used_at !== null,
  );
  assert.ok(used.length > 0);
  assert.ok(body.data.every((key: object) => !('secret' in key)));
});

it('HEAD answers like GET without a body', async () => {
  await using sb = await startTestService('sqlite');
  const response = await fetch(`${sb.url}/1/users/me`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${sb.api.token}` },
  });
  assert.equal(response.status, 200);
  assert.equal(await response.text(), '');
});
