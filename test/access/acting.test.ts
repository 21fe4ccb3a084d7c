import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';

import { WebSocket } from 'ws';

import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';

const HEADER = 'switchboard-application';

onEachEngine('a user acting for an application', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    await integrate(app, application.id);
    return { application, app, acting: sb().api.with({ [HEADER]: String(application.id) }) };
  };

  it("a user acting for an application may call the application's routes as the application", async () => {
    const { application, app, acting } = await make();
    const { body, status } = await acting.post('/1/message', message());
    assert.deepEqual([status, body.application_id], [202, application.id]);
    assert.equal((await app.get(`/1/messages/${body.id}`)).status, 200);
    assert.equal((await acting.get('/1/messages')).body.data.length, 1);
    const path = `/1/applications/${application.id}/integrations`;
    assert.equal((await acting.get(path)).body.data.length, 1);
  });

  it("a user acting for an application must name the application, which must belong to the user's team", async () => {
    await make();
    const bare = await sb().api.get('/1/messages');
    assert.deepEqual([bare.status, bare.body.code], [403, 'wrong_token_kind']);
    const other = await sb().otherTeam();
    const { body: foreign } = await other.api.post('/1/applications', {
      team_id: other.team.id,
      owner_id: other.owner.id,
      state: 'enable',
    });
    for (const id of [String(foreign.id), '999999999', 'abc', '', '-1', '9'.repeat(40)]) {
      const reply = await sb()
        .api.with({ [HEADER]: id })
        .get('/1/messages');
      assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], id);
    }
  });

  it('a user acting for an application is refused when the application or the user is disabled', async () => {
    const { application, acting } = await make();
    await sb().api.delete(`/1/applications/${application.id}/disable`);
    const refused = await acting.post('/1/message', message());
    assert.deepEqual([refused.status, refused.body.code], [403, 'application_disabled']);
    assert.equal((await acting.get('/1/messages')).status, 200);
    await sb().api.put(`/1/applications/${application.id}`, { state: 'enable' });

    const { body } = await sb().api.post('/1/users', {
      email: `acting-${application.id}@example.com`,
      state: 'enable',
    });
    const member = await sb().store.users.get(body.id);
    assert.ok(member);
    const theirs = sb()
      .as(await sb().userToken(member))
      .with({ [HEADER]: String(application.id) });
    assert.equal((await theirs.get('/1/messages')).status, 200);
    await sb().api.put(`/1/users/${member.id}`, { email: member.email, state: 'disable' });
    const off = await theirs.get('/1/messages');
    assert.deepEqual([off.status, off.body.code], [403, 'user_disabled']);
  });

  it('a user acting for an application has idempotency keys separate from those of the application and of colleagues', async () => {
    const { app, acting } = await make();
    const keyed = { headers: { 'idempotency-key': 'same' } };
    const first = await acting.post('/1/message', message(), keyed);
    const again = await acting.post('/1/message', message(), keyed);
    const own = await app.post('/1/message', message(), keyed);
    assert.equal(first.body.id, again.body.id);
    assert.notEqual(first.body.id, own.body.id);
  });

  it("an application's token cannot act for another application", async () => {
    const { app } = await make();
    const other = await make();
    const reply = await app.with({ [HEADER]: String(other.application.id) }).get('/1/messages');
    assert.deepEqual([reply.status, reply.body.code], [404, 'not_found']);
  });

  it('a user acting for an application receives its events until it is disabled', async () => {
    const { application, acting } = await make();
    const { body } = await acting.get('/1/realtime');
    const socket = new WebSocket(`${body.url}?after=0`);
    const closed = once(socket, 'close');
    let receivedCount = 0;
    socket.on('message', () => receivedCount++);
    const event = { type: 'message.sent', data: '{}', media: null, createdAt: Date.now() } as const;
    const append = () =>
      sb().store.events.append([{ ...event, applicationId: Number(application.id) }]);
    await append();
    await until('the event arrives', () => receivedCount === 1);
    await sb().api.delete(`/1/applications/${application.id}/disable`);
    await until('the socket is closed', async () => {
      await append();
      return socket.readyState === WebSocket.CLOSED;
    });
    await closed;
  });
});
