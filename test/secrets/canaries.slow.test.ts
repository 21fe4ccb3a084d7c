import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import pg from 'pg';

import { SignIn } from '../../src/http/auth/sign-in.ts';
import { systemClock } from '../../src/lib/runtime/clock.ts';
import { CREDENTIALS } from '../../src/model/integration.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { cookieFor, page, tokenOf } from '../support/service/session.ts';
import { ENGINES } from '../support/store/databases.ts';

/** Values that must never appear in the database or in a log. */
const canary = (name: string) => `CANARY-${name}-f3a9c1`;

for (const engine of ENGINES) {
  it(`no secret is in the database or in any log after a full run (${engine})`, async () => {
    await using sb = await startTestService(engine);
    const { api, owner, team } = sb;
    const secrets: string[] = [];
    const secret = (value: string) => {
      secrets.push(value);
      return value;
    };
    const once = (key: string) => ({ headers: { 'idempotency-key': key } });
    const { application, app } = await sb.application();
    secret(api.token ?? '');
    secret(app.token ?? '');

    const credentials = Object.fromEntries(CREDENTIALS.map((name) => [name, secret(canary(name))]));
    const integration = await integrate(app, application.id, credentials);
    await app.post(
      '/1/integrations',
      {
        application_id: application.id,
        name: 'slack',
        state: 'enable',
        token: secret(canary('idempotent')),
      },
      once('a'),
    );
    await app.put(`/1/integrations/${integration.id}`, {
      name: 'telegram',
      token: secret(canary('updated')),
    });
    await app.post(`/1/integrations/${integration.id}/check`);
    await app.put(`/1/integrations/${integration.id}`, {
      name: 'nonsense',
      secret: secret(canary('refused')),
    });

    for (const kind of ['users', 'applications'] as const) {
      const resource_id = kind === 'users' ? owner.id : application.id;
      secret(
        (await api.post(`/1/keys/${kind}`, { resource_id, state: 'enable' }, once('k'))).body
          .secret,
      );
    }
    secret((await api.post(`/1/applications/${application.id}/tokens`, {}, once('t'))).body.token);
    const email = 'canary@example.com';
    await api.post('/1/users', { email, state: 'enable', password: secret(canary('password')) });
    await sb.as(undefined).post('/1/tokens', { email, password: secret(canary('wrong-password')) });
    secret(
      (await sb.as(undefined).post('/1/tokens', { email, password: canary('password') })).body
        .token,
    );
    secret(await new SignIn(sb.store, systemClock).createLink(owner.id));
    const { cookie } = await cookieFor(sb);
    secret(cookie.slice(cookie.indexOf('.') + 1));
    secret(await tokenOf(page(sb).with({ cookie })));
    await app.post('/1/message', message({ generator: { type: 'Service', id: integration.id } }));
    await sb.as(secret(`${canary('bad')}.token.here`)).get('/1/users/me');
    await api.get(`/1/applications?token=${secret(canary('query'))}`);
    assert.ok(team.id);

    const logs = sb.logs.join('');
    assert.ok(logs.includes('"path":"/1/integrations"'), 'the run was logged');
    const stored =
      engine === 'sqlite'
        ? sqliteBytes(sb.database.folder)
        : await postgresDump(sb.database.environment['SWITCHBOARD_DATABASE'] ?? '');
    assert.ok(stored.includes('canary@example.com'), 'the searched file is the database');
    for (const value of secrets) {
      assert.ok(value.length > 10);
      assert.ok(!logs.includes(value), `the logs contain ${value.slice(0, 30)}`);
      assert.ok(!stored.includes(value), `the database contains ${value.slice(0, 30)}`);
    }
  });
}

/** All files of the embedded store including the write-ahead log, but not the key ring. */
function sqliteBytes(folder: string): string {
  const files = readdirSync(folder).filter((name) => !name.endsWith('.keys'));
  assert.ok(files.some((name) => name.endsWith('-wal')));
  for (const name of readdirSync(folder)) {
    assert.equal(
      statSync(join(folder, name)).mode & 0o777,
      0o600,
      `${name} is readable by its owner only`,
    );
  }
  return files.map((name) => readFileSync(join(folder, name), 'latin1')).join('');
}

async function postgresDump(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      "select tablename from pg_tables where schemaname = 'public'",
    );
    let dump = '';
    for (const { tablename } of tables) {
      const { rows } = await client.query(`select * from "${tablename}"`);
      dump += JSON.stringify(rows);
    }
    return dump;
  } finally {
    await client.end();
  }
}

it('files of the embedded store are readable by their owner only, even under a lax umask', async () => {
  const before = process.umask(0);
  try {
    await using sb = await startTestService('sqlite');
    await sb.application();
    sqliteBytes(sb.database.folder);
    assert.match(execFileSync('ls', ['-l', sb.database.folder]).toString(), /switchboard\.db/);
  } finally {
    process.umask(before);
  }
});
