import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { SignIn } from '../../src/http/auth/sign-in.ts';
import { systemClock } from '../../src/lib/runtime/clock.ts';
import { TestClock } from '../support/clock.ts';
import { startTestService } from '../support/service/service.ts';
import { cookieFor, cookieOf, page, signedIn, tokenOf } from '../support/service/session.ts';
import { ENGINES } from '../support/store/databases.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'a long password';
const HOUR_MS = 3_600_000;

onEachEngine('console: sessions', (sb) => {
  /** A member of a separate team. */
  const make = async () => {
    const { team, api } = await sb().otherTeam();
    const email = `member-${team.id}@example.com`;
    const { body } = await api.post('/1/users', { email, state: 'enable', password: PASSWORD });
    const user = await sb().store.users.get(body.id);
    assert.ok(user);
    return { team, user, email, ownerApi: api };
  };

  it('a session starts with email and password and returns the user', async () => {
    const { team, user, email } = await make();
    const reply = await page(sb()).post('/console/session', { email, password: PASSWORD });
    assert.equal(reply.status, 201);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    const console = page(sb()).with({ cookie: cookieOf(reply) ?? '' });
    const { body } = await console.get('/console/session');
    assert.deepEqual(body, reply.body);
    const { version, expires_at, ...rest } = body;
    assert.deepEqual(rest, {
      user: {
        id: user.id,
        name: user.name,
        email,
        team_id: team.id,
        owns_team: false,
        has_password: true,
      },
      team: { id: team.id, name: 'Team' },
      public_url: sb().url,
    });
    const days = (Date.parse(`${expires_at}Z`) - Date.now()) / 86_400_000;
    assert.ok(version && days > 13.9 && days <= 14);
  });

  it('a session starts once with the code of a link, without a password', async () => {
    const { owner } = sb();
    const code = await new SignIn(sb().store, systemClock).createLink(owner.id);
    const { status, body } = await page(sb()).post('/console/session', { code });
    assert.deepEqual([status, body.user.has_password, body.user.owns_team], [201, false, true]);
    const again = await page(sb()).post('/console/session', { code });
    assert.deepEqual([again.status, again.body.code], [401, 'login_failed']);
    const neither = await page(sb()).post('/console/session', {});
    assert.equal(neither.status, 422);
  });

  it('the session cookie is HttpOnly and SameSite=Strict', async () => {
    const { email } = await make();
    const login = { email, password: PASSWORD };
    const plain = await page(sb()).post('/console/session', login);
    assert.match(
      plain.headers.get('set-cookie') ?? '',
      /^switchboard=\d+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=1209600$/,
    );
    const fetched = { 'sec-fetch-site': 'same-origin' };
    const secure = await page(sb())
      .with({ origin: 'https://messages.example.com', ...fetched })
      .post('/console/session', login);
    assert.match(
      secure.headers.get('set-cookie') ?? '',
      /^__Host-switchboard=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/,
    );
    const open = await page(sb())
      .with({ origin: 'http://messages.example.com', ...fetched })
      .post('/console/session', login);
    assert.deepEqual([open.status, open.body.code], [403, 'https_needed']);
    assert.equal(open.headers.get('set-cookie'), null);
  });

  it('only a digest of the session secret is stored', async () => {
    const { cookie } = await cookieFor(sb());
    const [, secret = ''] = cookie.split('.');
    const rows = await sb().store.engine.db.selectFrom('sessions').selectAll().execute();
    assert.ok(rows.length > 0 && secret.length === 43);
    assert.ok(!JSON.stringify(rows).includes(secret));
  });

  it('session tokens last five minutes and end with the session', async () => {
    const { user } = await make();
    const console = await signedIn(sb(), user);
    const { status, body } = await console.post('/console/token');
    assert.equal(status, 201);
    const seconds = (Date.parse(`${body.expires_at}Z`) - Date.now()) / 1000;
    assert.ok(seconds > 290 && seconds <= 300);
    const api = sb().as(body.token);
    assert.equal((await api.get('/1/users/me')).body.id, user.id);
    const out = await console.delete('/console/session');
    assert.match(out.headers.get('set-cookie') ?? '', /^switchboard=; .*Max-Age=0$/);
    assert.equal((await api.get('/1/users/me')).status, 401);
    for (const reply of [
      await console.get('/console/session'),
      await console.post('/console/token'),
    ]) {
      assert.deepEqual([reply.status, reply.body.code], [401, 'session_missing']);
    }
  });

  it('signing in replaces the session of the browser', async () => {
    const { email } = await make();
    const login = { email, password: PASSWORD };
    const first = cookieOf(await page(sb()).post('/console/session', login)) ?? '';
    const console = page(sb()).with({ cookie: first });
    const second = cookieOf(await console.post('/console/session', login)) ?? '';
    assert.notEqual(first, second);
    assert.equal((await console.get('/console/session')).status, 401);
    assert.equal((await page(sb()).with({ cookie: second }).get('/console/session')).status, 200);
  });

  it('signing out everywhere ends all sessions and password tokens', async () => {
    const { user, email } = await make();
    const login = { email, password: PASSWORD };
    const { body } = await sb().as(undefined).post('/1/tokens', login);
    const other = await signedIn(sb(), user);
    const console = await signedIn(sb(), user);
    assert.equal((await console.delete('/console/sessions')).status, 204);
    for (const ended of [other, console]) {
      assert.equal((await ended.get('/console/session')).status, 401);
    }
    assert.equal((await sb().as(body.token).get('/1/users/me')).status, 401);
  });

  it('a changed password ends all sessions except the one that changed it', async () => {
    const { user, email } = await make();
    const other = await signedIn(sb(), user);
    const console = await signedIn(sb(), user);
    const api = sb().as(await tokenOf(console));
    const change = { email, state: 'enable', password: 'another long password' };
    assert.equal((await api.put(`/1/users/${user.id}`, change)).status, 204);
    assert.equal((await other.get('/console/session')).status, 401);
    assert.equal((await console.get('/console/session')).status, 200);
  });

  it('disabling a user ends their sessions for good', async () => {
    const { user, email, ownerApi } = await make();
    const console = await signedIn(sb(), user);
    const api = sb().as(await tokenOf(console));
    const set = (state: string) => ownerApi.put(`/1/users/${user.id}`, { email, state });
    await set('disable');
    assert.equal((await console.get('/console/session')).status, 401);
    assert.equal((await api.get('/1/applications')).status, 401);
    await set('enable');
    assert.equal((await console.get('/console/session')).status, 401);
  });

  it('a session is listed as a key of its user and ends when the key is revoked', async () => {
    const { user } = await make();
    const console = await signedIn(sb(), user);
    const api = sb().as(await tokenOf(console));
    const { body } = await api.get('/1/keys/users');
    await api.delete(`/1/keys/users/${body.data[0].id}`);
    assert.equal((await console.get('/console/session')).status, 401);
  });

  it('forged and malformed cookies open no session', async () => {
    const { cookie } = await cookieFor(sb());
    const [name, value = ''] = cookie.split('=');
    const [team, secret = ''] = value.split('.');
    const { team: foreign } = await sb().otherTeam();
    for (const wrong of [
      '',
      `${name}=`,
      `${name}=${team}`,
      `${name}=${team}.`,
      `${name}=${team}.${secret.slice(1)}x`,
      `${name}=${foreign.id}.${secret}`,
      `${name}=x.${secret}`,
      `other=${value}`,
      `${name}=%00.%00`,
    ]) {
      const reply = await page(sb()).with({ cookie: wrong }).get('/console/session');
      assert.deepEqual([reply.status, reply.body.code], [401, 'session_missing'], wrong);
    }
    const among = { cookie: `a=b; ${cookie}; c="d"` };
    assert.equal((await page(sb()).with(among).get('/console/session')).status, 200);
  });

  it('sessions are changed only by same-origin requests with a JSON body', async () => {
    const cookie = await cookieFor(sb());
    const refused = async (headers: Record<string, string>, code: string) => {
      for (const [method, path] of [
        ['POST', '/console/session'],
        ['POST', '/console/token'],
        ['DELETE', '/console/session'],
        ['DELETE', '/console/sessions'],
      ] as const) {
        const reply = await sb().as(undefined).with(cookie).request(method, path, { headers });
        assert.equal(reply.body.code, code, `${method} ${path} ${JSON.stringify(headers)}`);
      }
    };
    const json = { 'content-type': 'application/json' };
    const { url } = sb();
    await refused(json, 'foreign_origin');
    await refused({ ...json, origin: 'https://attacker.example' }, 'foreign_origin');
    await refused({ ...json, origin: 'null' }, 'foreign_origin');
    await refused({ ...json, origin: `${url}.attacker.example` }, 'foreign_origin');
    await refused({ ...json, origin: url.replace('http:', 'https:') }, 'foreign_origin');
    for (const site of ['cross-site', 'same-site', 'none']) {
      await refused({ ...json, origin: url, 'sec-fetch-site': site }, 'foreign_origin');
    }
    await refused({ origin: url }, 'unsupported_media_type');
    await refused({ origin: url, 'content-type': 'text/plain' }, 'unsupported_media_type');
    const kept = await page(sb()).with(cookie).get('/console/session');
    assert.equal(kept.status, 200, 'the session still works');
  });

  it('repeated wrong passwords are rate-limited', async () => {
    const { email } = await make();
    const guess = (password: string) => page(sb()).post('/console/session', { email, password });
    for (let i = 0; i < 10; i++) assert.equal((await guess(`wrong ${i}`)).status, 401);
    const reply = await guess(PASSWORD);
    assert.equal(reply.status, 429);
    assert.ok(Number(reply.headers.get('retry-after')) > 0);
  });
});

describe('console: session timeouts', () => {
  for (const engine of ENGINES) {
    it(`an idle session ends after 12 hours, and any session after 14 days (${engine})`, async () => {
      const clock = new TestClock();
      await using sb = await startTestService(engine, { clock });
      const open = async () => {
        const code = await new SignIn(sb.store, clock).createLink(sb.owner.id);
        const reply = await page(sb).post('/console/session', { code });
        return page(sb).with({ cookie: cookieOf(reply) ?? '' });
      };
      const [used, idle] = [await open(), await open()];
      const advance = (hours: number) => clock.advance(hours * HOUR_MS);
      const statusOf = async (console: typeof used) =>
        (await console.get('/console/session')).status;
      advance(11.9);
      assert.equal(await statusOf(used), 200);
      advance(0.2);
      assert.deepEqual([await statusOf(used), await statusOf(idle)], [200, 401]);
      for (let hours = 12.1; hours < 14 * 24 - 12; hours += 10) {
        advance(10);
        assert.equal(await statusOf(used), 200, `after ${hours + 10} hours`);
      }
      advance(11);
      const { status, body } = await used.post('/console/token');
      if (status === 201) assert.ok(Date.parse(`${body.expires_at}Z`) <= clock.now() + 300_000);
      advance(2);
      assert.equal(await statusOf(used), 401);
    });
  }
});

it('a session ends on every node', async () => {
  await using first = await startTestService('postgres');
  await using second = await startTestService('postgres', { database: first.database });
  const cookie = await cookieFor(first);
  const there = page(second).with(cookie);
  const api = second.as(await tokenOf(there));
  assert.equal((await api.get('/1/applications')).status, 200);
  await page(first).with(cookie).delete('/console/session');
  assert.equal((await there.get('/console/session')).status, 401);
  await until('the session ends', async () => (await api.get('/1/applications')).status === 401);
});
