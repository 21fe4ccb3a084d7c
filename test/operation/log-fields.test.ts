import assert from 'node:assert/strict';
import { it } from 'node:test';

import { LOG_FIELDS } from '../../src/lib/telemetry/log-fields.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';
import { openConnection } from '../support/service/socket.ts';
import { readSources, withoutComments } from '../support/sources.ts';
import { until } from '../support/until.ts';

const documented = new Set(Object.keys(LOG_FIELDS));

it('a real log has only documented fields', async () => {
  await using sb = await openWebhookDelivery('sqlite');
  const { logs, url } = sb.service;
  const hook = (await sb.app.get(`/1/integrations/${sb.integrationId}/hook`)).body.url;
  await sb.service.as(undefined).post(new URL(hook).pathname, { forged: true });
  await sb.service.as(undefined).get('/1/nothing');
  using connection = await openConnection(url);
  connection.send('EHLO mail.example.com\r\n\r\n');
  await connection.closed;
  sb.peer.next({ status: 401 });
  await sb.send('one', 'ada');
  await until('the pause', () => logs.some((line) => line.includes('integration paused')));
  const lines = logs.map((line) => JSON.parse(line) as Record<string, unknown>);
  const words = new Set(lines.map(({ msg }) => msg));
  for (const word of ['request', 'malformed request', 'webhook request refused']) {
    assert.ok(words.has(word), word);
  }
  for (const line of lines) {
    const unknown = Object.keys(line).filter((field) => !documented.has(field));
    assert.deepEqual(unknown, [], JSON.stringify(line));
  }
});

it('the documented log fields are exactly those in the source', () => {
  const given = new Set(['level', 'time', 'msg']);
  for (const [path, text] of readSources('src/**/*.ts')) {
    if (path.endsWith('.test.ts')) continue;
    for (const field of fieldsIn(withoutComments(text))) given.add(field);
  }
  assert.deepEqual([...given].toSorted(), [...documented].toSorted());
});

it('the search for log fields handles every way of logging', () => {
  const source = [
    "log.warn({ err: error, message_id: message.id }, 'it failed');",
    "this.#log.info(\n  { setting, url: `${base}/x` },\n  'listening',\n);",
    'log[level]({ ms }, `a request`);',
    "log.info('stopped');",
  ].join('\n');
  assert.deepEqual(fieldsIn(source), ['err', 'message_id', 'setting', 'url', 'ms']);
});

/** The fields of all log calls in a source text. */
function fieldsIn(text: string): string[] {
  const calls = text.matchAll(
    /\blog(?:\.(?:trace|debug|info|warn|error|fatal)|\[level\])\(\s*\{/gi,
  );
  return [...calls].flatMap(({ index, 0: { length } }) => fieldsOf(text.slice(index + length)));
}

/** The names in an object literal, up to the brace that closes it. */
function fieldsOf(text: string): string[] {
  const fields: string[] = [];
  let depth = 0;
  let isName = true;
  for (const [part] of text.matchAll(/[\w$.]+|[{}()[\],:`]/g)) {
    if (depth === 0 && part === '}') return fields;
    if ('{(['.includes(part)) depth++;
    else if ('})]'.includes(part)) depth--;
    else if (depth === 0 && part === ',') isName = true;
    else if (depth === 0 && part === ':') isName = false;
    else if (depth === 0 && isName && part !== '`') {
      fields.push(part);
      isName = false;
    }
  }
  return fields;
}
