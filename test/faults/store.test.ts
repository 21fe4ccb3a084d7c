import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';

import { readConfig } from '../../src/config.ts';
import { openStore } from '../../src/setup.ts';
import { integrate, message } from '../support/activity.ts';
import { type TestDatabase, createDatabase } from '../support/databases.ts';
import { startPostgres } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { startTestService } from '../support/service.ts';

/** Makes an application with an integration in a database, before the service under test runs on it. */
async function prepare(engine: 'sqlite' | 'postgres', database: TestDatabase) {
  await using sb = await startTestService(engine, { database });
  const { application, app } = await sb.application();
  await integrate(app, application.id);
  return {
    applicationId: application.id as number,
    token: app.token ?? '',
    routes: sb.service.routes,
  };
}

async function storedIds(database: TestDatabase, applicationId: number): Promise<Set<number>> {
  const store = await openStore(readConfig(database.environment));
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

const post = (url: string, token: string, content = 'Hello') =>
  fetch(`${url}/1/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(message({ object: { type: 'Note', content } })),
  });

it('a full disk gives 503 with Retry-After, and nothing that was answered is lost', async () => {
  const database = await createDatabase('sqlite');
  try {
    const { applicationId, token } = await prepare('sqlite', database);
    // No file may grow beyond 3 MiB: writes then fail as they do on a full disk.
    const limited = await startProcess(database.environment, { before: 'ulimit -f 3072' });
    const accepted = new Set<number>();
    const refused: Response[] = [];
    for (let i = 0; i < 40 && refused.length < 3; i++) {
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => post(limited.url, token, 'x'.repeat(30_000))),
      );
      for (const reply of replies) {
        if (reply.status === 202) accepted.add(((await reply.json()) as { id: number }).id);
        else refused.push(reply);
      }
    }
    assert.ok(
      accepted.size > 0 && refused.length >= 3,
      `${accepted.size} accepted, ${refused.length} refused`,
    );
    for (const reply of refused) {
      assert.equal(reply.status, 503);
      assert.ok(Number(reply.headers.get('retry-after')) > 0);
      assert.equal(((await reply.json()) as { code: string }).code, 'store_unavailable');
    }
    assert.equal((await fetch(`${limited.url}/healthz`)).status, 200, 'the process is alive');
    limited.child.kill('SIGTERM');
    assert.equal(await limited.exited, 0);

    const stored = await storedIds(database, applicationId);
    for (const id of accepted) assert.ok(stored.has(id), `message ${id} is lost`);
    const roomy = await startProcess(database.environment);
    assert.equal((await post(roomy.url, token)).status, 202, 'with room again, it goes on');
    roomy.child.kill('SIGTERM');
    await roomy.exited;
  } finally {
    await database.dispose();
  }
});

it('another writer holding the embedded store is waited for, and given up on with 503', async () => {
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

it('a PostgreSQL that crashes under load gives 503, and nothing that was answered is lost', async () => {
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
    const stored = await storedIds(database, application.id);
    for (const id of accepted) assert.ok(stored.has(id), `message ${id} is lost`);
    await plain.dispose();
  } finally {
    await postgres.dispose();
  }
});
