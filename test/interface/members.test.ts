import assert from 'node:assert/strict';
import { it } from 'node:test';

import { onEachEngine } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';

onEachEngine('team members', (sb) => {
  const make = async () => {
    const { team, owner, api } = await sb().otherTeam();
    const email = `member-${team.id}@example.com`;
    const { body } = await api.post('/1/users', { email, state: 'enable', name: 'Member' });
    const user = await sb().store.users.get(body.id);
    assert.ok(user);
    const path = `/1/teams/${team.id}`;
    return { team, owner, user, email, api, path, member: sb().as(await sb().userToken(user)) };
  };

  it('team members are listed with addresses, roles and last activity', async () => {
    const { owner, user, email, member, api, path } = await make();
    const { body } = await api.get(`${path}/members`);
    const [first, second] = body.data;
    assert.deepEqual(
      [first.id, first.email, first.role, first.state, first.last_seen_at],
      [user.id, email, 'member', 'enable', null],
    );
    assert.deepEqual([second.id, second.email, second.role], [owner.id, owner.email, 'owner']);
    assert.ok(!('password' in first) && !('team_id' in first));
    await member.get('/1/users/me');
    await until('the activity is recorded', async () => {
      const page = await member.get(`${path}/members?limit=1`);
      return page.body.data[0].last_seen_at !== null;
    });
    const paged = await api.get(`${path}/members?limit=1`);
    assert.match(
      paged.headers.get('link') ?? '',
      /members\?limit=1&starting_after=\d+>; rel="next"/,
    );
  });

  it('team members are hidden from other teams', async () => {
    const { path } = await make();
    assert.equal((await sb().api.get(`${path}/members`)).status, 404);
  });

  it('team members can become the owner by a transfer, after which the old owner is an ordinary member', async () => {
    const { owner, user, api, member, path } = await make();
    assert.equal((await member.put(path, { owner_id: user.id })).status, 403);
    assert.equal((await api.put(path, { owner_id: user.id })).status, 204);
    assert.equal((await member.get(path)).body.owner_id, user.id);
    const back = await api.put(path, { owner_id: owner.id });
    assert.deepEqual([back.status, back.body.code], [403, 'not_team_owner']);
    assert.equal((await member.put(path, { name: 'Mine now' })).status, 204);
  });

  it('team members are removed by the owner with all their access and leave their applications and address', async () => {
    const { team, owner, user, email, api, member } = await make();
    const password = 'a long example password';
    await api.put(`/1/users/${user.id}`, { email, state: 'enable', password });
    const fields = { team_id: team.id, owner_id: user.id, state: 'enable' };
    const { body: application } = await member.post('/1/applications', fields);
    const { body: login } = await sb().as(undefined).post('/1/tokens', { email, password });

    const refused = await member.delete(`/1/users/${user.id}`);
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_team_owner']);
    const last = await api.delete(`/1/users/${owner.id}`);
    assert.deepEqual([last.status, last.body.code], [409, 'owns_team']);
    assert.equal((await sb().api.delete(`/1/users/${user.id}`)).status, 404);
    assert.equal((await member.get('/1/users/me')).status, 200);

    assert.equal((await api.delete(`/1/users/${user.id}`)).status, 204);
    assert.equal((await api.delete(`/1/users/${user.id}`)).status, 404);
    assert.equal((await member.get('/1/users/me')).status, 401);
    assert.equal((await sb().as(login.token).get('/1/users/me')).status, 401);
    assert.equal((await sb().as(undefined).post('/1/tokens', { email, password })).status, 401);
    const { body: kept } = await api.get(`/1/applications/${application.id}`);
    assert.equal(kept.owner_id, owner.id);
    assert.equal((await api.post('/1/users', { email, state: 'enable' })).status, 201);
  });

  it('team members can become the owner only while they are enabled and in the team', async () => {
    const { user, email, api, path, team } = await make();
    await api.put(`/1/users/${user.id}`, { email, state: 'disable' });
    for (const id of [user.id, sb().owner.id, 999_999, 'x']) {
      const reply = await api.put(path, { owner_id: id, name: 'Not taken' });
      assert.equal(reply.status, 422, String(id));
      assert.equal(reply.body.errors[0].pointer, '/owner_id');
    }
    assert.equal((await api.put(path, {})).status, 422);
    assert.equal((await api.get(path)).body.name, team.name, 'and nothing changed');
  });
});
