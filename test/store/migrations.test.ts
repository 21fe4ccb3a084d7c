import assert from 'node:assert/strict';
import { it } from 'node:test';

import { sql } from 'kysely';

import { migrate } from '../../src/store/migrate.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { openEngine } from '../../src/store/open.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';

const PROCESSES = 3;

for (const engine of ENGINES) {
  it(`each migration runs once when several processes start on an empty store (${engine})`, async () => {
    await using stack = new AsyncDisposableStack();
    const database = await createDatabase(engine);
    stack.defer(() => database.dispose());
    const url = database.environment['SWITCHBOARD_DATABASE'] ?? '';
    const engines = await Promise.all(Array.from({ length: PROCESSES }, () => openEngine(url)));
    for (const one of engines) stack.defer(() => one.close());

    const applied = await Promise.all(engines.map((one) => migrate(one)));

    const names = Object.keys(MIGRATIONS);
    assert.deepEqual(applied.flat(), names);
    const [first] = engines;
    assert.ok(first);
    const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(
      first.db,
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      names,
    );
    assert.deepEqual(await migrate(first), []);
  });
}
