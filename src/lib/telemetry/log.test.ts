import assert from 'node:assert/strict';
import { stat } from 'node:fs';
import { describe, it } from 'node:test';

import { createLog, flushLog } from './log.ts';

async function createTestLog(level = 'trace') {
  const lines: string[] = [];
  const log = await createLog({
    level,
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  return { log, lines };
}

/** Field names that hold credentials and other secrets. */
const SECRET_NAMES = [
  'authorization',
  'cookie',
  'token',
  'secret',
  'refresh',
  'password',
  'consumer_key',
  'consumer_secret',
];

describe('log', () => {
  for (const name of SECRET_NAMES) {
    it(`redacts ${name}`, async () => {
      const { log, lines } = await createTestLog();
      const hidden = { [name]: 'canary', shown: 'visible' };
      log.info(hidden, 'at the top');
      log.info({ integration: hidden }, 'one level down');
      log.info({ request: { headers: hidden } }, 'two levels down');
      log.info({ integrations: [hidden, hidden] }, 'in a list');
      log.info({ integration: { [name]: { value: 'canary' } } }, 'as an object');
      log.child(hidden).info('bound to a child');
      log.child({ integration: hidden }).info('one level down in a child');
      assert.equal(lines.length, 7);
      for (const line of lines) {
        assert.doesNotMatch(line, /canary/);
        assert.match(line, /\[redacted\]/);
      }
      assert.equal(lines.filter((line) => line.includes('visible')).length, 6);
    });
  }

  it('writes kind, message, stack and code of an error, and no other property', async () => {
    const { log, lines } = await createTestLog();
    const error = Object.assign(new TypeError('refused'), { code: '23502', detail: 'canary' });
    log.error({ err: error }, 'failed');
    const { err } = JSON.parse(lines[0] ?? '') as { err: Record<string, unknown> };
    assert.deepEqual(Object.keys(err), ['type', 'message', 'stack', 'code']);
    assert.deepEqual([err['type'], err['message'], err['code']], ['TypeError', 'refused', '23502']);
  });

  it('log does not change the logged object', async () => {
    const { log } = await createTestLog();
    const integration = { token: 'canary' };
    log.info({ integration });
    assert.deepEqual(integration, { token: 'canary' });
  });

  it('writes one line per record, with the level name and an ISO 8601 time', async () => {
    const { log, lines } = await createTestLog();
    log.warn({ setting: 'A\nB' }, 'two\nlines');
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /^[^\n]+\n$/);
    const { time, ...record } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.deepEqual(record, { level: 'warn', setting: 'A\nB', msg: 'two\nlines' });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('writes nothing below its level', async () => {
    const { log, lines } = await createTestLog('warn');
    log.info('quiet');
    log.warn('loud');
    assert.equal(lines.length, 1);
    const silent = await createTestLog('silent');
    silent.log.fatal('nothing');
    assert.deepEqual(silent.lines, []);
  });

  it('is flushed if it was written while the process waited for the processor', async () => {
    const log = await createLog({
      level: 'info',
      pretty: false,
      destination: Object.assign({ write() {} }, { flush: (done: () => void) => stat('.', done) }),
    });
    const flushed = flushLog(log, 10);
    const end = performance.now() + 200;
    while (performance.now() < end);
    assert.equal(await flushed, true);
  });

  it('is not flushed if writing never ends', async () => {
    const log = await createLog({
      level: 'info',
      pretty: false,
      destination: Object.assign({ write() {} }, { flush: () => {} }),
    });
    assert.equal(await flushLog(log, 10), false);
  });
});
