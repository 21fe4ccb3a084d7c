import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { TestService } from '../support/service/service.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;

onEachEngine('applications', (sb) => {
  const creation = (change: Record<string, unknown> = {}) => ({
    team_id: sb().team.id,
    owner_id: sb().owner.id,
    state: 'enable',
    ...change,
  });

  /** Creates applications of a team in sequence; returns their ids, newest first. */
  const makeSeveral = async (
    count: number,
    { api, team, owner }: Awaited<ReturnType<TestService['otherTeam']>>,
  ) => {
    const ids: number[] = [];
    for (let i = 0; i < count; i++) {
      const { body } = await api.post(
        '/1/applications',
        creation({ team_id: team.id, owner_id: owner.id }),
      );
      ids.unshift(body.id);
    }
    return ids;
  };

  it('applications are created with team_id, owner_id and state, and returned as the application object', async () => {
    const { status, body, headers } = await sb().api.post('/1/applications', creation());
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `/1/applications/${body.id}`);
    assert.deepEqual(Object.keys(body).toSorted(), [
      'created_at',
      'id',
      'name',
      'owner_id',
      'state',
      'team_id',
      'updated_at',
      'webhook_url',
    ]);
    assert.ok(Number.isSafeInteger(body.id));
    assert.match(body.created_at, TIMESTAMP);
    assert.match(body.updated_at, TIMESTAMP);
    assert.equal(body.team_id, sb().team.id);
    assert.equal(body.owner_id, sb().owner.id);
    assert.equal(body.state, 'enable');
    assert.equal(body.webhook_url, null, 'webhook_url is null when unset');
  });

  it('applications are created with and without the trailing slash, which never matters on any path', async () => {
    for (const path of ['/1/applications', '/1/applications/']) {
      assert.equal((await sb().api.post(path, creation())).status, 201);
    }
    const { body } = await sb().api.post('/1/applications', creation());
    for (const path of [
      '/1/applications/',
      `/1/applications/${body.id}/`,
      '/1/users/me/',
      '/1/channels/',
    ]) {
      assert.equal((await sb().api.get(path)).status, 200, path);
    }
    assert.equal((await sb().api.delete(`/1/applications/${body.id}/disable/`)).status, 204);
  });

  it('applications get a generated name of words and a number joined by hyphens', async () => {
    const { body } = await sb().api.post('/1/applications', creation());
    assert.match(body.name, /^[a-z]+(-[a-z]+)+-\d+$/);
  });

  it('applications have names of at least 6 user-perceived characters', async () => {
    const accepted = ['sixsix', 'ééáíóú', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', '  spaced  '];
    for (const name of accepted) {
      const { status, body } = await sb().api.post('/1/applications', creation({ name }));
      assert.equal(status, 201, name);
      assert.equal(body.name, name);
    }
    const refused = [
      'fives',
      '',
      'e\u0301e\u0301e\u0301e\u0301e\u0301',
      '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧',
      'five      ',
      '      ',
    ];
    for (const name of refused) {
      const { status, body } = await sb().api.post('/1/applications', creation({ name }));
      assert.equal(status, 422, JSON.stringify(name));
      assert.equal(body.errors[0].pointer, '/name');
    }
  });

  it('applications keep a webhook_url, which must be an http(s) URL', async () => {
    const webhook_url = 'https://example.com/hook?a=b';
    const { body } = await sb().api.post('/1/applications', creation({ webhook_url }));
    assert.equal(body.webhook_url, webhook_url);
    for (const wrong of [
      '',
      'nonsense',
      'ftp://example.com/',
      'javascript:alert(1)',
      'https://',
      7,
      {},
    ]) {
      const { status, body: problem } = await sb().api.post(
        '/1/applications',
        creation({ webhook_url: wrong }),
      );
      assert.equal(status, 422, String(wrong));
      assert.equal(problem.errors[0].pointer, '/webhook_url');
    }
  });

  it("applications must belong to the caller's team and to one of its users", async () => {
    const other = await sb().otherTeam();
    const cases: [Record<string, unknown>, string][] = [
      [{ team_id: other.team.id }, '/team_id'],
      [{ owner_id: other.owner.id }, '/owner_id'],
      [{ team_id: 999_999 }, '/team_id'],
      [{ owner_id: 999_999 }, '/owner_id'],
      [{ owner_id: sb().team.id }, '/owner_id'],
    ];
    for (const [change, pointer] of cases) {
      const { status, body } = await sb().api.post('/1/applications', creation(change));
      assert.equal(status, 422);
      assert.deepEqual(
        body.errors.map((error: { pointer: string }) => error.pointer),
        [pointer],
      );
    }
  });

  it('applications take ids as numbers or decimal strings, and read int64 beyond 2^53 without rounding', async () => {
    const asText = { team_id: String(sb().team.id), owner_id: String(sb().owner.id) };
    assert.equal((await sb().api.post('/1/applications', creation(asText))).status, 201);
    const raw = (id: string) => `{"team_id":${id},"owner_id":${sb().owner.id},"state":"enable"}`;
    const notAnId = await sb().api.post('/1/applications', undefined, { raw: raw('"1.5"') });
    for (const id of [
      '9007199254740993',
      '-9223372036854775808',
      '9223372036854775807',
      '"9007199254740993"',
    ]) {
      const { status, body } = await sb().api.post('/1/applications', undefined, { raw: raw(id) });
      assert.equal(status, 422);
      assert.equal(body.errors[0].pointer, '/team_id', 'a valid int64, but another team');
      assert.notEqual(body.errors[0].detail, notAnId.body.errors[0].detail);
    }
    for (const id of ['1.5', '"1.5"', 'true', 'null', '[]', '"12345678901234567890"', '1e400']) {
      const { status, body } = await sb().api.post('/1/applications', undefined, { raw: raw(id) });
      assert.ok([400, 422].includes(status), id);
      if (status === 422) assert.equal(body.errors[0].pointer, '/team_id', id);
    }
  });

  it('ignore fields that cannot be set', async () => {
    const { body } = await sb().api.post(
      '/1/applications',
      creation({ id: 7, created_at: '1999-01-01T00:00:00', unknown: 1, teamId: 5 }),
    );
    assert.notEqual(body.id, 7);
    assert.doesNotMatch(body.created_at, /^1999/);
    assert.equal(body.unknown, undefined);
  });

  it('applications are listed under data, newest first even within one second, up to a limit', async () => {
    const other = await sb().otherTeam();
    const { api } = other;
    assert.deepEqual((await api.get('/1/applications')).body, { data: [] }, 'an empty array');
    const ids = await makeSeveral(5, other);
    const all = await api.get('/1/applications');
    assert.deepEqual(
      all.body.data.map((item: { id: number }) => item.id),
      ids,
    );
    assert.deepEqual(Object.keys(all.body), ['data'], 'the body contains data and nothing else');
    assert.equal(all.headers.get('link'), null);
    assert.equal((await api.get('/1/applications?limit=2')).body.data.length, 2);
  });

  it('applications are paged by the Link header in both directions', async () => {
    const other = await sb().otherTeam();
    const { api } = other;
    const ids = await makeSeveral(5, other);
    const seen: number[] = [];
    let path: string | undefined = '/1/applications?limit=2';
    let lastPage = '';
    while (path) {
      const { body, headers } = await api.get(path);
      seen.push(...body.data.map((item: { id: number }) => item.id));
      lastPage = path;
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      path = next?.slice(api.url.length);
    }
    assert.deepEqual(seen, ids);
    const { body: after } = await api.get(`/1/applications?starting_after=${ids.at(-1)}`);
    assert.deepEqual(after, { data: [] }, 'an empty array when no more are available');
    const { headers } = await api.get(lastPage);
    const prev = /<([^>]+)>; rel="prev"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    const back = await api.get(prev.slice(api.url.length));
    assert.deepEqual(
      back.body.data.map((item: { id: number }) => item.id),
      ids.slice(2, 4),
    );
  });

  it('applications are found by part of their name, or by their id, page by page', async () => {
    const { api, team, owner } = await sb().otherTeam();
    const make = async (name: string) => {
      const fields = creation({ team_id: team.id, owner_id: owner.id, name });
      return Number((await api.post('/1/applications', fields)).body.id);
    };
    const [shop, sale, odd] = [
      await make('Shop-North'),
      await make('100%_sale!'),
      await make('Ünïcode-shop'),
    ];
    await sb().api.post('/1/applications', creation({ name: 'shop of another team' }));
    const found = async (search: string) => {
      const { body } = await api.get(`/1/applications?search=${encodeURIComponent(search)}`);
      return body.data.map(({ id }: { id: number }) => id);
    };
    assert.deepEqual(await found('SHOP'), [odd, shop]);
    assert.deepEqual(await found('  north '), [shop]);
    assert.deepEqual(await found('Ünï'), [odd]);
    assert.deepEqual(await found(String(sale)), [sale]);
    assert.deepEqual(await found(`#${sale}`), [sale]);
    const numbered = await make(`number ${sale}`);
    assert.deepEqual(await found(String(sale)), [numbered, sale]);
    assert.deepEqual(await found(`#${sale}`), [sale]);
    await api.delete(`/1/applications/${numbered}`);
    // Wildcards of SQL are text.
    for (const text of ['%', '_', '!']) assert.deepEqual(await found(text), [sale], text);
    for (const text of ['nowhere', '#', '#1', '\0', 'x'.repeat(201), '9'.repeat(30), '\\', "'"]) {
      assert.deepEqual(await found(text), [], text);
    }
    assert.deepEqual(await found(''), [odd, sale, shop]);
    const { body, headers } = await api.get('/1/applications?search=shop&limit=1');
    assert.deepEqual([body.data.length, body.data[0].id], [1, odd]);
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    const second = await api.get(next.slice(api.url.length));
    assert.deepEqual([second.body.data.length, second.body.data[0].id], [1, shop]);
  });

  it('applications are listed without an error for any limit or cursor', async () => {
    for (const limit of [
      '',
      '0',
      '-5',
      'many',
      '1e9',
      '9007199254740993',
      '%00',
      '1.5',
      '10000',
      '[]',
    ]) {
      assert.equal((await sb().api.get(`/1/applications?limit=${limit}`)).status, 200, limit);
    }
    for (const query of [
      'limit=2&limit=3',
      'starting_after=999999',
      'ending_before=999999',
      'a[b]=c',
    ]) {
      assert.equal((await sb().api.get(`/1/applications?${query}`)).status, 200, query);
    }
  });

  it('applications are listed correctly after one was deleted between pages', async () => {
    const other = await sb().otherTeam();
    const { api } = other;
    const ids = await makeSeveral(4, other);
    await api.delete(`/1/applications/${ids[1]}`);
    const { body } = await api.get(`/1/applications?starting_after=${ids[1]}`);
    assert.deepEqual(
      body.data.map((item: { id: number }) => item.id),
      ids.slice(2),
    );
  });

  it('applications are returned as the bare object', async () => {
    const { body: made } = await sb().api.post('/1/applications', creation());
    const { status, body } = await sb().api.get(`/1/applications/${made.id}`);
    assert.equal(status, 200);
    assert.deepEqual(body, made);
  });

  it('applications are deleted permanently with 204 and no body, and then do not exist', async () => {
    const { body: made } = await sb().api.post('/1/applications', creation());
    assert.equal((await sb().api.delete(`/1/applications/${made.id}`)).status, 204);
    for (const method of ['GET', 'DELETE'] as const) {
      assert.equal((await sb().api.request(method, `/1/applications/${made.id}`)).status, 404);
    }
    const { body: next } = await sb().api.post('/1/applications', creation());
    assert.ok(next.id > made.id, 'ids are never reused');
  });

  it('applications are deleted and disabled with a JSON content type and an empty body', async () => {
    const headers = { 'content-type': 'application/json' };
    const { body: made } = await sb().api.post('/1/applications', creation());
    assert.equal(
      (await sb().api.delete(`/1/applications/${made.id}/disable`, { headers })).status,
      204,
    );
    assert.equal((await sb().api.delete(`/1/applications/${made.id}`, { headers })).status, 204);
  });

  it('applications are deleted with their keys and integrations', async () => {
    const { application, app } = await sb().application();
    await app.post('/1/integrations', {
      application_id: application.id,
      name: 'webhook',
      state: 'enable',
    });
    assert.equal((await sb().api.delete(`/1/applications/${application.id}`)).status, 204);
    assert.equal((await app.get(`/1/applications/${application.id}/integrations`)).status, 401);
    const { body } = await sb().api.get(`/1/keys/applications?resource_id=${application.id}`);
    assert.deepEqual(body.data, []);
  });

  it('applications are disabled with 204, also twice, and then have the state disable', async () => {
    const { body: made } = await sb().api.post('/1/applications', creation());
    for (let i = 0; i < 2; i++) {
      assert.equal((await sb().api.delete(`/1/applications/${made.id}/disable`)).status, 204);
    }
    assert.equal((await sb().api.get(`/1/applications/${made.id}`)).body.state, 'disable');
  });

  it('applications return an error when the id to delete or disable does not exist or is not an int64', async () => {
    for (const id of [
      '999999',
      '0',
      '-1',
      'abc',
      '1.5',
      '99999999999999999999',
      '9007199254740993',
      '%00',
      '1e3',
    ]) {
      assert.equal((await sb().api.delete(`/1/applications/${id}`)).status, 404, id);
      assert.equal((await sb().api.delete(`/1/applications/${id}/disable`)).status, 404, id);
    }
  });

  it('applications are updated field by field', async () => {
    const { body: made } = await sb().api.post(
      '/1/applications',
      creation({ webhook_url: 'https://example.com/a' }),
    );
    const path = `/1/applications/${made.id}`;
    assert.equal((await sb().api.put(path, { name: 'renamed-it' })).status, 204);
    assert.deepEqual(
      { ...(await sb().api.get(path)).body, updated_at: made.updated_at },
      { ...made, name: 'renamed-it' },
    );
    await sb().api.put(path, { state: 'disable', webhook_url: null });
    const { body } = await sb().api.get(path);
    assert.deepEqual([body.state, body.webhook_url, body.name], ['disable', null, 'renamed-it']);
    assert.equal((await sb().api.put(path, { state: 'off' })).status, 422);
    assert.equal((await sb().api.put(path, { name: 'short' })).status, 422);
    assert.equal(
      (await sb().api.put('/1/applications/999999', { name: 'renamed-it' })).status,
      404,
    );
  });

  it('applications return their own identity with their own token, also when they are disabled', async () => {
    const { application, app } = await sb().application();
    assert.deepEqual((await app.get('/1/applications/me')).body, application);
    await sb().api.delete(`/1/applications/${application.id}/disable`);
    assert.equal((await app.get('/1/applications/me')).body.state, 'disable');
    assert.equal((await sb().api.get('/1/applications/me')).body.code, 'wrong_token_kind');
  });
});
