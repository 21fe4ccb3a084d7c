import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';

import pg from 'pg';

import { formatKeyRing, generateRingKey } from '../../src/lib/crypto/seal.ts';
import {
  type CommandLine,
  call,
  commandLine,
  makeApplication,
} from '../support/programs/command.ts';

/** Every encrypted column. */
const SEALED = `select 'keys' as place, secret as sealed from keys
  union all select 'integrations', credentials from integrations
  union all select 'idempotency', response from idempotency where response is not null
  union all select 'ring_marker', sealed from ring_marker`;

it('rotate-keys re-encrypts everything while the service handles requests', async () => {
  await using cli = await commandLine('sqlite');
  const { url, signIn } = await cli.serve();
  const file = `${cli.environment['SWITCHBOARD_DATABASE']}.keys`;
  const before = ringIds(file);
  const userToken = await signIn();
  const traffic = await startTraffic(url, userToken);

  const { code, stdout, stderr } = await cli.run(['rotate-keys']);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /"\w+".*\.keys\b.*\n.*\b\d+\b/);
  const during = await traffic.stop();
  assert.deepEqual(during.failed, []);
  assert.ok(during.answered > 20, `there was traffic: ${during.answered}`);

  const after = ringIds(file);
  assert.deepEqual(after.slice(1), before, 'older keys stay in the ring for backups');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(places(sqliteRows(cli), before), []);
  for (const place of ['keys', 'integrations', 'idempotency', 'ring_marker']) {
    assert.ok(places(sqliteRows(cli), after).includes(place), place);
  }
  assert.equal((await call(url, 'GET', '/1/users/me', { token: userToken })).status, 200);
});

it('rotate-keys leaves nothing under the old key that the service encrypts during the rotation', async () => {
  await using cli = await commandLine('sqlite');
  const { url, signIn } = await cli.serve();
  const before = ringIds(`${cli.environment['SWITCHBOARD_DATABASE']}.keys`);
  const token = await signIn();
  const { body: me } = await call(url, 'GET', '/1/users/me', { token });
  const json = { resource_id: me.id, state: 'enable' };
  const rotation = cli.start(['rotate-keys']);
  let ended = false;
  void rotation.exited.then(() => (ended = true));
  // No read in between could tell the service about the new key.
  while (!ended) {
    const { status } = await call(url, 'POST', '/1/keys/users', { token, json });
    assert.equal(status, 201);
  }
  assert.deepEqual(places(sqliteRows(cli), before), []);
});

it('values encrypted before are readable after a restart', async () => {
  await using cli = await commandLine('sqlite');
  const first = await cli.serve();
  const userToken = await first.signIn();
  const { token, applicationId } = await makeApplication(first.url, userToken);
  await first.stop();
  for (let times = 0; times < 4; times++) {
    assert.equal((await cli.run(['rotate-keys'])).code, 0);
  }
  const { url } = await cli.serve();
  const path = `/1/applications/${applicationId}/integrations`;
  const list = await call(url, 'GET', path, { token });
  assert.equal(list.body.data[0].token, '1:secret');
  // The current key and three old ones.
  assert.equal(ringIds(`${cli.environment['SWITCHBOARD_DATABASE']}.keys`).length, 4);
});

it('rotate-keys encrypts with the first key of the setting, with PostgreSQL', async () => {
  const [older, newer] = [generateRingKey(), generateRingKey()];
  await using cli = await commandLine('postgres', {
    SWITCHBOARD_SECRET_KEYS: formatKeyRing([older]),
  });
  const first = await cli.serve();
  const userToken = await first.signIn();
  await makeApplication(first.url, userToken);
  await first.stop();

  const environment = { SWITCHBOARD_SECRET_KEYS: formatKeyRing([newer, older]) };
  const { url } = await cli.serve({ environment });
  const traffic = await startTraffic(url, userToken);
  const { code, stdout } = await cli.run(['rotate-keys'], { environment });
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`SWITCHBOARD_SECRET_KEYS.*"${newer.id}"`));
  assert.deepEqual((await traffic.stop()).failed, []);
  assert.deepEqual(places(await postgresRows(cli), [older.id]), []);
  assert.ok(places(await postgresRows(cli), [newer.id]).includes('integrations'));
  const again = await cli.run(['rotate-keys'], { environment });
  assert.match(again.stdout, /\b0\b/);

  // The old key is no longer needed.
  const alone = { SWITCHBOARD_SECRET_KEYS: formatKeyRing([newer]) };
  const second = await cli.serve({ environment: alone });
  assert.equal((await call(second.url, 'GET', '/1/users/me', { token: userToken })).status, 200);
});

it('rotate-keys refuses while a running node lacks the new key and continues once it has it', async () => {
  const [older, newer] = [generateRingKey(), generateRingKey()];
  const ring = (...keys: (typeof older)[]) => ({ SWITCHBOARD_SECRET_KEYS: formatKeyRing(keys) });
  await using cli = await commandLine('postgres', ring(older));
  const rows = () => postgresRows(cli);
  const first = await cli.serve();
  const token = await first.signIn();
  await makeApplication(first.url, token);

  const refused = await cli.run(['rotate-keys'], { environment: ring(newer, older) });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, new RegExp(`"${newer.id}".*process ${first.process.child.pid}`));
  // The same id with another key is another key.
  const impostor = { id: newer.id, key: generateRingKey().key };
  assert.deepEqual(places(await rows(), [newer.id]), []);
  assert.equal((await call(first.url, 'GET', '/1/users/me', { token })).status, 200);
  await first.stop();

  const second = await cli.serve({ environment: ring(older, impostor) });
  const other = await cli.run(['rotate-keys'], { environment: ring(newer, older) });
  assert.equal(other.code, 1);
  assert.deepEqual(places(await rows(), [newer.id]), []);
  await second.stop();

  const third = await cli.serve({ environment: ring(older, newer) });
  const done = await cli.run(['rotate-keys'], { environment: ring(newer, older) });
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(places(await rows(), [older.id]), []);
  // It encrypts with the new key too, wherever the key is in its own ring.
  await makeApplication(third.url, token);
  assert.deepEqual(places(await rows(), [older.id]), []);
  await third.stop();

  const alone = await cli.run(['serve'], { environment: ring(older) });
  assert.equal(alone.code, 2, 'a node without the key does not start');
  const last = await cli.serve({ environment: ring(newer) });
  assert.equal((await call(last.url, 'GET', '/1/users/me', { token })).status, 200);
});

/** Clients that read and create encrypted values until they are stopped. */
async function startTraffic(url: string, userToken: string) {
  const { token, applicationId } = await makeApplication(url, userToken);
  const { body: me } = await call(url, 'GET', '/1/users/me', { token: userToken });
  const failed: string[] = [];
  let answered = 0;
  let stopped = false;
  const list = `/1/applications/${applicationId}/integrations`;
  const integration = { application_id: applicationId, name: 'slack', state: 'enable', token: 'x' };
  const runRound = async (caller: number, round: number) => {
    const once = { 'idempotency-key': `${caller}-${round}` };
    return [
      await call(url, 'GET', '/1/users/me', { token: userToken }),
      await call(url, 'GET', `${list}?limit=2`, { token }),
      await call(url, 'POST', '/1/integrations', { token, json: integration, headers: once }),
      await call(url, 'POST', '/1/keys/users', {
        token: userToken,
        json: { resource_id: me.id, state: 'enable' },
      }),
    ];
  };
  const callers = [1, 2, 3].map(async (caller) => {
    for (let round = 0; !stopped; round++) {
      for (const { status, text } of await runRound(caller, round)) {
        answered++;
        if (status >= 300) failed.push(`${status} ${text}`);
      }
    }
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(callers);
      return { failed, answered };
    },
  };
}

interface Row {
  place: string;
  sealed: string;
}

function sqliteRows(cli: CommandLine): Row[] {
  const file = cli.environment['SWITCHBOARD_DATABASE'] ?? '';
  using db = new DatabaseSync(file, { readOnly: true });
  return db
    .prepare(SEALED)
    .all()
    .map(({ place, sealed }) => ({ place: String(place), sealed: String(sealed) }));
}

async function postgresRows(cli: CommandLine): Promise<Row[]> {
  const client = new pg.Client(cli.environment['SWITCHBOARD_DATABASE']);
  await client.connect();
  try {
    return (await client.query<Row>(SEALED)).rows;
  } finally {
    await client.end();
  }
}

/** The places that are encrypted with one of these keys. */
function places(rows: readonly Row[], ids: readonly string[]): string[] {
  return rows
    .filter(({ sealed }) => ids.some((id) => sealed.startsWith(`${id}.`)))
    .map(({ place }) => place);
}

function ringIds(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split(',')
    .map((key) => key.split(':', 1)[0] ?? '');
}
