import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, it } from 'node:test';

import type { ContactImport } from '../../sdk/src/index.ts';
import { MAX_GROWTH_BYTES, growthWhile } from '../support/memory.ts';
import { Running } from '../support/programs/command.ts';
import type { Client } from '../support/service/client.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { longestTurns } from '../support/turns.ts';
import { until } from '../support/until.ts';

const HEADERS = { 'content-type': 'text/csv' };
const PATH = '/1/contact-imports';

const fileOf = (count: number) =>
  [
    'external_id,name,sms,email,fields.plan',
    ...Array.from(
      { length: count },
      (_, i) =>
        `customer-${i},Person Number ${i},+1555${String(i).padStart(7, '0')},person${i}@example.com,gold`,
    ),
  ].join('\n');

const PADDING = ' '.repeat(2_000);

/** Importing 10,000 rows takes minutes on a busy machine. */
const IMPORT_TIMEOUT_MS = 300_000;

/** Lines of some 2 KB; calls `collect` every 20 MB. */
function* linesOf(count: number, collect: () => void): Generator<string> {
  for (let i = 0; i < count; i++) {
    if (i % 10_000 === 0) collect();
    yield `{"external_id":"customer-${i}"${PADDING}}\n`;
  }
}

const show = async (app: Client, id: number): Promise<ContactImport> =>
  (await app.get(`${PATH}/${id}`)).body;

for (const engine of ENGINES) {
  describe(`large imports of contacts (${engine})`, () => {
    it('an import continues after its node was killed, and imports each row once', async () => {
      // This node only serves requests and does none of the work.
      await using sb = await startTestService(engine);
      const { folder, environment: settings } = sb.database;
      const environment = { ...settings, SWITCHBOARD_PORT: '0' };
      const deliver = () => new Running(['serve', '--role', 'deliver'], folder, { environment });
      const { app } = await sb.application();
      const count = 10_000;
      const { body } = await app.post(PATH, undefined, { raw: fileOf(count), headers: HEADERS });
      await using first = deliver();
      await until('some rows are imported', async () => (await show(app, body.id)).created > 0);
      first.kill('SIGKILL');
      await first.exited;
      const left = await show(app, body.id);
      assert.equal(left.finished_at, null, `killed in the middle, after ${left.done}`);
      await using _second = deliver();
      const finished = async () => {
        const found = await show(app, body.id);
        return found.finished_at !== null && found;
      };
      const over = await until('the end of the import', finished, IMPORT_TIMEOUT_MS);
      assert.deepEqual([over.created, over.failed, over.unchanged], [count, 0, 0]);
    });
  });
}

describe('a large import of contacts', () => {
  it('a file of 200 MB is received with little memory', async () => {
    // Nobody works on the import. A busy machine takes a while.
    await using sb = await startTestService('sqlite', {
      environment: { SWITCHBOARD_REQUEST_TIMEOUT: '300' },
    });
    const { app } = await sb.application();
    const headers = {
      authorization: `Bearer ${app.token}`,
      'content-type': 'application/x-ndjson',
    };
    const receive = async (collect: () => void) => {
      const sent = request(`${sb.url}${PATH}`, { method: 'POST', headers });
      const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
      await pipeline(linesOf(100_000, collect), sent);
      const [response] = await answered;
      assert.equal(response.statusCode, 202);
      assert.equal(((await json(response)) as ContactImport).total, 100_000);
    };
    const growth = await growthWhile(receive);
    assert.ok(growth < MAX_GROWTH_BYTES, `grew by ${growth} bytes`);
  });

  it('holds up no request for long, and needs little memory', async () => {
    await using sb = await startTestService('sqlite', {
      environment: { SWITCHBOARD_ROLE: 'all' },
    });
    const { app } = await sb.application();
    const count = 20_000;
    const raw = fileOf(count);
    const longest = longestTurns();
    const growth = await growthWhile(async () => {
      const { status, body } = await app.post(PATH, undefined, { raw, headers: HEADERS });
      assert.equal(status, 202);
      await until(
        'the end of the import',
        async () => (await show(app, body.id)).finished_at !== null,
        IMPORT_TIMEOUT_MS,
      );
      assert.equal((await show(app, body.id)).created, count);
    });
    // Garbage collection, and functions that are compiled first, may take a few.
    const held = longest.stop().at(-5) ?? 0;
    assert.ok(held < 50, `held for ${held} ms`);
    assert.ok(growth < 256 * 2 ** 20, `grew by ${growth} bytes`);
  });
});
