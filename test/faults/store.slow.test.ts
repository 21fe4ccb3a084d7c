import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import { MAIN, call, commandLine, makeApplication } from '../support/programs/command.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Reply } from '../support/service/client.ts';
import { startTestService } from '../support/service/service.ts';
import { type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { startPostgres } from '../support/store/postgres.ts';

async function storedIds(
  environment: Record<string, string>,
  applicationId: number,
): Promise<Set<number>> {
  const store = await openStore(readConfig(environment));
  try {
    const ids = new Set<number>();
    for (let cursor: number | undefined; ;) {
      const { items, older } = await store.messages.list(
        applicationId,
        {},
        {
          limit: 1000,
          ...(cursor !== undefined && { startingAfter: cursor }),
        },
      );
      for (const { id } of items) ids.add(id);
      cursor = items.at(-1)?.id;
      if (!older) return ids;
    }
  } finally {
    await store.close();
  }
}

it('a full disk gives 503 with Retry-After and loses no accepted message', async () => {
  await using cli = await commandLine('sqlite');
  const roomy = await cli.serve();
  const { applicationId, token } = await makeApplication(roomy.url, await roomy.signIn());
  await roomy.stop();

  // No file may grow beyond 3 MiB; further writes fail as on a full disk.
  const limited = await cli.serve({
    launcher: ['bash', '-c', 'ulimit -f 3072; exec "$0" "$@"', process.execPath, MAIN],
  });
  const json = message({ object: { type: 'Note', content: 'x'.repeat(30_000) } });
  const send = (url: string) => call(url, 'POST', '/1/message', { token, json });
  const accepted: number[] = [];
  const refused: Reply[] = [];
  for (let i = 0; i < 40 && refused.length < 3; i++) {
    for (const reply of await Promise.all(Array.from({ length: 10 }, () => send(limited.url)))) {
      if (reply.status === 202) accepted.push(reply.body.id);
      else refused.push(reply);
    }
  }
  assert.ok(accepted.length > 0 && refused.length >= 3);
  for (const { status, headers, body } of refused) {
    assert.deepEqual([status, body.code], [503, 'store_unavailable']);
    assert.ok(Number(headers.get('retry-after')) > 0);
  }
  assert.equal((await call(limited.url, 'GET', '/healthz')).status, 200, 'the process is alive');
  assert.equal((await limited.stop()).code, 0);

  const stored = await storedIds(cli.environment, applicationId);
  for (const id of accepted) assert.ok(stored.has(id), `message ${id} is lost`);
  const again = await cli.serve();
  assert.equal((await send(again.url)).status, 202, 'it accepts again once there is space');
});

it('a request waits for another writer of the embedded store, and gets 503 if that takes too long', async () => {
  const database = await createDatabase('sqlite');
  try {
    await using sb = await startTestService('sqlite', { database });
    const { application, app } = await sb.application();
    await integrate(app, application.id);
    const other = new DatabaseSync(database.environment['SWITCHBOARD_DATABASE'] ?? '');
    other.exec('begin immediate');
    const waiting = app.post('/1/message', message());
    setTimeout(() => other.exec('commit'), 300);
    assert.equal((await waiting).status, 202);

    other.exec('begin immediate');
    const refused = await app.post('/1/message', message());
    assert.deepEqual([refused.status, refused.body.code], [503, 'store_unavailable']);
    other.exec('commit');
    other.close();
    assert.equal((await app.post('/1/message', message())).status, 202);
  } finally {
    await database.dispose();
  }
});

it('a PostgreSQL crash under load gives 503 and loses no accepted message', async () => {
  const postgres = await startPostgres();
  try {
    const url = await postgres.createDatabase();
    const plain = await createDatabase('postgres');
    const database: TestDatabase = {
      ...plain,
      environment: { ...plain.environment, SWITCHBOARD_DATABASE: url },
    };
    await using sb = await startTestService('postgres', { database });
    const { application, app } = await sb.application();
    await integrate(app, application.id);
    const accepted: number[] = [];
    const statuses = new Set<number>();
    let running = true;
    const writers = Array.from({ length: 8 }, async () => {
      while (running) {
        const reply = await app.post('/1/message', message());
        statuses.add(reply.status);
        if (reply.status === 202) accepted.push(reply.body.id);
      }
    });
    const reached = async (count: number) => {
      while (accepted.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let crash = 0; crash < 3; crash++) {
      await reached(accepted.length + 100);
      await postgres.stop('immediate');
      await postgres.start();
    }
    await reached(accepted.length + 100);
    running = false;
    await Promise.all(writers);
    assert.deepEqual([...statuses].toSorted(), [202, 503]);
    const stored = await storedIds(database.environment, application.id);
    for (const id of accepted) assert.ok(stored.has(id), `message ${id} is lost`);
    await plain.dispose();
  } finally {
    await postgres.dispose();
  }
});
