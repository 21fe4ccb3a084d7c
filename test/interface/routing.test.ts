import assert from 'node:assert/strict';
import { it } from 'node:test';

import { RETIRED } from '../../src/channels/index.ts';
import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

/* Which integration sends a message. */

onEachEngine('routing of messages', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    const integration = await integrate(app, application.id);
    return { application, app, integration };
  };

  it('uses the integration whose id is generator.id, as a string or a number', async () => {
    const { application, app } = await make();
    const second = await integrate(app, application.id);
    for (const id of [String(second.id), second.id]) {
      const { body } = await app.post(
        '/1/message',
        message({ generator: { type: 'Service', id, name: 'whatever' } }),
      );
      assert.equal(body.integration_id, second.id);
    }
  });

  it('uses the only enabled integration of the channel in generator.name', async () => {
    const { application, app, integration } = await make();
    const webhook = await integrate(app, application.id, {
      name: 'webhook',
      address: 'https://example.com/in',
    });
    const generator = { type: 'Service', id: 'my own id', name: 'Webhook' };
    assert.equal(
      (await app.post('/1/message', message({ generator }))).body.integration_id,
      webhook.id,
    );
    const telegram = { type: 'Service', name: 'telegram' };
    assert.equal(
      (await app.post('/1/message', message({ generator: telegram }))).body.integration_id,
      integration.id,
    );
  });

  it('uses the only enabled integration without a generator.name, with any generator.id', async () => {
    const { app, integration } = await make();
    for (const generator of [
      { id: 'urn:mine' },
      { id: 'urn:mine', name: '' },
      { id: '', name: ' ' },
      { id: '', name: 'telegram' },
      { id: '' },
    ]) {
      const { status, body } = await app.post(
        '/1/message',
        message({ generator: { type: 'Service', ...generator } }),
      );
      assert.deepEqual(
        [status, body.integration_id],
        [202, integration.id],
        JSON.stringify(generator),
      );
    }
  });

  it('refuses an unknown channel in generator.name with the nearest names', async () => {
    const { app, integration } = await make();
    const generator = { type: 'Service', id: 'urn:mine', name: 'telgram' };
    const one = message({ generator });
    const single = await app.post('/1/message', one);
    const batch = await app.post('/1/messages', { messages: [message().message, one.message] });
    const trial = await app.post('/1/message?dry_run=true', one);
    for (const [{ status, body }, pointer] of [
      [single, '/message/generator/name'],
      [trial, '/message/generator/name'],
      [batch, '/messages/1/generator/name'],
    ] as const) {
      assert.deepEqual([status, body.code], [422, 'unknown_channel']);
      assert.equal(body.errors[0].pointer, pointer);
      assert.match(body.detail, /telegram/);
      assert.doesNotMatch(body.detail, /zulip/);
    }
    assert.deepEqual((await app.get('/1/messages')).body.data, []);
    const far = { type: 'Service', name: 'My service' };
    const { body } = await app.post('/1/message', message({ generator: far }));
    assert.equal(body.code, 'unknown_channel');
    assert.match(body.detail, /telegram.*zulip/s);
    const long = { type: 'Service', name: 'telegram'.repeat(100) };
    assert.equal(
      (await app.post('/1/message', message({ generator: long }))).body.code,
      'unknown_channel',
    );
    const byId = { type: 'Service', id: String(integration.id), name: 'telgram' };
    assert.equal((await app.post('/1/message', message({ generator: byId }))).status, 202);
  });

  it('refuses a retired channel in generator.name with its alternatives', async () => {
    const { app } = await make();
    const generator = { type: 'Service', name: 'Kik' };
    const { status, body } = await app.post('/1/message', message({ generator }));
    assert.deepEqual([status, body.code], [422, 'unknown_channel']);
    assert.ok(body.detail.includes(RETIRED.get('kik')));
  });

  it('refuses a message when no integration, or more than one, can send it', async () => {
    const { application, app, integration } = await make();
    const send = (generator: Record<string, unknown>) =>
      app.post('/1/message', message({ generator: { type: 'Service', ...generator } }));
    const none = await send({ name: 'slack' });
    assert.deepEqual([none.status, none.body.code], [422, 'no_integration']);
    const second = await integrate(app, application.id);
    const several = await send({ name: 'telegram' });
    assert.deepEqual([several.status, several.body.code], [422, 'no_integration']);
    assert.match(
      several.body.detail,
      new RegExp(`${integration.id}.*${second.id}|${second.id}.*${integration.id}`),
    );
    const unclear = await send({});
    assert.deepEqual([unclear.status, unclear.body.errors[0].pointer], [422, '/message/generator']);
    const { application: empty, app: emptyApp } = await sb().application();
    assert.equal((await emptyApp.post('/1/message', message())).body.code, 'no_integration');
    assert.ok(empty.id);
  });

  it('uses no integration of another application', async () => {
    const { app } = await make();
    const other = await make();
    await integrate(other.app, other.application.id);
    const generator = { type: 'Service', id: String(other.integration.id) };
    const { body } = await app.post('/1/message', message({ generator }));
    assert.notEqual(body.integration_id, other.integration.id);
  });

  it('returns in a dry run the error that sending would return', async () => {
    const { app } = await make();
    for (const id of ['not a chat', 'ü'.repeat(600)]) {
      const wrong = message({ to: { type: 'Person', id } });
      const sent = await app.post('/1/message', wrong);
      const { status, body } = await app.post('/1/message?dry_run=true', wrong);
      assert.deepEqual([status, body.ready], [200, false]);
      const { code, errors, status: answered, title, detail } = sent.body;
      assert.deepEqual(body.error, { code, errors, status: answered, title, detail });
      assert.equal(code, 'invalid_fields');
      assert.deepEqual(
        body.missing.map(({ what }: { what: string }) => what),
        ['recipient'],
      );
    }
    const right = await app.post('/1/message?dry_run=true', message());
    assert.deepEqual([right.body.ready, right.body.error], [true, null]);
  });
});
