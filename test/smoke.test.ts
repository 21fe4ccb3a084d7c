import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ENGINES } from './support/databases.ts';
import { startTestService } from './support/service.ts';

for (const engine of ENGINES) {
  it(`accepts a message and shows it (${engine})`, async () => {
    await using sb = await startTestService(engine);
    const { application, app } = await sb.application();
    const integration = await app.post('/1/integrations', { application_id: application.id, name: 'Telegram', state: 'enable', token: '1:a' });
    assert.equal(integration.status, 201);
    const sent = await app.post('/1/message', { message: { '@context': 'https://www.w3.org/ns/activitystreams', type: 'Create', generator: { type: 'Service', id: String(integration.body.id) }, to: { type: 'Person', id: '123' }, object: { type: 'Note', content: 'hi' } } });
    assert.equal(sent.status, 202);
    const shown = await app.get(`/1/messages/${sent.body.id}`);
    assert.equal(shown.body.message.object.content, 'hi');
    const list = await app.get(`/1/messages`);
    assert.equal(list.body.data.length, 1);
  });
}
