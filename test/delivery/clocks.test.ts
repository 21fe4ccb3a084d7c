import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openEndpoint } from '../emulators/endpoint.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { SetClock } from '../support/set-clock.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const HOUR = 60 * 60 * 1000;
/** Shorter than the validity of tokens. */
const STEP_MS = 10 * 60 * 1000;
/** Generous, for a busy machine. */
const SLACK_MS = 30_000;

describe('node clocks', () => {
  it('a node an hour ahead dates messages and their lanes by the clock of PostgreSQL', async () => {
    await using sb = await startTestService('postgres', { machineClock: new SetClock(HOUR) });
    const { application, app } = await sb.application();
    await integrate(app, application.id);
    const { status, body } = await app.post('/1/message', message());
    assert.equal(status, 202);
    assert.ok(Math.abs(Date.parse(`${body.created_at}Z`) - Date.now()) < SLACK_MS, body.created_at);
    const { dueAt } = await sb.store.engine.db
      .selectFrom('lanes')
      .select('dueAt')
      .executeTakeFirstOrThrow();
    assert.ok(Math.abs((dueAt ?? 0) - Date.now()) < SLACK_MS);
  });

  for (const engine of ENGINES) {
    it(`a node that takes over sends a message that another node deferred while its clock was an hour ahead (${engine})`, async () => {
      const database = await createDatabase(engine, { migrated: true });
      const peer = await openEndpoint();
      try {
        {
          await using ahead = await startTestService(engine, {
            database,
            clock: new SetClock(HOUR),
          });
          const { application, app } = await ahead.application();
          await integrate(app, application.id, {
            name: 'webhook',
            token: undefined,
            address: peer.url,
          });
          assert.equal((await app.post('/1/message', message())).status, 202);
        }
        await using right = await startTestService(engine, {
          database,
          environment: { SWITCHBOARD_ROLE: 'all' },
        });
        await until('the message arrives', () => peer.seen.length > 0);
        assert.ok(right.url);
      } finally {
        await peer.close();
        await database.dispose();
      }
    });

    it(`events are never dated earlier than preceding events (${engine})`, async () => {
      // Tokens are older than the clock shift: the service refuses tokens from the future.
      const clock = new SetClock(-2 * STEP_MS);
      await using sb = await startTestService(engine, { clock });
      const { application, app } = await sb.application();
      await integrate(app, application.id);
      clock.set(2 * STEP_MS);
      for (const by of [0, -STEP_MS, 0]) {
        const { body } = await app.post('/1/message', message());
        assert.equal((await app.delete(`/1/messages/${body.id}`)).status, 204);
        clock.set(by);
      }
      const { body } = await app.get('/1/events');
      const moments = body.data.map(({ timestamp }: { timestamp: string }) =>
        Date.parse(timestamp),
      );
      assert.equal(moments.length, 3);
      assert.deepEqual(
        moments,
        moments.toSorted((a: number, b: number) => a - b),
      );
    });
  }
});
