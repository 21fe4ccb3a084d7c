import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const NUMBER = '+15558675310';

onEachEngine('consents', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    // The address answers nothing: no message of these tests may need it.
    const webhook = { name: 'webhook', token: undefined, address: 'https://hook.example.org/in' };
    await integrate(app, application.id, webhook);
    const to = (id: string) => message({ to: { type: 'Person', id } });
    const stop = (fields: Record<string, unknown> = {}) =>
      app.post('/1/consents', {
        family: 'webhook',
        address: 'ada',
        state: 'revoked',
        evidence: 'asked by phone',
        ...fields,
      });
    return { app, to, stop };
  };

  it('a recorded stop refuses messages to the address, and no others', async () => {
    const { app, to, stop } = await make();
    const { status, body } = await stop();
    assert.equal(status, 201);
    assert.deepEqual(
      [body.family, body.address, body.scope, body.state, body.source, body.evidence],
      ['webhook', 'ada', 'all', 'revoked', 'api', 'asked by phone'],
    );
    const refused = await app.post('/1/message', to('ada'));
    assert.deepEqual([refused.status, refused.body.code], [422, 'recipient_suppressed']);
    assert.equal(refused.body.errors[0].pointer, '/message/to/id');
    assert.equal((await app.post('/1/message', to('grace'))).status, 202);
    const { body: list } = await app.get('/1/messages');
    assert.equal(list.data.length, 1, 'a refused message is not stored');
  });

  it('a batch stores messages to people who stopped them as suppressed, with an event', async () => {
    const { app, to, stop } = await make();
    await stop();
    const messages = [to('ada').message, to('grace').message];
    const { status, body } = await app.post('/1/messages', { messages });
    assert.equal(status, 202);
    assert.deepEqual(
      body.data.map(({ state }: { state: string }) => state),
      ['suppressed', 'queued'],
    );
    const [{ id }] = body.data;
    const { body: stored } = await app.get(`/1/messages/${id}`);
    assert.deepEqual([stored.state, stored.error.code], ['suppressed', 'suppressed']);
    const { body: events } = await app.get('/1/events');
    assert.deepEqual(
      events.data
        .filter(({ type }: { type: string }) => type === 'message.suppressed')
        .map(({ data }: { data: { id: number } }) => data.id),
      [id],
    );
  });

  it('a stop of marketing leaves other messages alone', async () => {
    const { app, to, stop } = await make();
    await stop({ scope: 'marketing' });
    const marketing = await app.post('/1/message', { ...to('ada'), category: 'marketing' });
    assert.equal(marketing.body.code, 'recipient_suppressed');
    assert.equal((await app.post('/1/message', to('ada'))).status, 202);
  });

  it('an address is found in its family, or in all', async () => {
    const { app, stop } = await make();
    await stop({ family: 'sms', address: '15558675310' });
    await stop({ family: 'whatsapp', address: '+15558675310', scope: 'marketing' });
    await stop({ family: 'email', address: 'ada@example.com' });
    const find = async (query: string) => {
      const { body } = await app.get(`/1/consents?${query}`);
      return body.data.map((one: { family: string }) => one.family);
    };
    const number = encodeURIComponent(NUMBER);
    assert.deepEqual(await find(`address=${number}`), ['sms', 'whatsapp']);
    assert.deepEqual(await find(`family=sms&address=${number}`), ['sms']);
    assert.deepEqual(await find('address=ADA@example.com'), ['email']);
    assert.deepEqual(await find('address=%00'), []);
  });

  it('a granted consent ends a stop, and the history keeps both', async () => {
    const { app, to, stop } = await make();
    const { body: stopped } = await stop();
    const { body: granted } = await stop({ state: 'granted', evidence: 'wrote START' });
    assert.equal(granted.id, stopped.id);
    assert.equal((await app.post('/1/message', to('ada'))).status, 202);
    const { body } = await app.get(`/1/consents/${stopped.id}`);
    assert.deepEqual(
      body.history.map(({ state, evidence }: Record<string, string>) => [state, evidence]),
      [
        ['granted', 'wrote START'],
        ['revoked', 'asked by phone'],
      ],
    );
    const types = (await app.get('/1/events')).body.data.map(({ type }: { type: string }) => type);
    assert.deepEqual(types.toSorted(), ['consent.granted', 'consent.revoked']);
  });

  it('consents are found by an address in any spelling, and are deleted', async () => {
    const { app, stop } = await make();
    const { body } = await stop({ family: 'sms', address: NUMBER.slice(1) });
    assert.equal(body.address, NUMBER);
    await stop();
    const found = await app.get(`/1/consents?family=sms&address=${NUMBER.slice(1)}`);
    assert.deepEqual(
      found.body.data.map(({ id }: { id: number }) => id),
      [body.id],
    );
    assert.equal((await app.get('/1/consents')).body.data.length, 2);
    assert.equal((await app.delete(`/1/consents/${body.id}`)).status, 204);
    assert.equal((await app.get(`/1/consents/${body.id}`)).status, 404);
  });

  it('an unknown family, state or scope is refused', async () => {
    const { app, stop } = await make();
    for (const fields of [{ family: 'smss' }, { state: 'maybe' }, { scope: 'vendor' }]) {
      const { status } = await stop(fields);
      assert.equal(status, 422, JSON.stringify(fields));
    }
    assert.deepEqual((await app.get('/1/consents')).body.data, []);
  });

  it('an unknown category is refused', async () => {
    const { app, to } = await make();
    const { status } = await app.post('/1/message', { ...to('ada'), category: 'news' });
    assert.equal(status, 422);
  });
});
