import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from './support/service/activity.ts';
import { startTestService } from './support/service/service.ts';
import { onEachEngine } from './support/store/each-engine.ts';

onEachEngine('an Idempotency-Key', (sb, engine) => {
  const make = async () => {
    const { application, app } = await sb().application();
    const integration = await integrate(app, application.id);
    return { application, app, integration };
  };
  const key = (name: string) => ({ headers: { 'idempotency-key': name } });

  it('gives a repeated message request the same response and stores one message', async () => {
    const { app } = await make();
    const first = await app.post('/1/message', message(), key('one'));
    const again = await app.post('/1/message', message(), key('one'));
    assert.deepEqual([again.status, again.body], [202, first.body]);
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    const slashed = await app.post('/1/message/', message(), key('one'));
    assert.deepEqual(
      [slashed.status, slashed.body],
      [202, first.body],
      'a trailing slash never matters',
    );
    assert.equal((await app.get('/1/messages')).body.data.length, 1);
  });

  it('gives a repeated batch the same response', async () => {
    const { app } = await make();
    const batch = { messages: [message().message, message().message] };
    const first = await app.post('/1/messages', batch, key('batch'));
    assert.deepEqual((await app.post('/1/messages', batch, key('batch'))).body, first.body);
    assert.equal((await app.get('/1/messages')).body.data.length, 2);
  });

  it('stores the response about a contact, template or pool together with the effect', async () => {
    const { app, integration } = await make();
    const { idempotency } = sb().store;
    const put = idempotency.put.bind(idempotency);
    // As if the process ended after the effect.
    idempotency.put = () => Promise.reject(new Error('no response is stored on its own'));
    try {
      const twice = async (path: string, body: unknown) => {
        const first = await app.post(path, body, key(path));
        const again = await app.post(path, body, key(path));
        assert.deepEqual([again.status, again.body], [first.status, first.body], path);
        assert.ok(first.status < 300, path);
        return first.body;
      };
      const sms = (address: string) => ({ channel: 'sms', address });
      const { id } = await twice('/1/contacts', { addresses: [sms('+15558675310')] });
      const { body: other } = await app.post('/1/contacts', { external_id: 'b' }, key('other'));
      await twice(`/1/contacts/${id}/addresses`, sms('+15558675311'));
      await twice(`/1/contacts/${id}/merge`, { contact_id: other.id });
      await twice(`/1/contacts/${id}/unmerge`, { contact_id: other.id });
      const contents = { en: { content: 'Packed' } };
      await twice('/1/templates', { name: 'order', default_language: 'en', contents });
      await twice('/1/pools', { name: 'main', members: [{ integration_id: integration.id }] });
    } finally {
      idempotency.put = put;
    }
  });

  it('gives every other repeated POST the same response, secrets included', async () => {
    const { application, app } = await make();
    const { api, team, owner } = sb();
    const calls: [typeof api, string, unknown][] = [
      [api, '/1/applications', { team_id: team.id, owner_id: owner.id, state: 'enable' }],
      [api, '/1/keys/applications', { resource_id: application.id, state: 'enable' }],
      [api, '/1/keys/users', { resource_id: owner.id, state: 'enable' }],
      [api, '/1/users', { email: `once-${application.id}@example.com`, state: 'enable' }],
      [api, `/1/applications/${application.id}/tokens`, {}],
      [
        app,
        '/1/integrations',
        { application_id: application.id, name: 'slack', state: 'enable', token: 'xoxb' },
      ],
    ];
    for (const [client, path, body] of calls) {
      const first = await client.post(path, body, key(`every ${path}`.replaceAll(' ', '-')));
      const again = await client.post(path, body, key(`every ${path}`.replaceAll(' ', '-')));
      assert.equal(first.status, 201, path);
      assert.deepEqual([again.status, again.body], [201, first.body], path);
      assert.equal(again.headers.get('location'), first.headers.get('location'));
    }
  });

  it('an Idempotency-Key with another body or path is refused with 422', async () => {
    const { app } = await make();
    await app.post('/1/message', message(), key('two'));
    const other = await app.post(
      '/1/message',
      message({ to: { type: 'Person', id: '7' } }),
      key('two'),
    );
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  });

  it('an Idempotency-Key with another query is refused, also behind a second question mark', async () => {
    const { app } = await make();
    await app.post('/1/message?x=a?1', message(), key('query'));
    const other = await app.post('/1/message?x=a?2', message(), key('query'));
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  });

  it('an Idempotency-Key belongs to the caller and the route', async () => {
    const { app } = await make();
    const other = await make();
    const first = await app.post('/1/message', message(), key('three'));
    const second = await other.app.post('/1/message', message(), key('three'));
    assert.notEqual(first.body.id, second.body.id);
    assert.equal(
      (await app.post('/1/messages', { messages: [message().message] }, key('three'))).status,
      202,
    );
  });

  it('an Idempotency-Key does not keep the response of a failed request', async () => {
    const { app } = await make();
    const wrong = message({ to: { type: 'Person', id: '?' } });
    assert.equal((await app.post('/1/message', wrong, key('four'))).status, 422);
    assert.equal((await app.post('/1/message', message(), key('four'))).status, 202);
  });

  it('an Idempotency-Key must be 1 to 255 printable characters', async () => {
    const { app } = await make();
    assert.equal((await app.post('/1/message', message(), key('k'.repeat(255)))).status, 202);
    for (const wrong of ['k'.repeat(256), 'a b', 'é']) {
      assert.equal((await app.post('/1/message', message(), key(wrong))).status, 422, wrong);
    }
  });

  it('shared by 50 concurrent requests stores one message; each gets its response or is asked to wait', async () => {
    const { app } = await make();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => app.post('/1/message', message(), key('five'))),
    );
    const accepted = replies.filter(({ status }) => status === 202);
    assert.ok(accepted.length > 0);
    assert.equal(new Set(accepted.map(({ body }) => body.id)).size, 1);
    for (const { status, body } of replies) {
      if (status !== 202) assert.deepEqual([status, body.code], [409, 'idempotency_in_flight']);
    }
    assert.equal((await app.get('/1/messages')).body.data.length, 1);
  });

  // Only PostgreSQL has more than one node.
  if (engine === 'sqlite') return;
  it('shared by requests to two nodes stores one message', async () => {
    const { app } = await make();
    await using second = await startTestService(engine, { database: sb().database });
    const elsewhere = second.as(app.token);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (i % 2 ? app : elsewhere).post('/1/message', message(), key('six')),
      ),
    );
    const ids = new Set(replies.filter(({ status }) => status === 202).map(({ body }) => body.id));
    assert.equal(ids.size, 1);
    assert.equal((await app.get('/1/messages')).body.data.length, 1);
  });
});
