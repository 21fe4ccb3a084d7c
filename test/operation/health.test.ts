import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { formatKeyRing, generateRingKey } from '../../src/lib/crypto/seal.ts';
import { commandLine, note } from '../support/programs/command.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { integrate } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { startPostgres } from '../support/store/postgres.ts';

for (const engine of ENGINES) {
  it(`health endpoints report ok without a token (${engine})`, async () => {
    await using sb = await startTestService(engine);
    const anyone = sb.as(undefined);
    for (const path of ['/healthz', '/readyz', '/healthz/']) {
      const { status, body } = await anyone.get(path);
      assert.deepEqual([status, body], [200, { status: 'ok' }], path);
    }
  });
}

it('the service is alive but not ready while its store is down, and ready once it is back', async () => {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres({ fsync: 'off' });
  stack.defer(() => postgres.dispose());
  const environment = {
    SWITCHBOARD_DATABASE: postgres.url,
    SWITCHBOARD_SECRET_KEYS: formatKeyRing([generateRingKey()]),
  };
  const database = { environment, folder: '', dispose: () => postgres.dispose() };
  const sb = stack.use(await startTestService('postgres', { database }));
  const { application, app } = await sb.application();
  await integrate(app, application.id);
  assert.equal((await app.post('/1/message', note('before'))).status, 202);
  const storeUp = async () => {
    const { text } = await sb.as(undefined).get('/metrics');
    return parsePrometheus(text).samples.get('switchboard_store_up');
  };
  assert.equal(await storeUp(), 1);

  // Like a crash, with connections open.
  await postgres.stop('immediate');
  const unready = await sb.as(undefined).get('/readyz');
  assert.deepEqual([unready.status, unready.body.code], [503, 'store_unavailable']);
  assert.match(unready.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal((await sb.as(undefined).get('/healthz')).status, 200);
  assert.equal(await storeUp(), 0);
  const refused = await app.post('/1/message', note('meanwhile'));
  assert.deepEqual([refused.status, refused.body.code], [503, 'store_unavailable']);

  await postgres.start();
  assert.equal((await sb.as(undefined).get('/readyz')).status, 200);
  assert.equal(await storeUp(), 1);
  assert.equal((await app.post('/1/message', note('after'))).status, 202);
  const { body } = await app.get('/1/messages');
  assert.deepEqual(
    body.data.map(({ message }: { message: ReturnType<typeof note>['message'] }) => {
      return message.object.content;
    }),
    ['after', 'before'],
  );
});

it('the service creates files that only its own user can read', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_DATABASE: '' });
  await cli.serve();
  await cli.run(['rotate-keys']);
  const data = join(cli.folder, 'data');
  assert.equal(statSync(data).mode & 0o777, 0o700);
  const modes = readdirSync(data).map((name) => [name, statSync(join(data, name)).mode & 0o777]);
  assert.deepEqual(modes.toSorted(), [
    ['switchboard.db', 0o600],
    ['switchboard.db-shm', 0o600],
    ['switchboard.db-wal', 0o600],
    ['switchboard.db.keys', 0o600],
    ['switchboard.db.sign-in-link', 0o600],
  ]);
});
