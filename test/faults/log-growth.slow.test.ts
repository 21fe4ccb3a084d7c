import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';

import { parsePrometheus } from '../support/prometheus.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const LIMIT_MB = 80;
/** What one commit may add after the last check of the log size. */
const SLACK_BYTES = 16 * MIB;

it('a stuck reader lets the write-ahead log grow to its limit, then requests get 503 until it is gone', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_DATABASE_LOG_MB: String(LIMIT_MB) },
  });
  const { application, app } = await sb.application();
  await integrate(app, application.id);
  const file = sb.database.environment['SWITCHBOARD_DATABASE'] ?? '';
  using reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('begin');
  reader.prepare('select count(*) from messages').get();
  const large = message({ object: { type: 'Note', content: 'x'.repeat(200_000) } });
  const send = () => app.post('/1/message', large);
  let refused = 0;
  for (let i = 0; i < 60 && refused === 0; i++) {
    const replies = await Promise.all(Array.from({ length: 20 }, send));
    refused = replies.filter(({ status }) => status === 503).length;
  }
  assert.ok(refused > 0);
  const size = statSync(`${file}-wal`).size;
  assert.ok(size > 64 * MIB && size < LIMIT_MB * MIB + SLACK_BYTES, `${size} bytes`);
  const { text } = await sb.as(undefined).get('/metrics');
  assert.equal(parsePrometheus(text).samples.get('switchboard_store_log_bytes'), size);
  assert.equal((await sb.as(undefined).get('/readyz')).status, 503);

  reader.exec('rollback');
  await until('it accepts again', async () => (await send()).status === 202);
  assert.ok(statSync(`${file}-wal`).size < MIB);
});
