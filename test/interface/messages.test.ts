import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';

onEachEngine('messages', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    const integration = await integrate(app, application.id);
    return { application, app, integration };
  };

  it('messages are accepted with 202, their location and their integration', async () => {
    const { application, app, integration } = await make();
    const { status, body, headers } = await app.post('/1/message', message());
    assert.equal(status, 202);
    assert.equal(headers.get('location'), `/1/messages/${body.id}`);
    const { id, created_at, ...rest } = body;
    assert.ok(Number.isSafeInteger(id) && created_at);
    assert.deepEqual(rest, {
      state: 'queued',
      integration_id: integration.id,
      application_id: application.id,
    });
  });

  it('messages are accepted from the simpler example, without actor and published', async () => {
    const { app } = await make();
    const { actor: _a, published: _p, ...simple } = message().message;
    assert.equal((await app.post('/1/message', { message: simple })).status, 202);
  });

  it('messages are accepted as application/activity+json and application/ld+json with a profile', async () => {
    const { app } = await make();
    const types = [
      'application/activity+json',
      'application/ld+json; profile="https://www.w3.org/ns/activitystreams"',
      'application/json;charset=UTF-8',
    ];
    for (const type of types) {
      const headers = { 'content-type': type };
      assert.equal((await app.post('/1/message', message(), { headers })).status, 202, type);
    }
  });

  it('messages are stored verbatim, including unknown properties and large numbers', async () => {
    const { app } = await make();
    const activity =
      '{"@context":"https://www.w3.org/ns/activitystreams","type":"Create","generator":{"type":"Service"},' +
      '"to":{"type":"Person","id":9007199254740993},"object":{"type":"Note","content":"{\\"a\\": \\u00e9 🎈}"},' +
      '"x:own":[9007199254740993, 1.50, 1e2, {"b":null}]}';
    const { body } = await app.post('/1/message', undefined, {
      raw: `{ "before": 1, "message" : ${activity} , "after": "}" }`,
    });
    const { text, body: shown } = await app.get(`/1/messages/${body.id}`);
    assert.ok(text.endsWith(`"message":${activity}}`));
    assert.equal(shown.to, '9007199254740993', 'an id may be a number');
  });

  it('messages are refused for a disabled integration and for one without credentials', async () => {
    const { application, app, integration } = await make();
    await app.delete(`/1/integrations/${integration.id}/disable`);
    for (const generator of [
      { type: 'Service', id: integration.id },
      { type: 'Service', name: 'telegram' },
    ]) {
      const { status, body } = await app.post('/1/message', message({ generator }));
      assert.deepEqual([status, body.code], [422, 'integration_disabled']);
    }
    const bare = await integrate(app, application.id, { name: 'slack', token: undefined });
    const { status, body } = await app.post(
      '/1/message',
      message({ generator: { type: 'Service', id: bare.id } }),
    );
    assert.deepEqual([status, body.code], [422, 'integration_incomplete']);
    assert.match(body.detail, /token/);
  });

  it('messages are refused for an invalid recipient of the channel', async () => {
    const { app } = await make();
    const { status, body } = await app.post(
      '/1/message',
      message({ to: { type: 'Person', id: 'Charles Babbage' } }),
    );
    assert.equal(status, 422);
    assert.equal(body.errors[0].pointer, '/message/to/id');
  });

  it('messages require @context, type, generator, to and object, each of its type', async () => {
    const { app } = await make();
    for (const field of ['@context', 'type', 'generator', 'to', 'object']) {
      const { message: whole } = message();
      delete whole[field];
      const { status, body } = await app.post('/1/message', { message: whole });
      assert.equal(status, 422);
      assert.deepEqual([body.errors.length, body.errors[0].pointer], [1, `/message/${field}`]);
    }
    const wrong: [Record<string, unknown>, string][] = [
      [{ '@context': 'https://example.com/' }, '/message/@context'],
      [{ '@context': {} }, '/message/@context'],
      [{ type: 'Like' }, '/message/type'],
      [{ generator: 'me' }, '/message/generator'],
      [{ generator: { type: 'Person' } }, '/message/generator/type'],
      [{ to: { type: 'Person' } }, '/message/to/id'],
      [{ to: { type: 'Person', id: '' } }, '/message/to/id'],
      [{ to: { type: 'Place', id: '1' } }, '/message/to/type'],
      [{ to: [] }, '/message/to'],
      [{ object: { type: 'Note' } }, '/message/object/content'],
      [{ object: { type: 'Note', content: '' } }, '/message/object/content'],
      [{ object: { type: 'Note', content: 5 } }, '/message/object/content'],
      [{ object: { type: 'Image' } }, '/message/object/url'],
      [{ object: { type: 'Image', url: 'cid:1' } }, '/message/object/url'],
      [{ object: { type: 'Place', latitude: 91, longitude: 0 } }, '/message/object/latitude'],
      [{ object: { type: 'Place', latitude: 1 } }, '/message/object/longitude'],
      [{ object: { type: 'Article', content: 'x' } }, '/message/object/type'],
      [{ published: 'yesterday' }, '/message/published'],
      [{ published: -1 }, '/message/published'],
      [{ actor: { type: 'Robot' } }, '/message/actor/type'],
    ];
    for (const [change, pointer] of wrong) {
      const { status, body } = await app.post('/1/message', message(change));
      assert.equal(status, 422, pointer);
      assert.deepEqual(
        body.errors.map((error: { pointer: string }) => error.pointer),
        [pointer],
      );
    }
  });

  it('messages may be images, videos, audio, documents, places and notes with attachments', async () => {
    const { app } = await make();
    const url = 'https://example.com/file';
    const objects = [
      ...['Image', 'Video', 'Audio', 'Document'].map((type) => ({
        type,
        url,
        mediaType: 'a/b',
        name: 'n',
        content: 'c',
      })),
      { type: 'Place', latitude: 51.5, longitude: -0.1, name: 'London' },
      { type: 'Note', content: 'Choose', attachment: [{ type: 'Button', name: 'Yes', url }] },
      { type: 'Note', attachment: [{ type: 'Image', url }] },
    ];
    for (const object of objects) {
      assert.equal((await app.post('/1/message', message({ object }))).status, 202, object.type);
    }
  });

  it('messages are listed newest first and filtered by state, integration, recipient and time', async () => {
    const { application, app, integration } = await make();
    const second = await integrate(app, application.id);
    const send = async (id: unknown, to: string) =>
      (
        await app.post(
          '/1/message',
          message({ generator: { type: 'Service', id }, to: { type: 'Person', id: to } }),
        )
      ).body.id as number;
    const a = await send(integration.id, '1');
    const b = await send(second.id, '1');
    const c = await send(integration.id, '2');
    await app.delete(`/1/messages/${a}`);
    const found = async (query: string) =>
      (await app.get(`/1/messages?${query}`)).body.data.map((item: { id: number }) => item.id);
    assert.deepEqual(await found(''), [c, b, a]);
    assert.deepEqual(await found('state=canceled'), [a]);
    assert.deepEqual(await found('state=queued'), [c, b]);
    assert.deepEqual(await found(`integration_id=${integration.id}`), [c, a]);
    assert.deepEqual(await found('to=1'), [b, a]);
    assert.deepEqual(await found(`to=1&integration_id=${second.id}&state=queued`), [b]);
    assert.deepEqual(await found('created_after=2020-01-01T00:00:00'), [c, b, a]);
    assert.deepEqual(await found('created_before=2020-01-01T00:00:00'), []);
    assert.deepEqual(await found('limit=1'), [c]);
    assert.deepEqual(await found(`starting_after=${b}`), [a]);
    assert.deepEqual(await found('to=1&to=2'), [c], 'the last of several values counts');
    for (const nonsense of [
      'state=lost',
      'integration_id=x',
      'created_after=soon',
      'to=%00',
      'created_before=',
    ]) {
      assert.deepEqual(await found(nonsense), [], nonsense);
    }
  });

  it('messages are listed in pages that stay small when the messages are large', async () => {
    const { app } = await make();
    const content = 'x'.repeat(200_000);
    for (let i = 0; i < 45; i++)
      await app.post('/1/message', message({ object: { type: 'Note', content } }));
    const first = await app.get('/1/messages');
    assert.ok(first.text.length < 9_000_000 && first.body.data.length > 30);
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await app.get(next.slice(app.url.length));
    assert.equal(first.body.data.length + second.body.data.length, 45);
    const oldest = second.body.data.at(-1).id;
    const before = await app.get(`/1/messages?ending_before=${oldest}`);
    assert.equal(before.body.data.at(-1).id, second.body.data.at(-2)?.id, 'the nearest come first');
    assert.match(before.headers.get('link') ?? '', /rel="prev"/);
  });

  it('messages are canceled while they are queued, also twice', async () => {
    const { app } = await make();
    const { body } = await app.post('/1/message', message());
    for (let i = 0; i < 2; i++)
      assert.equal((await app.delete(`/1/messages/${body.id}`)).status, 204);
    assert.equal((await app.get(`/1/messages/${body.id}`)).body.state, 'canceled');
    await sb()
      .store.engine.db.updateTable('outbox')
      .set({ state: 'sent' })
      .where('id', '=', body.id)
      .execute();
    const late = await app.delete(`/1/messages/${body.id}`);
    assert.deepEqual([late.status, late.body.code], [409, 'message_settled']);
    assert.equal((await app.delete('/1/messages/999999999')).status, 404);
  });

  it('messages are listed by state correctly after the last listed one has changed its state', async () => {
    const { app } = await make();
    const ids: number[] = [];
    for (let i = 0; i < 4; i++) ids.unshift((await app.post('/1/message', message())).body.id);
    await app.delete(`/1/messages/${ids[1]}`);
    const { body } = await app.get(`/1/messages?state=queued&starting_after=${ids[1]}`);
    assert.deepEqual(
      body.data.map((item: { id: number }) => item.id),
      ids.slice(2),
    );
  });

  it('messages are refused for a recipient too long for any channel', async () => {
    const { application, app } = await make();
    const xmpp = {
      name: 'xmpp',
      username: 'bot@example.com',
      token: 'x',
      address: 'example.com:5222',
    };
    const { id } = await integrate(app, application.id, xmpp);
    const to = { type: 'Person', id: `${'界'.repeat(900)}@example.com` };
    const reply = await app.post('/1/message', message({ generator: { type: 'Service', id }, to }));
    assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, '/message/to/id']);
  });

  it('messages are not accepted by a dry run, nor is a batch dry-run', async () => {
    const { app } = await make();
    assert.equal((await app.post('/1/message?dry_run=true', message())).status, 200);
    const batch = { messages: [message().message] };
    assert.equal((await app.post('/1/messages?dry_run=true', batch)).status, 422);
    assert.deepEqual((await app.get('/1/messages')).body.data, []);
  });

  it('messages are accepted up to 1,000 at once, in order, all or none', async () => {
    const { app } = await make();
    const messages = Array.from(
      { length: 1000 },
      (_, i) => message({ to: { type: 'Person', id: String(i + 1) } }).message,
    );
    const { status, body } = await app.post('/1/messages', { messages });
    assert.equal(status, 202);
    assert.equal(body.data.length, 1000);
    const ids = body.data.map((item: { id: number }) => item.id);
    assert.deepEqual(
      ids,
      ids.toSorted((a: number, b: number) => a - b),
    );
    const last = await app.get(`/1/messages/${ids[999]}`);
    assert.equal(last.body.to, '1000');
    assert.deepEqual(last.body.message, messages[999]);

    const [one = {}] = messages;
    const tooMany = await app.post('/1/messages', { messages: [...messages, one] });
    assert.deepEqual([tooMany.status, tooMany.body.errors[0].pointer], [422, '/messages']);
    assert.equal((await app.post('/1/messages', { messages: [] })).status, 422);
    const bad = await app.post('/1/messages', {
      messages: [one, { ...one, to: { type: 'Person', id: '?' } }, one],
    });
    assert.deepEqual([bad.status, bad.body.errors[0].pointer], [422, '/messages/1/to/id']);
    assert.equal(
      (await app.get('/1/messages?limit=1')).body.data[0].id,
      ids[999],
      'nothing was stored',
    );
  });

  it('messages are refused while the application is disabled, and accepted once it is enabled', async () => {
    const { application, app } = await make();
    const { body: waiting } = await app.post('/1/message', message());
    await sb().api.delete(`/1/applications/${application.id}/disable`);
    const refused = await app.post('/1/message', message());
    assert.deepEqual([refused.status, refused.body.code], [403, 'application_disabled']);
    assert.equal(
      (await app.get(`/1/messages/${waiting.id}`)).body.state,
      'queued',
      'queued messages wait',
    );
    await sb().api.put(`/1/applications/${application.id}`, { state: 'enable' });
    assert.equal((await app.post('/1/message', message())).status, 202);
  });

  it('deleting an integration cancels its queued messages, which stay on record', async () => {
    const { app, integration } = await make();
    const { body } = await app.post('/1/message', message());
    await app.delete(`/1/integrations/${integration.id}`);
    await until('it is canceled', async () => {
      const shown = await app.get(`/1/messages/${body.id}`);
      assert.equal(shown.status, 200);
      if (shown.body.state === 'canceled') return true;
      assert.equal(shown.body.state, 'queued');
      return false;
    });
  });

  it('deleting an application purges its messages in the background', async () => {
    const { application, app } = await make();
    const messages = Array.from({ length: 1000 }, () => message().message);
    for (let i = 0; i < 3; i++) await app.post('/1/messages', { messages });
    assert.equal((await sb().api.delete(`/1/applications/${application.id}`)).status, 204);
    await until('they are purged', async () => {
      const left = await sb().store.messages.list(application.id, {}, { limit: 1 });
      return left.items.length === 0;
    });
  });
});
