import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { before, it } from 'node:test';

import { type Route, requiresToken } from '../../src/http/server/route.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import type { TestService } from '../support/service/service.ts';
import { cookieFor, page } from '../support/service/session.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { encode, inAnHour, jwt } from './signed-tokens.ts';

/*
 * Every kind of caller on every route, derived from the route table, so that new routes are tested automatically.
 */
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Other malformed tokens are refused before the route matters: they are tried at one route of each kind. */
const EVERYWHERE = ['a bad signature', 'a revoked key', 'a disabled key'];

interface Case {
  caller: string;
  token: string | undefined;
  /** The expected error code; undefined when the caller has access. */
  expected(route: Route): string | undefined;
}

async function makeCases(sb: TestService): Promise<Case[]> {
  const { api, team, owner } = sb;
  const { application } = await sb.application();
  const keyOf = async (kind: 'users' | 'applications', id: number) =>
    (await api.post(`/1/keys/${kind}`, { resource_id: id, state: 'enable' })).body as {
      id: number;
      secret: string;
    };
  const userKey = await keyOf('users', owner.id);
  const appKey = await keyOf('applications', application.id);
  const claims = { iss: String(userKey.id), exp: inAnHour() };
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const rs256 = `${encode({ alg: 'RS256' })}.${encode(claims)}`;
  const revoked = await keyOf('users', owner.id);
  await api.delete(`/1/keys/users/${revoked.id}`);
  const { body: disabledKey } = await api.post('/1/keys/users', {
    resource_id: owner.id,
    state: 'disable',
  });
  const { body: member } = await api.post('/1/users', {
    email: `off-${owner.id}@example.com`,
    state: 'enable',
  });
  const offUser = await sb.store.users.get(member.id);
  assert.ok(offUser);
  const offUserToken = await sb.userToken(offUser);
  await api.put(`/1/users/${member.id}`, { email: offUser.email, state: 'disable' });
  const offApp = await sb.application();
  await api.delete(`/1/applications/${offApp.application.id}/disable`);

  const always = (code: string) => () => code;
  const needs = (kind: 'user' | 'application') => (route: Route) =>
    route.auth === kind || route.auth === 'either' ? undefined : 'wrong_token_kind';
  const sign256 = (change: Record<string, unknown>) =>
    jwt({ ...claims, ...change }, userKey.secret);
  return [
    { caller: 'nobody', token: undefined, expected: always('token_missing') },
    {
      caller: 'a bad signature',
      token: `${sign256({}).slice(0, -4)}AAAA`,
      expected: always('token_invalid'),
    },
    {
      caller: 'the wrong secret',
      token: jwt(claims, appKey.secret),
      expected: always('token_invalid'),
    },
    {
      caller: 'algorithm none',
      token: `${encode({ alg: 'none' })}.${encode(claims)}.`,
      expected: always('token_invalid'),
    },
    {
      caller: 'algorithm HS512',
      token: (() => {
        const content = `${encode({ alg: 'HS512' })}.${encode(claims)}`;
        return `${content}.${createHmac('sha512', userKey.secret).update(content).digest('base64url')}`;
      })(),
      expected: always('token_invalid'),
    },
    {
      caller: 'algorithm RS256',
      token: `${rs256}.${sign('sha256', Buffer.from(rs256), rsa.privateKey).toString('base64url')}`,
      expected: always('token_invalid'),
    },
    {
      caller: 'a key embedded in the header',
      token: jwt(claims, 'attacker', {
        alg: 'HS256',
        jwk: { kty: 'oct', k: Buffer.from('attacker').toString('base64url') },
        jku: 'https://attacker.example/keys',
        x5u: 'https://attacker.example/cert',
        kid: '../../dev/null',
      }),
      expected: always('token_invalid'),
    },
    {
      caller: 'no exp',
      token: jwt({ iss: claims.iss }, userKey.secret),
      expected: always('token_invalid'),
    },
    {
      caller: 'an expired token',
      token: sign256({ exp: Math.floor(Date.now() / 1000) - 120 }),
      expected: always('token_expired'),
    },
    {
      caller: 'a token not valid yet',
      token: sign256({ nbf: Math.floor(Date.now() / 1000) + 1_800 }),
      expected: always('token_invalid'),
    },
    {
      caller: 'a token issued in the future',
      token: sign256({ iat: Math.floor(Date.now() / 1000) + 1_800 }),
      expected: always('token_invalid'),
    },
    {
      caller: 'no iss',
      token: jwt({ exp: inAnHour() }, userKey.secret),
      expected: always('token_invalid'),
    },
    {
      caller: 'an unknown key',
      token: jwt({ iss: '999999', exp: inAnHour() }, userKey.secret),
      expected: always('token_invalid'),
    },
    { caller: 'nonsense', token: 'nonsense', expected: always('token_invalid') },
    { caller: 'a long token', token: 'x'.repeat(10_000), expected: always('token_invalid') },
    {
      caller: 'a revoked key',
      token: jwt({ iss: String(revoked.id), exp: inAnHour() }, revoked.secret),
      expected: always('token_invalid'),
    },
    {
      caller: 'a disabled key',
      token: jwt({ iss: String(disabledKey.id), exp: inAnHour() }, disabledKey.secret),
      expected: always('token_invalid'),
    },
    { caller: 'a user', token: sign256({}), expected: needs('user') },
    {
      caller: 'a user, iss as a number',
      token: sign256({ iss: userKey.id }),
      expected: needs('user'),
    },
    {
      caller: 'a user within the leeway',
      // Signed for each request: on a slow machine, all of them take longer than the leeway.
      get token() {
        return sign256({ exp: Math.floor(Date.now() / 1000) - 1 });
      },
      expected: needs('user'),
    },
    {
      caller: 'an application',
      token: jwt({ iss: String(appKey.id), exp: inAnHour() }, appKey.secret),
      expected: needs('application'),
    },
    {
      caller: 'a disabled user',
      token: offUserToken,
      expected: (route) =>
        needs('user')(route) ?? (route.evenDisabled ? undefined : 'user_disabled'),
    },
    {
      caller: 'a disabled application',
      token: offApp.app.token,
      expected: (route) =>
        needs('application')(route) ?? (route.evenDisabled ? undefined : 'application_disabled'),
    },
    { caller: `team ${team.id}`, token: (await sb.otherTeam()).api.token, expected: needs('user') },
  ];
}

onEachEngine('every route', (sb) => {
  let cases: Case[] = [];
  before(async () => {
    cases = await makeCases(sb());
  });

  it('grants or refuses access to every kind of caller', async () => {
    const routes = sb().service.routes.filter(({ auth }) => requiresToken(auth));
    assert.ok(routes.length >= 25);
    const kinds = Map.groupBy(routes, ({ auth, method }) => `${auth} ${method}`);
    const examples = new Set([...kinds.values()].map(([first]) => first));
    for (const route of routes) {
      const path = route.path.replaceAll(/:\w+/g, '999999999');
      for (const { caller, token, expected } of cases) {
        const wanted = expected(route);
        const isMalformed = wanted === 'token_invalid' && !EVERYWHERE.includes(caller);
        if (isMalformed && !examples.has(route)) continue;
        const { status, body, headers } = await sb().as(token).request(route.method, path);
        const where = `${route.method} ${route.path} by ${caller}`;
        if (wanted) {
          assert.equal(body?.code, wanted, where);
          if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Bearer/, where);
        } else {
          assert.ok(![401, 403].includes(status), `${where}: ${status}`);
        }
      }
    }
  });

  it('every route with a token starts with the version, /1', () => {
    for (const { path, auth } of sb().service.routes) {
      if (requiresToken(auth)) assert.match(path, /^\/1\//);
    }
  });

  it("every route with the console's cookie takes no token, and no other takes a cookie", async () => {
    const cookie = await cookieFor(sb());
    for (const route of sb().service.routes.filter(({ auth }) => auth !== 'none')) {
      const path = route.path.replaceAll(/:\w+/g, '999999999');
      const where = `${route.method} ${route.path}`;
      if (requiresToken(route.auth)) {
        const { body } = await sb().as(undefined).with(cookie).request(route.method, path);
        assert.equal(body?.code, 'token_missing', where);
        continue;
      }
      assert.match(path, /^\/console\//);
      for (const { caller, token } of cases) {
        const client = page(sb()).with(token === undefined ? {} : bearer(token));
        const { body } = await client.request(route.method, path);
        assert.equal(body?.code, 'session_missing', `${where} by ${caller}`);
      }
    }
  });

  it('every route without a token answers without one', async () => {
    for (const route of sb().service.routes.filter(
      ({ auth, method, path }) => auth === 'none' && method === 'GET' && !path.includes(':'),
    )) {
      const path = route.path.replace('/docs/*', '/docs/channels/irc');
      const { status } = await sb().as(undefined).get(path);
      assert.equal(status, route.success.status, path);
    }
  });

  it('answers the same for foreign and for missing resources', async () => {
    const mine = await sb().application();
    await integrate(mine.app, mine.application.id);
    const other = await sb().otherTeam();
    const theirs = await belongings(sb(), other.api, other.team.id, other.owner.id);
    for (const route of sb().service.routes) {
      if (!route.path.includes(':id') || !requiresToken(route.auth)) continue;
      const client = route.auth === 'user' ? sb().api : mine.app;
      const ids = theirs.filter(({ at }) => route.path.startsWith(at));
      assert.ok(ids.length > 0, `${route.path}: create a foreign resource for it`);
      const call = (id: number) =>
        client.request(route.method, route.path.replace(':id', String(id)), {
          ...(route.body && !route.bodyOptional && { json: route.example }),
        });
      const absent = await call(999_999_999);
      for (const { id } of ids) {
        const foreign = await call(id);
        const plain = ({ status, body }: typeof foreign) => [status, { ...body, request_id: '' }];
        assert.deepEqual(plain(foreign), plain(absent), `${route.method} ${route.path}`);
        assert.ok(
          foreign.status === 404 || (foreign.status === 200 && foreign.body.data.length === 0),
        );
      }
    }
    for (const { id, at } of theirs.filter(({ at: path }) => path === '/1/applications/')) {
      assert.equal(
        (await other.api.get(`${at}${id}`)).status,
        200,
        'and the attempts had no effect',
      );
    }
  });

  it('refuses a revoked key at once', async () => {
    const { application } = await sb().application();
    const { body: key } = await sb().api.post('/1/keys/applications', {
      resource_id: application.id,
      state: 'enable',
    });
    assert.equal(key.expires_at, null);
    const app = sb().as(jwt({ iss: String(key.id), exp: inAnHour() }, key.secret));
    assert.equal((await app.get('/1/messages')).status, 200);
    const { body: shown } = await sb().api.get(`/1/keys/applications/${key.id}`);
    assert.ok(!('secret' in shown), 'a secret is shown once');
    assert.equal((await sb().api.delete(`/1/keys/applications/${key.id}`)).status, 204);
    assert.equal((await app.get('/1/messages')).status, 401);
    assert.equal((await sb().api.delete(`/1/keys/applications/${key.id}`)).status, 404);
  });

  it('hides the keys of colleagues from members', async () => {
    const { team, api } = sb();
    const { body } = await api.post('/1/users', {
      email: `m-${Date.now()}-${team.id}@example.com`,
      state: 'enable',
    });
    const member = await sb().store.users.get(body.id);
    assert.ok(member);
    const memberApi = sb().as(await sb().userToken(member));
    const { body: ownersKey } = await api.post('/1/keys/users', {
      resource_id: sb().owner.id,
      state: 'enable',
    });
    assert.equal((await memberApi.get(`/1/keys/users/${ownersKey.id}`)).status, 404);
    assert.equal((await memberApi.delete(`/1/keys/users/${ownersKey.id}`)).status, 404);
    const made = await memberApi.post('/1/keys/users', {
      resource_id: sb().owner.id,
      state: 'enable',
    });
    assert.deepEqual([made.status, made.body.code], [403, 'not_team_owner']);
    const seen = (await memberApi.get('/1/keys/users')).body.data;
    assert.ok(seen.every((key: { resource_id: number }) => key.resource_id === member.id));
    assert.deepEqual(
      (await memberApi.get(`/1/keys/users?resource_id=${sb().owner.id}`)).body.data,
      [],
    );
    assert.equal(
      (await memberApi.post('/1/keys/users', { resource_id: member.id, state: 'enable' })).status,
      201,
    );
    const foreign = await sb().otherTeam();
    for (const id of [foreign.owner.id, 999_999]) {
      assert.equal(
        (await memberApi.post('/1/keys/users', { resource_id: id, state: 'enable' })).status,
        422,
      );
    }
  });
});

/** One resource of every kind of another team, with the paths of its ids. */
async function belongings(sb: TestService, api: Client, teamId: number, ownerId: number) {
  const { body: application } = await api.post('/1/applications', {
    team_id: teamId,
    owner_id: ownerId,
    state: 'enable',
  });
  const app = sb.as(await sb.applicationToken(application.id, teamId));
  const integration = await integrate(app, application.id);
  const { body: sent } = await app.post('/1/message', message());
  const { body: job } = await app.post('/1/messages/resend', { filter: {} });
  const stop = { family: 'sms', address: '+15558675310', state: 'revoked' };
  const { body: consent } = await app.post('/1/consents', stop);
  const { body: template } = await app.post('/1/templates', {
    name: 'order_shipped',
    default_language: 'en',
    contents: { en: { content: 'Hello' } },
  });
  const { body: pool } = await app.post('/1/pools', {
    name: 'chat',
    members: [{ integration_id: integration.id }],
  });
  const change = { integrationId: integration.id, recipient: '42', unread: 1, lastAt: 1 };
  const last = { name: null, lastEvent: 1, lastMessage: null, received: [] };
  await sb.store.conversations.start(application.id);
  await sb.store.conversations.apply(application.id, { from: 0, to: 1, count: 0 }, [
    { ...change, ...last },
  ]);
  const [conversation] = (await sb.store.conversations.list(application.id, { limit: 1 })).items;
  const { body: contact } = await app.post('/1/contacts', {
    addresses: [{ channel: 'sms', address: '+15558675310' }],
  });
  const file = { raw: 'external_id\na\n', headers: { 'content-type': 'text/csv' } };
  const { body: imported } = await app.post('/1/contact-imports', undefined, file);
  const key = async (kind: string, id: number) =>
    (await api.post(`/1/keys/${kind}`, { resource_id: id, state: 'enable' })).body.id as number;
  const event = { type: 'message.sent', data: '{}', media: null, createdAt: 0 } as const;
  await sb.store.events.append([{ ...event, applicationId: application.id }]);
  return [
    { at: '/1/events/', id: await sb.store.events.last(application.id) },
    { at: '/1/applications/', id: application.id as number },
    { at: '/1/integrations/', id: integration.id },
    { at: '/1/sandbox/', id: integration.id },
    { at: '/1/messages/', id: sent.id as number },
    { at: '/1/consents/', id: consent.id as number },
    { at: '/1/contacts/', id: contact.id as number },
    { at: '/1/contact-imports/', id: imported.id as number },
    { at: '/1/conversations/', id: conversation?.id ?? 0 },
    { at: '/1/templates/', id: template.id as number },
    { at: '/1/pools/', id: pool.id as number },
    { at: '/1/jobs/', id: job.id as number },
    { at: '/1/users/', id: ownerId },
    { at: '/1/teams/', id: teamId },
    { at: '/1/invitations/', id: (await api.post('/1/invitations', {})).body.id as number },
    { at: '/1/keys/applications/', id: await key('applications', application.id) },
    { at: '/1/keys/users/', id: await key('users', ownerId) },
  ];
}
