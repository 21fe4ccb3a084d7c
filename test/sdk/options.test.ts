import assert from 'node:assert/strict';
import { it } from 'node:test';

import { type Composable, activityOf, note, update } from '../../sdk/src/index.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { applicationClient, faultOf } from './support.ts';

onEachEngine('options of the client', (sb) => {
  const open = async () => {
    const { client } = await applicationClient(sb());
    const options = { silent: true, link_preview: false };
    const integration = await client.integrations.create({
      name: 'telegram',
      token: '1:fake',
      options,
    });
    return { client, integration };
  };

  it('options go beside a message in short form and beside an activity', async () => {
    const { client } = await open();
    const options = { silent: false };
    for (const message of [
      { to: '1', text: 'Hello', options },
      { message: { to: '1', text: 'Hello' }, options },
      { message: note('Hello', { to: '1' }), options },
    ]) {
      const { id } = await client.messages.send(message);
      const { options: sent, message: activity } = await client.messages.get(id);
      assert.deepEqual(sent, { silent: false, link_preview: false });
      assert.equal('options' in activity, false);
      assert.deepEqual((await client.messages.dryRun(message)).options, sent);
    }
  });

  it('each message of a batch has its own options', async () => {
    const { client } = await open();
    const accepted = await client.messages.sendAll([
      { to: '1', text: 'short', options: { silent: false } },
      note('an activity', { to: '1' }),
      { message: note('with options', { to: '1' }), options: { protect_content: true } },
    ]);
    const sent = await Promise.all(accepted.map(({ id }) => client.messages.get(id)));
    assert.deepEqual(
      sent.map(({ options }) => options),
      [
        { silent: false, link_preview: false },
        { silent: true, link_preview: false },
        { silent: true, link_preview: false, protect_content: true },
      ],
    );
    const refused = await faultOf(
      client.messages.sendAll([{ to: '1', text: 'Hello', options: { loud: true } }]),
    );
    assert.equal(refused.errors[0]?.pointer, '/messages/0/options/loud');
  });

  it('integrations have default options, which null clears', async () => {
    const { client, integration } = await open();
    assert.deepEqual(integration.options, { silent: true, link_preview: false });
    await client.integrations.update(integration.id, { name: 'telegram', options: null });
    assert.equal((await client.integrations.get(integration.id)).options, undefined);
    const telegram = await client.channels.get('telegram');
    assert.ok(telegram?.options.some(({ name, type }) => name === 'silent' && type === 'boolean'));
  });
});

it('builders refuse options, which an activity cannot carry', () => {
  const sending: Composable & { options: object } = { to: '1', id: 'a', options: { silent: true } };
  assert.throws(() => note('Hello', sending), TypeError);
  assert.throws(() => update({ ...sending, id: 'a' }), TypeError);
  assert.throws(() => activityOf(sending), TypeError);
});
