import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Switchboard } from '../../sdk/src/index.ts';
import { PROBLEMS } from '../../src/model/problem.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { applicationClient, faultOf, userClient } from './support.ts';

onEachEngine('the client', (sb) => {
  it('manages applications, users, teams, keys and tokens with a user token', async () => {
    const { team, owner } = sb();
    const client = userClient(sb());
    assert.equal((await client.users.me()).id, owner.id);
    const made = await client.applications.create({
      team_id: team.id,
      owner_id: owner.id,
      state: 'enable',
      name: 'order-updates',
    });
    await client.applications.update(made.id, { name: 'order-updates-2' });
    assert.equal((await client.applications.get(made.id)).name, 'order-updates-2');
    await client.applications.disable(made.id);
    assert.equal((await client.applications.get(made.id)).state, 'disable');
    await client.applications.enable(made.id);
    await client.applications.setDelivery(made.id, { uncertain: 'hold' });
    assert.deepEqual(await client.applications.delivery(made.id), { uncertain: 'hold' });

    const email = `ada-${made.id}@example.com`;
    const user = await client.users.create({ email, state: 'enable', password: 'fake-password-1' });
    await client.users.update(user.id, { email, state: 'enable', name: 'Ada' });
    assert.equal((await client.users.get(user.id)).name, 'Ada');
    const ids = (await client.users.list().all()).map(({ id }) => id);
    assert.ok(ids.includes(user.id) && ids.includes(owner.id));
    await client.teams.update(team.id, { name: 'Analytical Engines' });
    assert.equal((await client.teams.get(team.id)).name, 'Analytical Engines');
    const members = await client.teams.members(team.id).all();
    assert.ok(members.some((one) => one.email === email && one.role === 'member'));

    const { url } = sb();
    const ada = await Switchboard.signIn({ url, email, password: 'fake-password-1' });
    assert.equal((await ada.users.me()).id, user.id);
    const { token } = await client.tokens.forApplication(made.id, { days: 1 });
    assert.equal((await new Switchboard({ url, token }).applications.me()).id, made.id);
    await client.applications.delete(made.id);
    assert.equal((await faultOf(client.applications.get(made.id))).code, 'not_found');
  });

  it('signs tokens with the key of an application or of a user', async () => {
    const { url, owner } = sb();
    const { client: own, applicationId } = await applicationClient(sb());
    const user = userClient(sb());
    const key = await user.applicationKeys.create(applicationId);
    const client = new Switchboard({ url, key });
    assert.deepEqual(await client.applications.me(), await own.applications.me());
    // The last use of a key is written in the background.
    const shown = await until('its use is shown', async () => {
      const found = await user.applicationKeys.get(key.id);
      return found.last_used_at !== null && found;
    });
    assert.ok(!('secret' in shown));
    const filter = { resource_id: applicationId };
    const listed = await user.applicationKeys.list(filter).all();
    assert.ok(listed.some(({ id }) => id === key.id));
    await user.applicationKeys.revoke(key.id);
    assert.equal((await faultOf(client.applications.me())).code, 'token_invalid');

    const { id, secret } = await user.userKeys.create(owner.id);
    const me = await new Switchboard({ url, key: { id: String(id), secret } }).users.me();
    assert.equal(me.id, owner.id);
    await user.userKeys.revoke(id);
    const wrong = new Switchboard({ url, key: { id: key.id, secret: 'fake-secret' } });
    assert.equal((await faultOf(wrong.users.me())).code, 'token_invalid');
  });

  it('acts for an application of the team with a user token', async () => {
    const { client, applicationId } = await applicationClient(sb());
    const acting = userClient(sb()).actFor(applicationId);
    assert.deepEqual(await acting.applications.me(), await client.applications.me());
    const { id } = await acting.integrations.create({ name: 'telegram', token: '1:fake' });
    assert.equal((await client.integrations.list().all())[0]?.id, id);
    assert.equal((await acting.users.me()).id, sb().owner.id);
    const foreign = userClient(sb()).actFor(999_999_999);
    assert.equal((await faultOf(foreign.messages.get(1))).code, 'not_found');
  });

  it('manages the integrations of its application, and lists channels', async () => {
    const { client } = await applicationClient(sb());
    const made = await client.integrations.create({ name: 'telegram', token: '1:fake' });
    assert.equal(made.state, 'enable');
    await client.integrations.update(made.id, { name: 'telegram', token: null });
    assert.deepEqual((await client.integrations.check(made.id)).missing, ['token']);
    assert.equal((await client.integrations.get(made.id)).token, undefined);
    const secret = { name: 'telegram', token: '110201543:fake-token-of-a-bot' };
    const hidden = await client.integrations.create(secret);
    for (const shown of [
      await client.integrations.get(hidden.id, { mask: true }),
      (await client.integrations.list({ mask: true }).first(1))[0],
    ]) {
      assert.match(shown?.token ?? '', /^•+-?\w+$/);
    }
    assert.equal((await client.integrations.get(hidden.id)).token, secret.token);
    await client.integrations.delete(hidden.id);
    assert.equal((await client.integrations.health(made.id)).state, 'incomplete');
    assert.deepEqual((await client.statistics.overview()).problems, []);
    assert.equal((await client.statistics.get({ step: 'hour' })).total.sent, 0);
    assert.match((await client.integrations.hook(made.id)).url ?? '', /\/1\/hooks\//);
    await client.integrations.disable(made.id);
    assert.equal((await client.integrations.list().first(1))[0]?.state, 'disable');
    assert.equal(
      (await faultOf(client.integrations.register(made.id))).code,
      'integration_disabled',
    );
    const chat = await client.integrations.create({ name: 'webmessenger', username: 'Shop' });
    assert.equal((await faultOf(client.integrations.typing(made.id, 'x'))).code, 'unsupported');
    await client.integrations.typing(chat.id, 'guest-0000000000000000000000').catch(() => {});
    await client.integrations.delete(made.id);
    assert.deepEqual(
      (await client.integrations.list().all()).map(({ id }) => id),
      [chat.id],
    );
    assert.equal((await client.channels.get(' Telegram '))?.title, 'Telegram');
    assert.equal(await client.channels.get('pigeon'), undefined);
    assert.deepEqual((await client.channels.check('telegram', {})).missing, ['token']);
  });

  it('iterates over lists page by page, and stops on request', async () => {
    const { client } = await applicationClient(sb());
    await client.integrations.create({ name: 'telegram', token: '1:fake' });
    const messages = Array.from({ length: 25 }, (_unused, i) => ({ to: '1', text: `no. ${i}` }));
    const accepted = await client.messages.sendAll(messages);
    const list = client.messages.list({ limit: 10, created_after: new Date(0) });
    const sizes = [];
    for await (const page of list.pages()) sizes.push(page.length);
    assert.deepEqual(sizes, [10, 10, 5]);
    const newest = accepted.map(({ id }) => id).toReversed();
    assert.deepEqual(
      (await list.all()).map(({ id }) => id),
      newest,
    );
    assert.deepEqual(
      (await list.first(12)).map(({ id }) => id),
      newest.slice(0, 12),
    );
    assert.deepEqual(await client.messages.list({ to: '2' }).all(), []);
    assert.deepEqual(await client.messages.list({ state: 'sent' }).all(), []);
    const wanted = { state: ['queued', 'sent'], channel: 'telegram', id: newest[0] ?? 0 } as const;
    assert.deepEqual(
      (await client.messages.list(wanted).all()).map(({ id }) => id),
      [newest[0]],
    );
  });

  it('reports the code, the invalid field and the request id of a failed call', async () => {
    const { client } = await applicationClient(sb());
    const error = await faultOf(client.messages.send({ to: '', text: 'Hello' }));
    assert.deepEqual([error.code, error.status], ['invalid_fields', 422]);
    assert.equal(error.title, PROBLEMS.invalid_fields.title);
    assert.equal(error.errors[0]?.pointer, '/message/to/id');
    assert.match(error.message, /^\/message\/to\/id .+ \(invalid_fields\)$/);
    assert.ok(sb().logs.some((line) => line.includes(error.requestId ?? '-')));
    assert.equal((await faultOf(client.users.me())).code, 'wrong_token_kind');
    assert.equal(
      (await faultOf(new Switchboard({ url: sb().url }).users.me())).code,
      'token_missing',
    );
    const none = await faultOf(client.messages.send({ to: '1', text: 'Hello', via: 'slack' }));
    assert.equal(none.code, 'no_integration');
    const typo = await faultOf(client.messages.send({ to: '1', text: 'Hello', via: 'telgram' }));
    assert.equal(typo.code, 'unknown_channel');
  });

  it('cancels, resends and previews messages', async () => {
    const { client } = await applicationClient(sb());
    await client.integrations.create({ name: 'telegram', token: '1:fake' });
    const preview = await client.messages.dryRun({ to: '1', markdown: '**Hello**' });
    assert.deepEqual([preview.ready, preview.parts[0]?.call], [true, 'sendMessage']);
    assert.deepEqual(await client.messages.list().all(), []);
    const { id } = await client.messages.send({ to: '1', text: 'Hello' });
    assert.equal((await client.messages.get(id)).state, 'queued');
    assert.deepEqual(await client.messages.attempts(id), []);
    assert.equal((await faultOf(client.messages.resend(id))).code, 'message_unsettled');
    await client.messages.cancel(id);
    assert.equal((await client.messages.settled(id)).state, 'canceled');
    assert.equal((await client.messages.resend(id)).id, id);
    assert.equal((await client.call('GET /1/messages/{id}', { path: { id } })).state, 'queued');
    assert.equal(await client.call('DELETE /1/messages/{id}', { path: { id } }), undefined);
  });

  it('manages the webhook of an application', async () => {
    const { applicationId } = await applicationClient(sb());
    const client = userClient(sb());
    assert.equal((await client.webhooks.get(applicationId)).state, 'disable');
    assert.equal((await faultOf(client.webhooks.test(applicationId))).code, 'no_webhook');
    await client.applications.update(applicationId, { webhook_url: 'http://127.0.0.1:9/hook' });
    assert.equal((await client.webhooks.rotate(applicationId)).secrets.length, 2);
    assert.equal((await client.webhooks.resume(applicationId)).state, 'enable');
    assert.equal((await client.webhooks.test(applicationId)).outcome, 'transient');
    const recovered = await client.webhooks.recover(applicationId, { after: 0 });
    assert.equal(recovered.waiting, 0);
    assert.deepEqual(await client.webhooks.deliveries(applicationId).all(), []);
    for (const call of [
      () => client.webhooks.delivery(applicationId, 1),
      () => client.webhooks.attempts(applicationId, 1),
      () => client.webhooks.resend(applicationId, 1),
    ]) {
      assert.equal((await faultOf(call())).code, 'not_found');
    }
  });
});

it('the constructor refuses invalid credentials and URLs', () => {
  const url = 'http://localhost:8080';
  const key = { id: 1, secret: 'fake-secret' };
  assert.throws(() => new Switchboard({ url, token: 'a', key }), /a token or a key, not both/);
  assert.throws(() => new Switchboard({ url, token: ' ' }), /the token is empty/);
  assert.throws(() => new Switchboard({ url, key: { ...key, secret: '' } }), /a secret/);
  for (const bad of ['', 'localhost:8080', 'ftp://example.com', 'http://']) {
    assert.throws(() => new Switchboard({ url: bad }), /http:\/\/ or https:\/\//, bad);
  }
  assert.throws(() => new Switchboard({ url }).download('https://example.com/a.png'), TypeError);
});
