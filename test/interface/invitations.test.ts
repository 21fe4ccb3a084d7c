import assert from 'node:assert/strict';
import { it } from 'node:test';

import { TestClock } from '../support/clock.ts';
import { startTestService } from '../support/service/service.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const PASSWORD = 'a long example password';

onEachEngine('invitations', (sb) => {
  const open = () => sb().as(undefined);
  const accept = (code: string, email: string, fields: Record<string, unknown> = {}) =>
    open().post('/1/invitations/accept', {
      code,
      email,
      name: 'Grace Hopper',
      password: PASSWORD,
      ...fields,
    });
  /** A separate team with a member who is not its owner. */
  const make = async () => {
    const { team, owner, api } = await sb().otherTeam();
    const { body } = await api.post('/1/users', {
      email: `member-${team.id}@example.com`,
      state: 'enable',
    });
    const user = await sb().store.users.get(body.id);
    assert.ok(user);
    return { team, owner, api, user, member: sb().as(await sb().userToken(user)) };
  };

  it('invitations let one person join, who can then sign in', async () => {
    const { team, owner, api } = await make();
    const made = await api.post('/1/invitations', { email: 'Grace@Example.com', days: 3 });
    assert.equal(made.status, 201);
    const { code, url, ...shown } = made.body;
    assert.equal(url, `${sb().url}/invitation#code=${code}`);
    assert.deepEqual([shown.email, shown.invited_by], ['grace@example.com', owner.id]);
    const lasts = Date.parse(`${shown.expires_at}Z`) - Date.parse(`${shown.created_at}Z`);
    assert.equal(lasts, 3 * 24 * 60 * 60 * 1000);
    assert.deepEqual((await api.get('/1/invitations')).body.data, [shown], 'without its link');

    const offer = await open().post('/1/invitations/preview', { code });
    const { team: name, invited_by, email, expires_at } = offer.body;
    assert.deepEqual(
      [name, invited_by, email, expires_at],
      [team.name, owner.name, 'grace@example.com', shown.expires_at],
    );

    const address = `grace-${team.id}@example.com`;
    const { status, body, headers } = await accept(code, address.toUpperCase());
    assert.equal(status, 201);
    assert.deepEqual([body.name, body.team_id, body.state], ['Grace Hopper', team.id, 'enable']);
    assert.equal(headers.get('location'), `/1/users/${body.id}`);
    const entered = await open().post('/1/tokens', { email: address, password: PASSWORD });
    assert.equal(entered.status, 201);
    const { body: team2 } = await sb().as(entered.body.token).get(`/1/teams/${team.id}/members`);
    const joined = team2.data.find(({ id }: { id: number }) => id === body.id);
    assert.deepEqual([joined.email, joined.role], [address, 'member']);
    assert.deepEqual((await api.get('/1/invitations')).body.data, []);
  });

  it('invitations are used once, even when two accept at the same time', async () => {
    const { api, team } = await make();
    const { code } = (await api.post('/1/invitations')).body;
    const replies = await Promise.all(
      ['a', 'b', 'c'].map((name) => accept(code, `${name}-${team.id}@example.com`)),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 404, 404]);
    const again = await accept(code, `d-${team.id}@example.com`);
    assert.deepEqual([again.status, again.body.code], [404, 'invitation_invalid']);
    assert.equal((await open().post('/1/invitations/preview', { code })).status, 404);
  });

  it('invitations are not used up by invalid requests', async () => {
    const { api, team, owner } = await make();
    const { code } = (await api.post('/1/invitations', {})).body;
    const duplicate = await accept(code, owner.email);
    assert.deepEqual([duplicate.status, duplicate.body.code], [409, 'email_taken']);
    const short = await accept(code, `s-${team.id}@example.com`, { password: 'short' });
    assert.deepEqual([short.status, short.body.errors[0].pointer], [422, '/password']);
    const blank = await accept(code, `s-${team.id}@example.com`, { name: ' ' });
    assert.deepEqual([blank.status, blank.body.errors[0].pointer], [422, '/name']);
    assert.equal((await accept(code, `s-${team.id}@example.com`)).status, 201);
  });

  it("invitations are created and revoked by the team's owner and visible to its members only", async () => {
    const { api, member } = await make();
    const refused = await member.post('/1/invitations', {});
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_team_owner']);
    const { id, code } = (await api.post('/1/invitations', {})).body;
    assert.equal((await member.get('/1/invitations')).body.data[0].id, id);
    assert.deepEqual((await sb().api.get('/1/invitations')).body.data, []);
    assert.equal((await member.delete(`/1/invitations/${id}`)).status, 403);
    assert.equal((await sb().api.delete(`/1/invitations/${id}`)).status, 404);
    assert.equal((await open().post('/1/invitations/preview', { code })).status, 200);
    assert.equal((await api.delete(`/1/invitations/${id}`)).status, 204);
    assert.equal((await api.delete(`/1/invitations/${id}`)).status, 404);
    assert.equal((await open().post('/1/invitations/preview', { code })).status, 404);
  });

  it('invitations are accepted with their own code only, with any team in it', async () => {
    const { api } = await make();
    const { code } = (await api.post('/1/invitations', {})).body;
    const secret = code.split('.')[1];
    const wrong = [secret, `.${secret}`, `${sb().team.id}.${secret}`, `${code}x`, 'x.y', '1.'];
    for (const text of wrong) {
      const { status } = await open().post('/1/invitations/preview', { code: text });
      assert.equal(status, 404, text);
    }
  });

  it('invitations are stored without their code', async () => {
    const { api, team } = await make();
    const { code } = (await api.post('/1/invitations', {})).body;
    const rows = await sb().store.engine.db.selectFrom('invitations').selectAll().execute();
    const row = rows.find(({ teamId }) => teamId === team.id);
    assert.ok(row && !JSON.stringify(row).includes(code.split('.')[1]));
    assert.ok(!sb().logs.join('').includes(code.split('.')[1]));
  });

  it('removing the creator of an invitation revokes it', async () => {
    const { api, owner, user, member, team } = await make();
    const { code } = (await api.post('/1/invitations', {})).body;
    assert.equal((await api.put(`/1/teams/${team.id}`, { owner_id: user.id })).status, 204);
    assert.equal((await open().post('/1/invitations/preview', { code })).status, 200);
    assert.equal((await member.delete(`/1/users/${owner.id}`)).status, 204);
    assert.equal((await open().post('/1/invitations/preview', { code })).status, 404);
  });
});

it('invitations expire, and guessing their codes is rate limited', async () => {
  const clock = new TestClock(Date.now());
  await using sb = await startTestService('sqlite', { clock });
  const { code } = (await sb.api.post('/1/invitations', { days: 1 })).body;
  const open = sb.as(undefined);
  const show = (given: string) => open.post('/1/invitations/preview', { code: given });
  for (let i = 0; i < 60; i++)
    assert.equal((await show(code)).status, 200, 'a correct code is not limited');
  clock.advance(24 * 60 * 60 * 1000);
  const api = sb.as(await sb.userToken(sb.owner));
  assert.deepEqual((await api.get('/1/invitations')).body.data, []);
  assert.equal((await show(code)).status, 404);
  for (let i = 0; i < 49; i++) assert.equal((await show(`${sb.team.id}.guess${i}`)).status, 404);
  const limited = await show(code);
  assert.deepEqual([limited.status, limited.body.code], [429, 'rate_limited']);
  assert.ok(Number(limited.headers.get('retry-after')) > 0);
});
