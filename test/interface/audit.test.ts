import assert from 'node:assert/strict';
import { it } from 'node:test';

import { AUDIT_ACTIONS } from '../../src/model/audit.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { page, signedIn } from '../support/service/session.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';

interface Entry {
  id: number;
  actor: { type: string; id: number | null; name: string | null };
  action: string;
  subject: { type: string; id: number; name: string | null };
  application_id: number | null;
  changes: { field: string; from?: string | null; to?: string | null }[];
}

const PASSWORD = 'canary-password-of-somebody';
const TOKEN = '110201543:canary-not-a-secret-AAHdqTcvCH1vGWJxf';
const HOOK = 'https://hooks.example.com/canary-in-a-path?key=canary-in-a-query';

onEachEngine('the audit log', (sb) => {
  const read = async (api: Client, query = ''): Promise<Entry[]> =>
    (await api.get(`/1/audit${query}`)).body.data;
  const actions = (entries: readonly Entry[]) => entries.map(({ action }) => action);
  const make = async () => {
    const { team, owner, api } = await sb().otherTeam();
    const fields = { team_id: team.id, owner_id: owner.id, state: 'enable' };
    const { body: application } = await api.post('/1/applications', {
      ...fields,
      name: 'audited-application',
    });
    const acting = api.with({ 'switchboard-application': String(application.id) });
    return { team, owner, api, application, acting, id: application.id as number };
  };

  it('records the actor and fields of every kind of change, without secrets', async () => {
    const { team, owner, api, acting, id } = await make();
    const open = sb().as(undefined);
    const path = `/1/applications/${id}`;
    await api.put(path, { name: 'renamed-application', webhook_url: HOOK });
    await api.put(`${path}/delivery`, { uncertain: 'hold' });
    const app = sb().as(await sb().applicationToken(id, team.id));
    const integration = await integrate(app, id, { token: TOKEN });
    const change = { name: 'telegram', token: `${TOKEN}-2` };
    await acting.put(`/1/integrations/${integration.id}`, change);
    const { body: webhook } = await api.post(`${path}/webhook/rotate`);
    await api.post(`${path}/webhook/resume`);
    await api.post(`${path}/webhook/recover`, { after: 0 });
    // Retention removes old events.
    const event = { type: 'message.sent', data: '{}', media: null, createdAt: Date.now() } as const;
    await sb().store.events.append([{ ...event, applicationId: id }]);
    await sb().store.endpoints.copyToQueue(id, () => '{}', Date.now());
    const [{ id: delivery }] = (await api.get(`${path}/webhook/deliveries`)).body.data;
    await until('the event can be redelivered', async () => {
      const { status } = await api.post(`${path}/webhook/deliveries/${delivery}/resend`);
      return status < 300;
    });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const { body: planned } = await acting.post('/1/message', { ...message(), send_at: later });
    await acting.put(`/1/messages/${planned.id}`, { send_at: later });
    const { body: sent } = await acting.post('/1/message', message());
    await acting.delete(`/1/messages/${sent.id}`);
    await acting.post(`/1/messages/${sent.id}/resend`);
    await app.delete(`/1/messages/${sent.id}`);
    const { body: job } = await acting.post('/1/messages/resend', { filter: { state: 'failed' } });
    const { body: key } = await api.post('/1/keys/applications', {
      resource_id: id,
      state: 'enable',
    });
    await api.delete(`/1/keys/applications/${key.id}`);
    const { body: minted } = await api.post(`${path}/tokens`);
    await api.put(`/1/teams/${team.id}`, { name: 'Renamed team' });
    const email = `audited-${team.id}@example.com`;
    const { body: user } = await api.post('/1/users', { email, state: 'enable', name: 'Grace' });
    await api.put(`/1/users/${user.id}`, { email, state: 'enable', password: PASSWORD });
    const { body: login } = await open.post('/1/tokens', { email, password: PASSWORD });
    const { body: invitation } = await api.post('/1/invitations', { email: 'ada@example.com' });
    await api.delete(`/1/invitations/${invitation.id}`);
    const { code } = (await api.post('/1/invitations', {})).body;
    const joined = { email: `j${email}`, name: 'Joined', password: PASSWORD };
    await open.post('/1/invitations/accept', { code, ...joined });
    await api.delete(`/1/users/${user.id}`);
    await (await signedIn(sb(), owner)).delete('/console/session');
    await (await signedIn(sb(), owner)).delete('/console/sessions');
    const { body: contact } = await app.post('/1/contacts', { name: 'Erased person' });
    await app.post(`/1/contacts/${contact.id}/erase`);
    const { body: kept } = await app.post('/1/contacts', { name: 'Kept' });
    const pair = { contact_id: (await app.post('/1/contacts', { name: 'Merged' })).body.id };
    await app.post(`/1/contacts/${kept.id}/merge`, pair);
    await app.post(`/1/contacts/${kept.id}/unmerge`, pair);
    const { body: imported } = await acting.request('POST', '/1/contact-imports', {
      raw: 'external_id,name\nimported,Grace\n',
      headers: { 'content-type': 'text/csv' },
    });
    await acting.delete(`/1/contact-imports/${imported.id}`);
    await acting.delete(`/1/integrations/${integration.id}`);
    await api.delete(path);

    const { text, body } = await api.get('/1/audit');
    const entries: Entry[] = body.data;
    // test/cli/sign-in-link.slow.test.ts covers the entry of a sign-in link, which only the command line creates;
    // test/delivery/retries.test.ts covers that of a retry, which needs delivery.
    const elsewhere: readonly string[] = ['session.link_created', 'message.retried'];
    const byCalls = AUDIT_ACTIONS.filter((action) => !elsewhere.includes(action));
    assert.deepEqual(new Set(actions(entries)), new Set<string>(byCalls));
    const one = (action: string) =>
      entries.find((entry) => entry.action === action) ?? assert.fail(action);
    assert.deepEqual(one('application.updated').changes, [
      { field: 'uncertain', from: 'resend', to: 'hold' },
    ]);
    const renamed = entries.findLast((entry) => entry.action === 'application.updated');
    assert.deepEqual(renamed?.changes, [
      { field: 'name', from: 'audited-application', to: 'renamed-application' },
      { field: 'webhook_url', from: null, to: 'https://hooks.example.com' },
    ]);
    assert.deepEqual(one('integration.created').actor, {
      type: 'application',
      id,
      name: 'renamed-application',
    });
    assert.deepEqual(one('integration.created').changes, [{ field: 'token' }]);
    const { actor, subject, application_id, changes } = one('integration.updated');
    assert.deepEqual(actor, { type: 'user', id: owner.id, name: owner.name });
    assert.deepEqual(subject, { type: 'integration', id: integration.id, name: 'telegram' });
    assert.deepEqual([application_id, changes], [id, [{ field: 'token' }]]);
    assert.deepEqual(one('user.updated').changes, [{ field: 'password' }]);
    assert.deepEqual(one('invitation.accepted').actor.name, 'Joined');
    assert.deepEqual(one('user.deleted').subject, { type: 'user', id: user.id, name: 'Grace' });
    assert.deepEqual(one('contact.erased').subject, {
      type: 'contact',
      id: contact.id,
      name: null,
    });
    assert.deepEqual(one('message.resent').subject, { type: 'job', id: job.id, name: null });
    const canceled = entries.filter(({ action }) => action === 'message.canceled');
    assert.equal(
      canceled.length,
      1,
      "an application's actions on its own messages are not changes",
    );

    const secrets = [key.secret, minted.token, login.token, invitation.code, code];
    for (const secret of [...secrets, ...webhook.secrets, TOKEN, PASSWORD]) {
      assert.ok(!text.includes(secret), secret);
    }
    assert.doesNotMatch(text, /canary|argon2/);
  });

  it('the audit log has no entries for requests that changed nothing', async () => {
    const { api, team, owner, application, acting } = await make();
    const before = await read(api);
    await api.put(`/1/applications/${application.id}`, { name: application.name });
    await api.put(`/1/users/${owner.id}`, { email: owner.email, state: 'enable' });
    await api.put(`/1/teams/${team.id}`, { name: team.name });
    assert.equal(
      (await api.post('/1/users', { email: owner.email, state: 'enable' })).status,
      409,
      'the transaction is rolled back',
    );
    await api.put(`/1/applications/${application.id}`, { name: 'short' });
    await api.delete('/1/users/999999999');
    await acting.delete('/1/messages/999999999');
    const wrong = { email: owner.email, password: 'a wrong password' };
    await page(sb()).post('/console/session', wrong);
    assert.deepEqual(await read(api), before);
  });

  it('the audit log is filtered by action, actor, resource and time, and paged', async () => {
    const { api, team, owner, id, acting } = await make();
    const { body: other } = await api.post('/1/applications', {
      team_id: team.id,
      owner_id: owner.id,
      state: 'enable',
    });
    const integration = await integrate(acting, id);
    await api.post('/1/keys/users', { resource_id: owner.id, state: 'enable' });
    const all = await read(api);
    assert.deepEqual(actions(all), [
      'key.created',
      'integration.created',
      'application.created',
      'application.created',
    ]);
    const counts: [string, number][] = [
      ['?action=application.created', 2],
      ['?action=application', 2],
      ['?action=key,integration.created', 2],
      ['?action=applic', 0],
      ['?action=', 0],
      [`?actor_id=${owner.id}`, 4],
      [`?actor_id=${id}`, 0],
      ['?actor_id=x', 0],
      [`?subject_id=${integration.id}`, 1],
      [`?application_id=${id}`, 2],
      [`?application_id=${other.id}&action=application`, 1],
      ['?created_after=2020-01-01T00:00:00', 4],
      ['?created_before=2020-01-01T00:00:00', 0],
      ['?created_before=yesterday', 0],
    ];
    for (const [query, count] of counts) {
      assert.equal((await read(api, query)).length, count, query);
    }
    const first = await api.get('/1/audit?limit=3&action=application,key,integration');
    assert.deepEqual(first.body.data, all.slice(0, 3));
    const [, next = ''] =
      /<[^>]*(\/1\/audit[^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await api.get(next);
    assert.deepEqual(second.body.data, all.slice(3));
    assert.doesNotMatch(second.headers.get('link') ?? '', /rel="next"/);
  });

  it('the audit log is visible to all members of the own team only, and read-only', async () => {
    const { api, team } = await make();
    const { body } = await api.post('/1/users', {
      email: `reader-${team.id}@example.com`,
      state: 'enable',
    });
    const user = (await sb().store.users.get(body.id)) ?? assert.fail();
    const all = await read(api);
    assert.deepEqual(await read(sb().as(await sb().userToken(user))), all);
    const foreign = await read((await sb().otherTeam()).api);
    assert.deepEqual(foreign, []);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const reply = await api.request(method, '/1/audit');
      assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'GET, HEAD'], method);
      assert.equal((await api.request(method, `/1/audit/${all[0]?.id}`)).status, 404, method);
    }
    assert.deepEqual(await read(api), all);
  });
});
