import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

import { MAIN, call, commandLine, makeApplication } from '../support/programs/command.ts';

const HOOK = fileURLToPath(new URL('../support/loaded-simulators.js', import.meta.url));

/** What every start loads, it keeps. `npm run bench -- start` measures a service with and without the sandbox. */
it('a service loads a simulator when the first integration uses it, and no other', async () => {
  await using cli = await commandLine('sqlite');
  const launcher = [process.execPath, '--import', HOOK, MAIN] as const;
  const service = await cli.serve({ launcher });
  const loaded = () =>
    [...service.process.stderr.matchAll(/^loaded \S+\/vendors\/(\S+)$/gm)].map(([, file]) => file);
  const app = await makeApplication(service.url, await service.signIn());
  const channels = await call(service.url, 'GET', '/1/channels', { token: app.token });
  assert.equal(channels.status, 200);
  assert.deepEqual(loaded(), []);
  const json = {
    application_id: app.applicationId,
    name: 'gotify',
    state: 'enable',
    mode: 'sandbox',
  };
  const added = await call(service.url, 'POST', '/1/integrations', { token: app.token, json });
  assert.equal(added.status, 201, added.text);
  assert.ok(loaded().includes('push/gotify.ts'));
  assert.ok(!loaded().includes('telegram/simulator.ts'));
  assert.equal((await service.stop()).code, 0);
});
