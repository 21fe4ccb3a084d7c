import assert from 'node:assert/strict';
import { it } from 'node:test';

import { onEachEngine } from '../support/store/each-engine.ts';

interface Field {
  secret: boolean;
  generate: string | null;
}

onEachEngine('credential generation', (sb) => {
  it('the catalog marks secrets that users choose, with the form of a random one', async () => {
    const { app } = await sb().application();
    const { body } = await app.get('/1/channels');
    const channels: { name: string; credentials: Field[] }[] = body.data;
    const generated = channels.flatMap(({ name, credentials }) =>
      credentials
        .filter(({ generate }) => generate !== null)
        .map(({ secret, generate }) => ({ channel: name, secret, generate })),
    );
    const formOf = (channel: string) => generated.find((one) => one.channel === channel)?.generate;
    assert.deepEqual(['telegram', 'whatsapp', 'webmessenger', 'webhook', 'slack'].map(formOf), [
      'hex',
      'hex',
      'hex',
      'whsec',
      undefined,
    ]);
    assert.ok(generated.every(({ secret }) => secret));
  });
});
