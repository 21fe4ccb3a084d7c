import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from 'kysely';

import { openEndpoint } from '../emulators/endpoint.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { createDatabase } from '../support/store/databases.ts';
import { PGBOUNCER, startPgbouncer } from '../support/store/pgbouncer.ts';
import { until } from '../support/until.ts';

const MESSAGES = 100;

describe('behind pgbouncer in transaction mode', { skip: PGBOUNCER.skip }, () => {
  it('two nodes accept and deliver messages and emit events, with their session settings applied', async () => {
    await using stack = new AsyncDisposableStack();
    const direct = await createDatabase('postgres');
    stack.defer(() => direct.dispose());
    const pgbouncer = stack.use(
      await startPgbouncer(direct.environment['SWITCHBOARD_DATABASE'] ?? ''),
    );
    const environment = {
      ...direct.environment,
      SWITCHBOARD_DATABASE: pgbouncer.url,
      SWITCHBOARD_DATABASE_LISTEN_URL: direct.environment['SWITCHBOARD_DATABASE'] ?? '',
      SWITCHBOARD_DATABASE_PREPARED: pgbouncer.knowsPrepared ? 'on' : 'off',
      SWITCHBOARD_ROLE: 'all',
    };
    const database = { ...direct, environment };
    const peer = await openEndpoint();
    stack.defer(() => peer.close());
    const first = stack.use(await startTestService('postgres', { database, environment }));
    const second = stack.use(await startTestService('postgres', { database, environment }));
    const { application, app } = await first.application();
    await integrate(app, application.id, { name: 'webhook', address: peer.url });
    const nodes = [app, second.as(app.token)];
    const sent = Array.from({ length: MESSAGES }, (_, i) => {
      const to = { type: 'Person', id: `person-${i % 7}` };
      return (nodes[i % 2] ?? app).post('/1/message', message({ to }));
    });
    for (const reply of await Promise.all(sent)) assert.equal(reply.status, 202);
    await until('all events', async () => {
      const { body } = await app.get('/1/events?limit=1000');
      return body.data.length >= MESSAGES;
    });
    assert.equal(peer.seen.length, MESSAGES);
    // Whichever connection pgbouncer assigns has the settings.
    for (let i = 0; i < 20; i++) {
      const { rows } = await sql<{ seqscan: string; timeout: string }>`
        select current_setting('enable_seqscan') as seqscan,
          current_setting('statement_timeout') as timeout`.execute(second.store.engine.db);
      assert.deepEqual(rows, [{ seqscan: 'off', timeout: '30s' }]);
    }
    const troubles = [...first.logs, ...second.logs].filter((line) =>
      /"level":(?:[4-9]0)/.test(line),
    );
    assert.deepEqual(troubles, []);
  });
});
