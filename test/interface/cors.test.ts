import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startTestService } from '../support/service/service.ts';

const ORIGIN = 'https://app.example.com';
const environment = { SWITCHBOARD_CORS_ORIGINS: `${ORIGIN}, http://localhost:5173` };
const preflight = (origin: string) => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST' },
});

describe('cross-origin pages', () => {
  it('cross-origin pages may call the API when their origin is listed', async () => {
    await using sb = await startTestService('sqlite', { environment });
    const preflightResponse = await fetch(`${sb.url}/1/message`, preflight(ORIGIN));
    assert.equal(preflightResponse.status, 204);
    assert.equal(preflightResponse.headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(preflightResponse.headers.get('access-control-allow-methods'), 'POST');
    const names = preflightResponse.headers.get('access-control-allow-headers')?.split(', ');
    for (const name of ['authorization', 'content-type', 'idempotency-key']) {
      assert.ok(names?.includes(name), name);
    }
    assert.equal(preflightResponse.headers.get('access-control-allow-credentials'), null);
    const answered = await fetch(`${sb.url}/1/users/me`, {
      headers: { origin: ORIGIN, authorization: 'Bearer nothing' },
    });
    assert.equal(answered.status, 401);
    assert.equal(answered.headers.get('access-control-allow-origin'), ORIGIN);
    assert.match(answered.headers.get('access-control-expose-headers') ?? '', /\blink\b/);
    assert.equal(answered.headers.get('vary'), 'origin');
  });

  it('cross-origin pages may not call the API when their origin is not listed', async () => {
    await using listed = await startTestService('sqlite', { environment });
    await using unlisted = await startTestService('sqlite');
    for (const [url, origin] of [
      [listed.url, 'https://app.example.com.evil.example'],
      [listed.url, 'null'],
      [unlisted.url, ORIGIN],
    ] as const) {
      const preflightResponse = await fetch(`${url}/1/message`, preflight(origin));
      assert.equal(preflightResponse.status, 405);
      assert.equal(preflightResponse.headers.get('access-control-allow-origin'), null);
      const answered = await fetch(`${url}/1/channels`, { headers: { origin } });
      assert.equal(answered.headers.get('access-control-allow-origin'), null);
    }
  });

  it('cross-origin pages never reach the console, which authenticates by cookie', async () => {
    await using sb = await startTestService('sqlite', { environment });
    const preflightResponse = await fetch(`${sb.url}/console/session`, preflight(ORIGIN));
    assert.equal(preflightResponse.status, 405);
    assert.equal(preflightResponse.headers.get('access-control-allow-origin'), null);
  });
});
