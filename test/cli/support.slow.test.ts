import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { formatKeyRing, generateRingKey } from '../../src/lib/crypto/seal.ts';
import { VERSION } from '../../src/lib/runtime/version.ts';
import { call, commandLine, makeApplication, note } from '../support/programs/command.ts';
import { ENGINES } from '../support/store/databases.ts';
import { freePort } from '../support/store/postgres.ts';

const canary = (name: string) => `CANARY-${name}-f3a9c1`;

for (const engine of ENGINES) {
  it(`doctor --support writes the information that support needs and no secrets (${engine})`, async () => {
    const key = generateRingKey();
    const port = String(await freePort());
    await using cli = await commandLine(engine, {
      SWITCHBOARD_PORT: port,
      SWITCHBOARD_SECRET_KEYS: formatKeyRing([key]),
      SWITCHBOARD_METRICS_TOKEN: canary('metrics'),
      SWITCHBOARD_PUBLIC_URL: `https://${canary('user')}:${canary('password')}@example.com`,
      SWITCHBOARD_TELEGRAM_URL: `http://127.0.0.1:9/${canary('path')}`,
      SWITCHBOARD_UNKNOWN_THING: canary('unknown'),
      SWITCHBOARD_ROLE: 'api',
      SOMETHING_ELSE: canary('foreign'),
    });
    const { signIn } = await cli.serve();
    const url = `http://127.0.0.1:${port}`;
    const userToken = await signIn(url);
    const { applicationId, token } = await makeApplication(url, userToken);
    const credentials = { token: canary('credential'), secret: canary('secret') };
    const json = { application_id: applicationId, name: 'slack', state: 'enable', ...credentials };
    await call(url, 'POST', '/1/integrations', { token, json });
    const body = note(canary('content'));
    const activity = {
      ...body.message,
      generator: { type: 'Service', name: 'telegram' },
      to: { type: 'Person', id: '4242424242' },
    };
    await call(url, 'POST', '/1/message', { token, json: { message: activity } });

    const file = join(cli.folder, 'report.json');
    const { code, stderr } = await cli.run(['doctor', '--support', file]);
    // The PostgreSQL of all tests runs without fsync, which the report lists as a problem.
    assert.equal(code, engine === 'sqlite' ? 0 : 1, stderr);
    assert.match(stderr, /report\.json\b/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const text = readFileSync(file, 'utf8');
    const secrets = [userToken, token, '4242424242', 'admin@localhost', 'CANARY', '127.0.0.1:9'];
    for (const secret of [...secrets, key.key.toString('base64')]) {
      assert.ok(!text.includes(secret), `the report contains ${secret.slice(0, 12)}`);
    }

    const report = JSON.parse(text);
    assert.equal(report.version, VERSION);
    assert.match(report.machine.node, /^\d+\./);
    assert.equal(report.settings.SWITCHBOARD_ROLE, 'api');
    assert.equal(report.settings.SWITCHBOARD_METRICS_TOKEN, '[masked]');
    assert.equal(report.settings.SWITCHBOARD_PUBLIC_URL, 'https://[masked]@example.com');
    assert.equal(report.settings.SWITCHBOARD_TELEGRAM_URL, '[masked]');
    assert.deepEqual(report.unknown_settings, ['SWITCHBOARD_UNKNOWN_THING']);
    assert.ok(report.findings.some(({ check }: { check: string }) => check === 'clock'));
    assert.match(report.store.version, engine === 'sqlite' ? /^SQLite/ : /^PostgreSQL/);
    assert.deepEqual(report.store.pending, []);
    assert.ok(report.store.applied.includes('0001-initial'));
    assert.deepEqual(report.store.queued, { telegram: 1 });
    assert.equal(report.store.totals.unowned, 2);
    assert.equal(report.store.nodes[0].role, 'api');
    assert.deepEqual([report.service.healthz, report.service.readyz], [200, 200]);
    assert.ok(report.service.metrics.includes('switchboard_messages_accepted_total 1'));
  });
}

for (const [name, value] of [
  ['SWITCHBOARD_PUBLIC_URL', `ftp://${canary('user')}:${canary('password')}@example.com`],
  ['SWITCHBOARD_LOG_LEVEL', canary('level')],
] as const) {
  it(`doctor --support writes a report even when nothing works without ${name}`, async () => {
    await using cli = await commandLine('sqlite', { [name]: value });
    const { code, stdout } = await cli.run(['doctor', '--support']);
    assert.equal(code, 1);
    assert.match(stdout, /^problem +settings/m);
    const written = readdirSync(cli.folder).find((one) =>
      /^switchboard-support-\d{14}\.json$/.test(one),
    );
    const text = readFileSync(join(cli.folder, written ?? ''), 'utf8');
    assert.ok(!text.includes('CANARY'), text);
    const report = JSON.parse(text);
    assert.deepEqual([report.store, report.service], [null, null]);
    assert.equal(report.settings[name], '[masked]');
  });
}

it('doctor --support reports a missing store or service and overwrites nothing', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_PORT: String(await freePort()) });
  const file = join(cli.folder, 'report.json');
  await cli.run(['doctor', '--support', file]);
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(report.store, { exists: false });
  assert.match(report.service.error, /fetch failed/);
  assert.ok(
    !existsSync(cli.environment['SWITCHBOARD_DATABASE'] ?? ''),
    'the report creates nothing else',
  );
  writeFileSync(file, 'precious');
  const again = await cli.run(['doctor', '--support', file]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /report\.json/);
  assert.equal(readFileSync(file, 'utf8'), 'precious');
});
