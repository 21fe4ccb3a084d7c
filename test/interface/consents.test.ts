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
    return { app, applicationId: application.id, to, stop };
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

  it('a batch stores messages that their recipients stopped as suppressed, with an event', async () => {
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

  it('a stop recorded by the channel that sends to a number counts for every such channel', async () => {
    const { app, stop } = await make();
    for (const [family, address, kept] of [
      ['twilio', NUMBER, `sms ${NUMBER}`],
      ['twilio', `whatsapp:${NUMBER}`, `whatsapp ${NUMBER}`],
      ['vonage', '447700900000', 'sms +447700900000'],
      ['sandbox.smpp', NUMBER, `sandbox.sms ${NUMBER}`],
    ] as const) {
      const { status, body } = await stop({ family, address });
      assert.deepEqual([status, `${body.family} ${body.address}`], [201, kept]);
      const query = new URLSearchParams({ family, address });
      const found = await app.get(`/1/consents?${query.toString()}`);
      assert.equal(found.body.data[0]?.id, body.id, `${family} ${address}`);
    }
  });

  it('an address that no message can have is refused, because its stop would have no effect', async () => {
    const { app, stop } = await make();
    for (const [family, address] of [
      ['sms', '+1 555 867 5310'],
      ['sms', '0049151123456'],
      ['twilio', '(555) 867-5310'],
      ['whatsapp', '+1 650 555 1234'],
      ['email', 'Ada <ada@example.com>'],
      ['telegram', '+4915112345678'],
      ['sandbox.email', 'ada'],
    ]) {
      const { status, body } = await stop({ family, address });
      assert.deepEqual(
        [status, body.errors?.[0].pointer],
        [422, '/address'],
        `${family} ${address}`,
      );
    }
    assert.deepEqual((await app.get('/1/consents')).body.data, []);
  });

  it('a stop counts for every spelling of the address', async () => {
    const { app, applicationId, stop } = await make();
    for (const [name, address, others] of [
      [
        'email',
        'Ada@Bücher.example',
        ['ada@bücher.example', 'ada@XN--bcher-kva.example', '"ada"@bücher.example'],
      ],
      ['email', '\u00E4da@example.org', ['a\u0308da@example.org', 'A\u0308DA@example.org']],
      ['whatsapp', '+5215512345678', ['+525512345678', '525512345678', '5215512345678']],
      ['whatsapp', '+551187654321', ['+5511987654321', '551187654321']],
      ['xmpp', 'ada@example.org', ['Ada@example.org', 'ada@EXAMPLE.org']],
      ['irc', 'Ada[m]', ['ada[m]', 'ADA{m}']],
    ] as const) {
      const { id } = await integrate(app, applicationId, {
        name,
        token: undefined,
        mode: 'sandbox',
      });
      const refusedTo = async (to: string) => {
        const generator = { type: 'Service', id: String(id) };
        const sent = message({ generator, to: { type: 'Person', id: to } });
        return (await app.post('/1/message', sent)).body.code === 'recipient_suppressed';
      };
      assert.equal(await refusedTo(address), false, address);
      assert.equal((await stop({ family: `sandbox.${name}`, address })).status, 201);
      for (const each of [address, ...others]) assert.ok(await refusedTo(each), each);
    }
  });

  it('a stopped person is not reached by a batch, a change, a contact, a pool or a route', async () => {
    const { app, applicationId } = await make();
    const { id } = await integrate(app, applicationId, {
      name: 'twilio',
      token: undefined,
      mode: 'sandbox',
    });
    const other = await integrate(app, applicationId, {
      name: 'vonage',
      token: undefined,
      mode: 'sandbox',
    });
    const members = [{ integration_id: id }, { integration_id: other.id }];
    assert.equal((await app.post('/1/pools', { name: 'sms', members })).status, 201);
    const { body: contact } = await app.post('/1/contacts', {
      external_id: 'ada',
      addresses: [{ channel: 'sandbox.sms', address: NUMBER }],
    });
    const through = (generator: string, to: string) =>
      message({ generator: { type: 'Service', id: generator }, to: { type: 'Person', id: to } });
    const twilio = String(id);
    const later = { send_at: { local: '09:00', zone: 'Europe/Berlin' } };
    const free = await app.post('/1/message', { ...through(twilio, '+15558675311'), ...later });
    const scheduled = await app.post('/1/message', { ...through(twilio, NUMBER), ...later });
    assert.deepEqual([free.status, scheduled.status], [202, 202]);
    const stop = { family: 'sandbox.sms', address: NUMBER, state: 'revoked', evidence: 'phone' };
    assert.equal((await app.post('/1/consents', stop)).status, 201);

    const ways: Record<string, Record<string, unknown>> = {
      number: through(twilio, NUMBER),
      'another provider': through(String(other.id), NUMBER.slice(1)),
      contact: through(twilio, `contact:${contact.id}`),
      'external id': through(twilio, 'contact:external:ada'),
      pool: through('pool:sms', NUMBER),
      scheduled: { ...through(twilio, NUMBER), ...later },
      routes: { ...through(twilio, NUMBER), routes: [{ via: twilio }] },
    };
    for (const [way, body] of Object.entries(ways)) {
      const { body: refused } = await app.post('/1/message', body);
      assert.equal(refused.code, 'recipient_suppressed', way);
    }
    const batch = await app.post('/1/messages', { messages: Object.values(ways) });
    assert.equal(batch.status, 202, batch.text);
    for (const { state } of batch.body.data) assert.equal(state, 'suppressed');
    for (const one of [free, scheduled]) {
      const changed = await app.put(`/1/messages/${one.body.id}`, through(twilio, NUMBER));
      assert.equal(changed.body?.code, 'recipient_suppressed');
    }
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
