import assert from 'node:assert/strict';
import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';

import { Load } from '../faults/scenarios/load.ts';
import { call, commandLine } from '../support/programs/command.ts';
import { until } from '../support/until.ts';

it('backup copies a store under load, and the restored copy contains everything accepted before', async () => {
  await using load = await Load.open('sqlite');
  const serving = await load.cli.serve();
  await load.prepare(serving);
  let isEnough = false;
  const writing = load.write(
    () => serving.url,
    () => isEnough,
  );
  await until('load', () => load.accepted.size >= 200, 60_000);
  const before = new Map(load.accepted);
  const file = `${load.cli.folder}/copy.backup`;
  const made = await load.cli.run(['backup', file]);
  assert.deepEqual([made.code, made.stderr], [0, '']);
  assert.match(made.stdout, / k\w+ .*\.keys\b/);
  const after = load.accepted.size;
  await until('traffic continues', () => load.accepted.size > after);
  isEnough = true;
  await writing;
  await serving.stop();
  assert.equal(statSync(file).mode & 0o777, 0o600);

  const there = await commandLine('sqlite', {
    SWITCHBOARD_SLACK_URL: load.slack.url,
    SWITCHBOARD_LOG_LEVEL: 'error',
  });
  try {
    const restored = await there.run(['restore', file]);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, / k\w+/);
    const database = there.environment['SWITCHBOARD_DATABASE'] ?? '';
    assert.equal(statSync(database).mode & 0o777, 0o600);
    const ring = `${load.cli.environment['SWITCHBOARD_DATABASE']}.keys`;
    copyFileSync(ring, `${database}.keys`);
    const { url, stop } = await there.serve();
    const [one] = load.applications;
    const answer = await call(url, 'GET', '/1/messages?limit=1', { token: one?.token ?? '' });
    assert.equal(answer.status, 200, 'tokens and keys are valid in the restored store');
    using db = new DatabaseSync(database, { readOnly: true });
    const ids = new Set(
      db
        .prepare('select id from messages')
        .all()
        .map(({ id }) => Number(id)),
    );
    for (const [text, { id }] of before) assert.ok(ids.has(id), `${text} is missing`);
    await stop();
  } finally {
    await there[Symbol.asyncDispose]();
  }
});

it('backup overwrites no file and writes none when there is nothing to back up', async () => {
  await using cli = await commandLine('sqlite');
  const file = `${cli.folder}/a.backup`;
  assert.equal((await cli.run(['backup', file])).code, 3);
  assert.equal(existsSync(file), false);
  assert.equal((await cli.run(['init'])).code, 0);
  writeFileSync(file, 'mine');
  const { code, stderr } = await cli.run(['backup', file]);
  assert.equal(code, 1);
  assert.match(stderr, /a\.backup/);
  assert.equal(statSync(file).size, 4);
});

it('restore overwrites a store only with --force, never over one in use, and keeps the old one', async () => {
  await using cli = await commandLine('sqlite');
  assert.equal((await cli.run(['init', '--email', 'first@example.com'])).code, 0);
  const file = `${cli.folder}/a.backup`;
  assert.equal((await cli.run(['backup', file])).code, 0);
  assert.equal((await cli.run(['user', 'add', 'second@example.com'])).code, 0);
  const refused = await cli.run(['restore', file]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /--force/);

  const serving = await cli.serve();
  const inUse = await cli.run(['restore', file, '--force']);
  assert.equal(inUse.code, 1);
  assert.match(inUse.stderr, /switchboard\.db/);
  assert.doesNotMatch(inUse.stderr, /--force/);
  await serving.stop();

  const restored = await cli.run(['restore', file, '--force']);
  assert.equal(restored.code, 0, restored.stderr);
  const [, kept = ''] = /(\S+\.replaced-\d+)/.exec(restored.stdout) ?? [];
  const list = await cli.run(['user', 'list']);
  assert.match(list.stdout, /first@example.com/);
  assert.doesNotMatch(list.stdout, /second@example.com/);
  using old = new DatabaseSync(kept, { readOnly: true });
  assert.equal(old.prepare('select count(*) as count from users').get()?.['count'], 2);
});

it('restore refuses an incomplete or invalid backup', async () => {
  await using cli = await commandLine('sqlite');
  const file = `${cli.folder}/a.backup`;
  writeFileSync(file, 'this is no database at all, but long enough to be taken for one'.repeat(99));
  const refused = await cli.run(['restore', file]);
  assert.equal(refused.code, 1);
  assert.ok(refused.stderr.includes(file), refused.stderr);
  assert.equal((await cli.run(['restore', `${cli.folder}/none`])).code, 3);
  assert.equal(existsSync(cli.environment['SWITCHBOARD_DATABASE'] ?? ''), false);
});
