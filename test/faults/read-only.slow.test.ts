import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { administer, createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

it('a read-only PostgreSQL gives 503 and makes the service not ready until it is writable again', async () => {
  const database = await createDatabase('postgres', { migrated: true });
  try {
    await using sb = await startTestService('postgres', { database });
    const { application, app } = await sb.application();
    await integrate(app, application.id);
    const url = database.environment['SWITCHBOARD_DATABASE'] ?? '';
    const name = new URL(url).pathname.slice(1);
    const server = url.replace(name, 'postgres');
    const setReadOnly = async (value: 'on' | 'off') => {
      await administer(
        server,
        `alter database ${name} set default_transaction_read_only = ${value}`,
      );
      await administer(
        server,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      );
    };
    await setReadOnly('on');
    const unready = await until('it is not ready', async () => {
      const reply = await sb.as(undefined).get('/readyz');
      return reply.status !== 200 && reply;
    });
    assert.deepEqual([unready.status, unready.body.code], [503, 'store_unavailable']);
    const refused = await app.post('/1/message', message());
    assert.deepEqual([refused.status, refused.body.code], [503, 'store_unavailable']);
    assert.equal((await sb.as(undefined).get('/readyz')).status, 503);

    await setReadOnly('off');
    await until('it is ready', async () => (await sb.as(undefined).get('/readyz')).status === 200);
    assert.equal((await app.post('/1/message', message())).status, 202);
  } finally {
    await database.dispose();
  }
});
