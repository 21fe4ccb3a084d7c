import assert from 'node:assert/strict';
import { it } from 'node:test';

import { CHANNELS } from '../../src/channels/index.ts';
import type { Guide } from '../../src/http/pages/setup-guide.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

type Blocks = Guide['setup'];

const textOf = (blocks: Blocks) =>
  blocks.flatMap(({ text }) => text.map((run) => run.text)).join('\n');

onEachEngine('setup guides', (sb) => {
  it('every channel has its guide as steps, without the example requests', async () => {
    for (const { name, credentials } of CHANNELS) {
      const { status, body } = await sb().as(undefined).get(`/1/channels/${name}/guide`);
      assert.equal(status, 200, name);
      const { setup, troubleshooting, page }: Guide = body;
      assert.equal(page, `/docs/channels/${name}`);
      assert.ok(setup.length > 0 && troubleshooting.length > 0, name);
      const steps = setup.flatMap(({ step }) => (step === null ? [] : [step]));
      // The web chat is built in and needs no setup.
      assert.equal(steps.includes(1), name !== 'webmessenger', name);
      assert.doesNotMatch(textOf(setup), /\$APP|Troubleshooting|\|/);
      const fields = setup.flatMap(({ text }) => text.flatMap(({ field }) => field ?? []));
      const own = credentials.map((field) => field.name);
      assert.ok(
        fields.every((field) => own.includes(field)),
        name,
      );
    }
  });

  it('a guide links to the pages of the vendor and names the fields', async () => {
    const { body }: { body: Guide } = await sb().as(undefined).get('/1/channels/discord/guide');
    const runs = body.setup.flatMap(({ text }) => text);
    assert.ok(runs.some(({ url }) => url === 'https://discord.com/developers/applications'));
    assert.ok(runs.some(({ text, style }) => text === 'Reset Token' && style === 'strong'));
    const named = runs.filter(({ field }) => field !== undefined).map(({ field }) => field);
    assert.deepEqual(named, ['token', 'consumer_key', 'secret']);
    assert.ok(body.receiving.length > 0);
    const matrix: { body: Guide } = await sb().as(undefined).get('/1/channels/matrix/guide');
    assert.ok(matrix.body.setup.some(({ type, step }) => type === 'code' && step === 2));
  });

  it('a guide is found by alias, and an unknown channel is named', async () => {
    const { body } = await sb().as(undefined).get('/1/channels/smtp/guide');
    assert.equal(body.name, 'email');
    const unknown = await sb().as(undefined).get('/1/channels/..%2F..%2Fpackage/guide');
    assert.deepEqual([unknown.status, unknown.body.code], [422, 'unknown_channel']);
  });

  it('a check that the channel cannot make says nothing about the credentials', async () => {
    const { app, application } = await sb().application();
    const bot = { token: 'fake-bot-id-without-owner' };
    const { body } = await app.post('/1/channels/groupme/check', bot);
    assert.equal(body.status, 'unknown');
    const fields = { application_id: application.id, name: 'groupme', state: 'enable', ...bot };
    const { id } = (await app.post('/1/integrations', fields)).body;
    assert.equal((await app.post(`/1/integrations/${id}/check`, {})).body.status, 'unknown');
    assert.notEqual((await app.get(`/1/integrations/${id}/health`)).body.state, 'failing');
  });
});
