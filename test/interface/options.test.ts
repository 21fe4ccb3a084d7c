import assert from 'node:assert/strict';
import { it } from 'node:test';

import { CHATS, TOKEN, openTelegram, telegramError } from '../emulators/telegram.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

onEachEngine('options', (sb, engine) => {
  const make = async (fields: Record<string, unknown> = {}) => {
    const { application, app } = await sb().application();
    const integration = await integrate(app, application.id, fields);
    return { app, application, integration };
  };

  it('options are stored with the message and shown', async () => {
    const { app } = await make();
    const { status, body } = await app.post('/1/message', {
      ...message(),
      options: { silent: true },
    });
    assert.equal(status, 202);
    const { body: shown } = await app.get(`/1/messages/${body.id}`);
    assert.deepEqual(shown.options, { silent: true });
    const { body: plain } = await app.post('/1/message', message());
    const { body: without } = await app.get(`/1/messages/${plain.id}`);
    assert.equal('options' in without, false);
  });

  it('options are refused if the channel does not have them, or not with that value', async () => {
    const { app } = await make();
    for (const options of [
      { silence: true },
      { silent: 'yes' },
      { silent: 1 },
      { protect_content: '' },
    ]) {
      const { status, body } = await app.post('/1/message', { ...message(), options });
      const pointer = `/options/${Object.keys(options)[0]}`;
      assert.deepEqual(
        [status, body.code, body.errors[0].pointer],
        [422, 'invalid_fields', pointer],
      );
    }
    for (const options of [[], 'silent', { silent: null }, { silent: {} }, { '': true }]) {
      const { status } = await app.post('/1/message', { ...message(), options });
      assert.equal(status, 422, JSON.stringify(options));
    }
  });

  it('options that are misspelled as a member are refused, other members are ignored', async () => {
    const { app } = await make();
    for (const name of ['option', 'Options', 'optoins']) {
      const { status, body } = await app.post('/1/message', { ...message(), [name]: {} });
      assert.deepEqual([status, body.errors?.[0]?.pointer], [422, `/${name}`]);
    }
    const { status } = await app.post('/1/message', { ...message(), reference: 'order 7' });
    assert.equal(status, 202);
  });

  it('options are given per item of a batch', async () => {
    const { app } = await make();
    const { message: activity } = message();
    const { status, body } = await app.post('/1/messages', {
      messages: [activity, { message: activity, options: { silent: true } }],
    });
    assert.equal(status, 202);
    const shown = await Promise.all(
      body.data.map(async ({ id }: { id: number }) => (await app.get(`/1/messages/${id}`)).body),
    );
    assert.deepEqual(
      shown.map(({ options }) => options),
      [undefined, { silent: true }],
    );
    const { status: refused, body: problem } = await app.post('/1/messages', {
      messages: [activity, { message: activity, options: { loud: true } }],
    });
    assert.deepEqual([refused, problem.errors[0].pointer], [422, '/messages/1/options/loud']);
  });

  it('options have defaults on the integration, which a message overrides', async () => {
    const { app, integration } = await make({ options: { silent: true, protect_content: true } });
    assert.deepEqual(integration['options'], { silent: true, protect_content: true });
    const { body } = await app.post('/1/message', { ...message(), options: { silent: false } });
    const { body: shown } = await app.get(`/1/messages/${body.id}`);
    assert.deepEqual(shown.options, { silent: false, protect_content: true });
    const path = `/1/integrations/${integration.id}`;
    assert.equal((await app.put(path, { name: 'telegram' })).status, 204);
    assert.deepEqual((await app.get(path)).body.options, integration['options']);
    assert.equal((await app.put(path, { name: 'telegram', options: null })).status, 204);
    assert.equal('options' in (await app.get(path)).body, false);
  });

  it('options of an integration are refused if its channel does not have them', async () => {
    const { app, application, integration } = await make({ options: { silent: true } });
    const fields = { application_id: application.id, state: 'enable', name: 'telegram' };
    const { status, body } = await app.post('/1/integrations', { ...fields, options: { loud: 1 } });
    assert.deepEqual([status, body.errors[0].pointer], [422, '/options/loud']);
    // Another channel does not have the stored ones.
    const path = `/1/integrations/${integration.id}`;
    const { status: moved } = await app.put(path, { name: 'callr' });
    assert.equal(moved, 422);
    assert.equal((await app.put(path, { name: 'callr', options: {} })).status, 204);
  });

  it('options are in the dry run, with the request that has them', async () => {
    const { app } = await make({ options: { silent: true } });
    const dry = (options: object) => app.post('/1/message?dry_run=true', { ...message(), options });
    const { body } = await dry({ link_preview: false });
    assert.deepEqual(body.options, { silent: true, link_preview: false });
    assert.deepEqual(body.parts[0].content.link_preview_options, { is_disabled: true });
    assert.equal(body.parts[0].content.disable_notification, true);
    const { status, body: wrong } = await dry({ link_preview: 'no' });
    assert.deepEqual([status, wrong.ready, wrong.error.code], [200, false, 'invalid_fields']);
  });

  it('options are listed with each channel', async () => {
    const { app } = await make();
    const { body } = await app.get('/1/channels');
    const telegram = body.data.find(({ name }: { name: string }) => name === 'telegram');
    const names = telegram.options.map(({ name }: { name: string }) => name);
    assert.ok(names.includes('silent'));
  });

  it('options are sent to the vendor at every attempt', async () => {
    await using delivery = await openDelivery(engine, {
      channel: 'telegram',
      open: openTelegram,
      credentials: { token: TOKEN },
      clock: new TestClock(),
    });
    const { app, peer } = delivery;
    peer.next(telegramError(502, 'Bad Gateway'));
    const { body } = await app.post('/1/message', {
      ...message({ to: { type: 'Person', id: CHATS.person } }),
      options: { silent: true },
    });
    await delivery.waiting(body.id, 'retry');
    await app.post(`/1/messages/${body.id}/retry`);
    await delivery.settled(body.id);
    assert.deepEqual(
      peer.seen.map(
        ({ json }) => (json as { disable_notification?: boolean }).disable_notification,
      ),
      [true, true],
    );
  });
});
