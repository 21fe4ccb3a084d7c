import assert from 'node:assert/strict';
import { it } from 'node:test';

import { signToken } from '../../src/http/auth/tokens.ts';
import { page, signedIn } from '../support/service/session.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';

const DAY = 24 * 3_600_000;
const PASSWORD = 'a long example password';

onEachEngine('members who leave a team', (sb) => {
  /** A team with an application, its owner, and a member with a password. */
  const make = async () => {
    const { team, owner, api } = await sb().otherTeam();
    const email = `member-${team.id}@example.com`;
    const fields = { email, state: 'enable', name: 'Member', password: PASSWORD };
    const { body } = await api.post('/1/users', fields);
    const user = await sb().store.users.get(body.id);
    assert.ok(user);
    const { body: application } = await api.post('/1/applications', {
      team_id: team.id,
      owner_id: owner.id,
      state: 'enable',
    });
    const member = sb().as(await sb().userToken(user));
    return { team, owner, api, email, user, member, application };
  };

  const status = async (token: string) => (await sb().as(token).get('/1/applications/me')).status;

  it('the owner of a team cannot disable or remove themselves', async () => {
    const { team, owner, api, user } = await make();
    const path = `/1/users/${owner.id}`;
    const disabled = await api.put(path, { email: owner.email, state: 'disable', name: 'Gone' });
    assert.deepEqual([disabled.status, disabled.body.code], [409, 'owns_team']);
    const removed = await api.delete(path);
    assert.deepEqual([removed.status, removed.body.code], [409, 'owns_team']);
    const { body } = await api.get('/1/users/me');
    assert.deepEqual([body.state, body.name], ['enable', owner.name], 'nothing changed');
    assert.equal((await api.put(path, { email: owner.email, state: 'enable' })).status, 204);
    // After another user owns the team, they can.
    await api.put(`/1/teams/${team.id}`, { owner_id: user.id });
    assert.equal((await api.put(path, { email: owner.email, state: 'disable' })).status, 204);
  });

  it('a team transferred while its new owner is being disabled keeps an active owner', async () => {
    for (let i = 0; i < 5; i++) {
      const { team, api, email, user, member } = await make();
      const [handed, disabled] = await Promise.all([
        api.put(`/1/teams/${team.id}`, { owner_id: user.id }),
        member.put(`/1/users/${user.id}`, { email, state: 'disable' }),
      ]);
      assert.deepEqual([handed.status, disabled.status].toSorted().at(0), 204);
      const found = await sb().store.teams.get(team.id);
      const owner = await sb().store.users.get(found?.ownerId ?? 0);
      assert.equal(owner?.state, 'enable');
    }
  });

  it('keys and tokens show their creator, purpose and last use', async () => {
    const { api, member, user, application } = await make();
    const minted = await member.post(`/1/applications/${application.id}/tokens`, {
      days: 7,
      label: 'Billing server',
    });
    const made = await member.post('/1/keys/applications', {
      resource_id: application.id,
      state: 'enable',
    });
    assert.deepEqual([made.body.created_by, made.body.label], [user.id, null]);
    const location = minted.headers.get('location') ?? '';
    const { body: unused } = await api.get(location);
    assert.deepEqual(
      [unused.created_by, unused.label, unused.purpose, unused.last_used_at],
      [user.id, 'Billing server', 'minted', null],
    );
    assert.equal(await status(minted.body.token), 200);
    await until('the use is recorded', async () => (await api.get(location)).body.last_used_at);
    const blank = { resource_id: application.id, state: 'enable', label: ' ' };
    assert.equal((await api.post('/1/keys/applications', blank)).status, 422);
  });

  it('removing a member lists their keys, and revokes them on request', async () => {
    const { api, member, user, application } = await make();
    const path = `/1/applications/${application.id}/tokens`;
    const theirs = await member.post(path);
    const others = await api.post(path);
    const list = () => api.get(`/1/keys/applications?created_by=${user.id}`);
    const { body } = await list();
    assert.deepEqual(
      body.data.map(({ created_by }: { created_by: number }) => created_by),
      [user.id],
    );
    assert.equal((await api.get('/1/keys/applications?created_by=x')).body.data.length, 0);
    assert.equal((await api.delete(`/1/users/${user.id}?revoke_keys=true`)).status, 204);
    assert.equal(await status(theirs.body.token), 401);
    assert.equal(await status(others.body.token), 200);
    assert.deepEqual((await list()).body.data, []);
  });

  it('removing a member otherwise keeps their keys, which still show their creator', async () => {
    const { api, member, user, application } = await make();
    const { body } = await member.post(`/1/applications/${application.id}/tokens`);
    await api.delete(`/1/users/${user.id}`);
    assert.equal(await status(body.token), 200);
    const kept = await api.get(`/1/keys/applications?created_by=${user.id}`);
    assert.equal(kept.body.data.length, 1);
  });

  it('signed tokens valid for more than a year are refused', async () => {
    const { api, application } = await make();
    const { body: key } = await api.post('/1/keys/applications', {
      resource_id: application.id,
      state: 'enable',
    });
    const signed = (days: number) =>
      signToken(key.id, key.secret, Date.now(), Date.now() + days * DAY);
    assert.equal(await status(signed(365)), 200);
    const reply = await sb().as(signed(366)).get('/1/applications/me');
    assert.deepEqual([reply.status, reply.body.code], [401, 'token_invalid']);
    const minted = await api.post(`/1/applications/${application.id}/tokens`, { days: 3650 });
    assert.equal(await status(minted.body.token), 200, 'the service shows the expiry itself');
  });

  it('the console changes a password only with the old one', async () => {
    const { user, email } = await make();
    const console = await signedIn(sb(), user);
    const change = (fields: object) => console.put('/console/password', fields);
    const password = 'another long password';
    for (const fields of [{ password }, { password, old_password: 'wrong' }]) {
      const reply = await change(fields);
      assert.equal(reply.status, 422);
      assert.equal(reply.body.errors[0].pointer, '/old_password');
    }
    assert.equal((await change({ password, old_password: PASSWORD })).status, 204);
    assert.equal((await console.get('/console/session')).status, 200);
    const enter = (text: string) => page(sb()).post('/console/session', { email, password: text });
    assert.deepEqual([(await enter(PASSWORD)).status, (await enter(password)).status], [401, 201]);
  });

  it('guessing the old password in the console is rate limited', async () => {
    const { user } = await make();
    const console = await signedIn(sb(), user);
    const guess = (i: number) =>
      console.put('/console/password', { password: 'a new password', old_password: `wrong ${i}` });
    for (let i = 0; i < 10; i++) assert.equal((await guess(i)).status, 422);
    assert.equal((await guess(10)).status, 429);
  });

  it('the console sets a first password without an old one', async () => {
    const { owner } = await make();
    const console = await signedIn(sb(), owner);
    assert.equal((await console.put('/console/password', { password: PASSWORD })).status, 204);
  });

  it("changing a password revokes the user's own keys on request", async () => {
    const { user, member } = await make();
    const console = await signedIn(sb(), user);
    const { body: key } = await member.post('/1/keys/users', {
      resource_id: user.id,
      state: 'enable',
    });
    const token = signToken(key.id, key.secret, Date.now(), Date.now() + 60_000);
    const change = (old: string, password: string, revoke: boolean) =>
      console.put('/console/password', { old_password: old, password, revoke_keys: revoke });
    const me = async () => (await sb().as(token).get('/1/users/me')).status;
    assert.equal((await change(PASSWORD, 'a second password', false)).status, 204);
    assert.equal(await me(), 200);
    assert.equal((await change('a second password', 'a third password', true)).status, 204);
    assert.equal(await me(), 401);
    assert.equal((await console.get('/console/session')).status, 200);
  });
});
