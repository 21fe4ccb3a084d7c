import assert from 'node:assert/strict';
import { it } from 'node:test';

import { commandLine } from '../support/programs/command.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

it('a node with the role deliver serves only health checks and metrics', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_ROLE: 'deliver' },
  });
  assert.deepEqual(sb.service.routes.map(({ path }) => path).toSorted(), [
    '/healthz',
    '/metrics',
    '/readyz',
  ]);
  for (const path of ['/healthz', '/metrics', '/readyz']) {
    assert.equal((await fetch(`${sb.url}${path}`)).status, 200);
  }
  for (const path of ['/1/channels', '/openapi.json', '/docs', '/1/message']) {
    assert.equal((await fetch(`${sb.url}${path}`)).status, 404, path);
  }
});

for (const engine of ENGINES) {
  it(`the command line starts a node with a role, and lists nodes (${engine})`, async () => {
    await using cli = await commandLine(engine);
    const none = await cli.run(['nodes']);
    assert.equal(none.stdout, 'None.\n');
    const refused = await cli.run(['serve', '--role', 'sender']);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /SWITCHBOARD_ROLE: .*"sender".*all, api, deliver/);

    const running = cli.start(['serve', '--role', 'deliver']);
    await running.printed('stdout', /"msg":"listening"/);
    const listed = await until('it is listed', async () => {
      const { stdout } = await cli.run(['nodes', '--json']);
      const found = JSON.parse(stdout);
      return found.nodes.length === 1 && found;
    });
    const [node] = listed.nodes;
    assert.equal(node.role, 'deliver');
    assert.equal(node.integrations, 0);
    assert.ok(node.lease_seconds > 0 && node.lease_seconds <= 10);
    assert.ok(Math.abs(Date.parse(node.started) - Date.now()) < 60_000);
    assert.deepEqual(listed.unowned, { integrations: 0, ids: [] });
    const { stdout: table } = await cli.run(['nodes']);
    assert.match(table, /^id +role +host +pid +started +lease +integrations\n/);
    assert.match(table, / deliver +\S+ +\d+ +\S+ +\d+ s left +0\n$/);
    running.kill('SIGTERM');
    assert.equal((await running.exited).code, 0);
    assert.equal((await cli.run(['nodes'])).stdout, 'None.\n');
  });
}
