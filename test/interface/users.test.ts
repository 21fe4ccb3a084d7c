import assert from 'node:assert/strict';
import { it } from 'node:test';

import { SignIn } from '../../src/http/auth/sign-in.ts';
import { systemClock } from '../../src/lib/runtime/clock.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

onEachEngine('users', (sb) => {
  /** A member of a separate team, and the team's owner. */
  const make = async () => {
    const { team, owner, api } = await sb().otherTeam();
    const email = `member-${team.id}@example.com`;
    const { body } = await api.post('/1/users', {
      email,
      state: 'enable',
      name: 'Member',
      password: 'a long password',
    });
    const user = await sb().store.users.get(body.id);
    assert.ok(user);
    return {
      team,
      owner,
      ownerApi: api,
      user,
      email,
      memberApi: sb().as(await sb().userToken(user)),
    };
  };

  it('users get their own account as the bare object, without email and password', async () => {
    const { user, team, memberApi } = await make();
    const { status, body } = await memberApi.get('/1/users/me');
    assert.equal(status, 200);
    const { created_at, updated_at, ...rest } = body;
    assert.ok(created_at && updated_at);
    assert.deepEqual(rest, { id: user.id, team_id: team.id, name: 'Member', state: 'enable' });
  });

  it('users get their own account even when they are disabled', async () => {
    const { user, ownerApi, memberApi, email } = await make();
    assert.equal(
      (await ownerApi.put(`/1/users/${user.id}`, { email, state: 'disable' })).status,
      204,
    );
    const { status, body } = await memberApi.get('/1/users/me');
    assert.deepEqual([status, body.state], [200, 'disable']);
    assert.equal((await memberApi.get('/1/applications')).status, 403);
  });

  it('users update their account with user/json, email and state required, and get 204', async () => {
    const { user, team, email, memberApi } = await make();
    const path = `/1/users/${user.id}`;
    const headers = { 'content-type': 'user/json' };
    const change = { email, state: 'enable', name: 'New Name', team_id: team.id };
    assert.equal((await memberApi.put(path, change, { headers })).status, 204);
    assert.equal((await memberApi.get('/1/users/me')).body.name, 'New Name');
    for (const field of ['email', 'state'] as const) {
      const { [field]: _, ...rest } = change;
      const { status, body } = await memberApi.put(path, rest);
      assert.equal(status, 422);
      assert.deepEqual([body.errors.length, body.errors[0].pointer], [1, `/${field}`]);
    }
  });

  it('users may send their own team_id and no other', async () => {
    const { user, email, memberApi } = await make();
    const { status, body } = await memberApi.put(`/1/users/${user.id}`, {
      email,
      state: 'enable',
      team_id: sb().team.id,
    });
    assert.equal(status, 422);
    assert.equal(body.errors[0].pointer, '/team_id');
  });

  it('users return an error when the id to update does not exist or belongs to another team', async () => {
    const { memberApi, ownerApi } = await make();
    for (const api of [memberApi, ownerApi]) {
      for (const id of [999_999, sb().owner.id, 'abc']) {
        const reply = await api.put(`/1/users/${id}`, { email: 'x@example.com', state: 'enable' });
        assert.equal(reply.status, 404);
      }
    }
  });

  it('users are updated by themselves and by the owner of the team only', async () => {
    const { owner, user, email, ownerApi, memberApi } = await make();
    assert.equal(
      (await ownerApi.put(`/1/users/${user.id}`, { email, state: 'enable' })).status,
      204,
    );
    const reply = await memberApi.put(`/1/users/${owner.id}`, {
      email: 'mine@example.com',
      state: 'enable',
    });
    assert.deepEqual([reply.status, reply.body.code], [403, 'not_team_owner']);
  });

  it("users are added by the team's owner only, and listed", async () => {
    const { owner, user, ownerApi, memberApi } = await make();
    const { body } = await memberApi.get('/1/users');
    assert.deepEqual(
      body.data.map((item: { id: number }) => item.id),
      [user.id, owner.id],
    );
    const refused = await memberApi.post('/1/users', {
      email: 'friend@example.com',
      state: 'enable',
    });
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_team_owner']);
    const { headers } = await ownerApi.post('/1/users', {
      email: `third-${user.id}@example.com`,
      state: 'enable',
    });
    assert.equal((await memberApi.get(headers.get('location') ?? '')).status, 200);
  });

  it('users have a unique email address, case-insensitive', async () => {
    const { user, email, ownerApi, memberApi } = await make();
    const again = await ownerApi.post('/1/users', { email: email.toUpperCase(), state: 'enable' });
    assert.deepEqual([again.status, again.body.code], [409, 'email_taken']);
    const { body: third } = await ownerApi.post('/1/users', {
      email: `x${email}`,
      state: 'enable',
    });
    const stolen = await ownerApi.put(`/1/users/${third.id}`, { email, state: 'enable' });
    assert.equal(stolen.status, 409);
    assert.equal(
      (await memberApi.put(`/1/users/${user.id}`, { email, state: 'enable' })).status,
      204,
    );
  });

  it('users never see an email address or password in any response', async () => {
    const { user, email, ownerApi, memberApi } = await make();
    await memberApi.put(`/1/users/${user.id}`, {
      email,
      state: 'enable',
      password: 'another password',
    });
    for (const path of ['/1/users/me', '/1/users', `/1/users/${user.id}`]) {
      const { text } = await ownerApi.get(path);
      assert.doesNotMatch(text, /email|password|@|argon2/i, path);
    }
  });

  it('users sign in with email and password, and sign out by revoking the key of that token', async () => {
    const { email } = await make();
    const open = sb().as(undefined);
    const { status, body, headers } = await open.post('/1/tokens', {
      email: email.toUpperCase(),
      password: 'a long password',
    });
    assert.equal(status, 201);
    assert.match(body.expires_at, /^\d{4}-\d{2}-\d{2}T/);
    const session = sb().as(body.token);
    assert.equal((await session.get('/1/users/me')).status, 200);
    assert.equal((await session.delete(headers.get('location') ?? '')).status, 204);
    assert.equal((await session.get('/1/users/me')).status, 401);
  });

  it('users are refused with a wrong password and rate limited when they guess', async () => {
    const { email } = await make();
    const open = sb().as(undefined);
    const guess = (password: string) => open.post('/1/tokens', { email, password });
    for (let i = 0; i < 10; i++) assert.equal((await guess(`wrong ${i}`)).status, 401);
    const refused = await guess('a long password');
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(
      (await open.post('/1/tokens', { email: 'nobody@example.com', password: 'x' })).status,
      401,
    );
    assert.equal((await open.post('/1/tokens', { email })).status, 422);
  });

  it('users are rate limited also when they guess many times at once', async () => {
    const { email } = await make();
    const open = sb().as(undefined);
    const guesses = Array.from({ length: 40 }, (_, i) =>
      open.post('/1/tokens', { email, password: `wrong ${i}` }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assert.ok(statuses.filter((status) => status === 401).length <= 10);
    assert.ok(statuses.includes(429));
  });

  it('users cannot sign in while they are disabled', async () => {
    const { user, email, ownerApi } = await make();
    await ownerApi.put(`/1/users/${user.id}`, { email, state: 'disable' });
    const reply = await sb()
      .as(undefined)
      .post('/1/tokens', { email, password: 'a long password' });
    assert.deepEqual([reply.status, reply.body.code], [403, 'user_disabled']);
  });

  it('users cannot use a sign-in link from before their password was set', async () => {
    const { user, email, ownerApi } = await make();
    const code = await new SignIn(sb().store, systemClock).createLink(user.id);
    await ownerApi.put(`/1/users/${user.id}`, {
      email,
      state: 'enable',
      password: 'a new password',
    });
    assert.equal((await sb().as(undefined).post('/1/tokens', { code })).status, 401);
  });

  it('users get an email address once, also when two requests use it at the same time', async () => {
    const { user, owner, ownerApi } = await make();
    const email = `wanted-${user.id}@example.com`;
    const replies = await Promise.all(
      [user.id, owner.id].map((id) => ownerApi.put(`/1/users/${id}`, { email, state: 'enable' })),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 409]);
  });

  it('users have names without control characters', async () => {
    const { user, email, memberApi } = await make();
    const reply = await memberApi.put(`/1/users/${user.id}`, {
      email,
      state: 'enable',
      name: 'a\u001b[31mb',
    });
    assert.equal(reply.status, 422);
  });

  it('users end their other sessions with a new password and keep the current one', async () => {
    const { user, email } = await make();
    const open = sb().as(undefined);
    const signIn = async (password: string) =>
      sb().as((await open.post('/1/tokens', { email, password })).body.token);
    const first = await signIn('a long password');
    const second = await signIn('a long password');
    assert.equal(
      (
        await second.put(`/1/users/${user.id}`, {
          email,
          state: 'enable',
          password: 'a new password',
        })
      ).status,
      204,
    );
    assert.equal((await first.get('/1/users/me')).status, 401);
    assert.equal((await second.get('/1/users/me')).status, 200);
    assert.equal((await (await signIn('a new password')).get('/1/users/me')).status, 200);
    assert.equal(
      (await open.post('/1/tokens', { email, password: 'a long password' })).status,
      401,
    );
  });

  it('users have a team, which its owner renames', async () => {
    const { team, ownerApi, memberApi } = await make();
    const path = `/1/teams/${team.id}`;
    assert.equal((await memberApi.get(path)).body.owner_id, team.ownerId);
    assert.equal((await memberApi.put(path, { name: 'Mine' })).status, 403);
    assert.equal((await ownerApi.put(path, { name: 'Engines' })).status, 204);
    assert.equal((await memberApi.get(path)).body.name, 'Engines');
    assert.equal((await memberApi.get(`/1/teams/${sb().team.id}`)).status, 404);
    assert.equal(
      (await ownerApi.put(`/1/teams/${sb().team.id}`, { name: 'Ours now' })).status,
      404,
    );
  });
});
