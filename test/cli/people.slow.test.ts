import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { commandLine } from '../support/programs/command.ts';
import { openSandboxes } from '../support/service/sandbox.ts';

it('contacts are created, changed, exported and erased, and conversations read', async () => {
  await using sandboxes = await openSandboxes('sqlite');
  const sandbox = await sandboxes.open('telegram');
  const { app, service } = sandbox;
  await using cli = await commandLine('sqlite', { XDG_CONFIG_HOME: '' });
  const environment = {
    SWITCHBOARD_URL: service.url,
    SWITCHBOARD_TOKEN: app.token ?? '',
    XDG_CONFIG_HOME: cli.folder,
  };
  const run = (...args: string[]) => cli.run(args, { environment });
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return JSON.parse(stdout);
  };
  await sandbox.act('reply', { text: 'hello there' });
  const { data } = await sandbox.event('it', ({ type }) => type === 'message.received');
  const from = (data as { actor: { id: string } }).actor.id;

  const fields = ['--name', 'Ada', '--external-id', 'a-1', '--field', 'plan=gold'];
  const address = ['--address', `sandbox.telegram:${from}`];
  const { id } = await json('contacts', 'create', ...fields, ...address);
  const changed = await json('contacts', 'update', String(id), '--name', 'Grace', '--locale', 'en');
  assert.deepEqual(
    [changed.name, changed.external_id, changed.fields],
    ['Grace', 'a-1', { plan: 'gold' }],
  );
  const [found] = await json('contacts', 'list', '--search', 'gra');
  assert.equal(found.id, id);
  assert.match((await run('contacts', 'show', String(id))).stdout, /sandbox\.telegram/);

  const [conversation] = await json('conversations', '--contact', String(id));
  assert.deepEqual([conversation.to, conversation.unread], [from, 1]);
  const shown = await run('conversations', 'show', String(conversation.id));
  assert.match(shown.stdout, /< hello there\n/);
  assert.equal((await run('conversations', 'read', String(conversation.id))).code, 0);
  assert.equal((await json('conversations'))[0].unread, 0);

  const file = join(cli.folder, 'ada.ndjson');
  assert.equal((await run('contacts', 'export', String(id), file)).code, 0);
  assert.match(readFileSync(file, 'utf8'), /hello there[^]*"kind":"end"/);
  const { stdout } = await run('contacts', 'export', String(id));
  assert.equal(stdout, readFileSync(file, 'utf8'));

  assert.equal((await run('contacts', 'erase', String(id))).code, 2);
  const erased = await json('contacts', 'erase', String(id), '--yes');
  assert.deepEqual([erased.contact_id, erased.state], [id, 'done']);
  assert.equal((await run('contacts', 'show', String(id))).code, 3);
  const other = await json('contacts', 'create', '--name', 'Other');
  assert.equal((await json('contacts', 'delete', String(other.id))).deleted, true);
  assert.equal((await run('contacts', 'create', '--address', 'nonsense')).code, 2);
  const twice = await run('contacts', 'create', '--field', 'plan=gold', '--field', 'plan=free');
  assert.equal(twice.code, 2);
  assert.match(twice.stderr, /--field plan: given more than once/);
});

it('contacts are imported from a file of several parts, and an interrupted import continues', async () => {
  await using sandboxes = await openSandboxes('sqlite');
  const { app, service } = await sandboxes.open('telegram');
  await using cli = await commandLine('sqlite', { XDG_CONFIG_HOME: '' });
  const environment = {
    SWITCHBOARD_URL: service.url,
    SWITCHBOARD_TOKEN: app.token ?? '',
    XDG_CONFIG_HOME: cli.folder,
  };
  const run = (...args: string[]) => cli.run(['contacts', 'import', ...args], { environment });
  const file = join(cli.folder, 'people.csv');
  const row = (i: number) =>
    `customer-${i},Person ${i},,${i === 10_001 ? 'wrong' : `p${i}@example.com`}`;
  const header = 'external_id,name,"fields.two\nlines",email';
  const rows = Array.from({ length: 10_003 }, (_unused, i) => row(i));
  writeFileSync(file, [header, ...rows].join('\n'));
  const first = await run(file);
  assert.equal(first.code, 1);
  // Two lines of header, then the rows from 0.
  assert.match(
    first.stdout,
    /^Line 10004: [^]*\n10002 created, 0 updated, 0 unchanged, 1 skipped\.\n$/,
  );
  const [, id = ''] = /--resume ([0-9a-f]{16})/.exec(first.stderr) ?? [];
  const importsOf = async () => (await app.get('/1/contact-imports')).body.data.length;
  assert.equal(await importsOf(), 2);
  const again = await run(file, '--resume', id, '--json');
  const { errors, ...counts } = JSON.parse(again.stdout);
  assert.deepEqual(counts, { total: 10_003, created: 10_002, updated: 0, unchanged: 0, failed: 1 });
  assert.equal(errors[0].line, 10_004);
  assert.equal(await importsOf(), 2, 'what was imported is not imported again');

  const lines = join(cli.folder, 'people.ndjson');
  writeFileSync(lines, '{"external_id":"customer-0","name":"Ada"}\n');
  const changed = await run(lines, '--json');
  assert.deepEqual([changed.code, JSON.parse(changed.stdout).updated], [0, 1]);
  assert.equal((await run(join(cli.folder, 'missing.csv'))).code, 2);
  assert.equal((await run(lines, '--resume', 'x')).code, 2);
  assert.equal((await run(lines, '--format', 'xml')).code, 2);
  writeFileSync(file, 'id;name\n1;Ada\n');
  assert.equal((await run(file)).code, 1);
  writeFileSync(file, Buffer.from('external_id\n\xff\n', 'latin1'));
  assert.equal((await run(file)).code, 1);
});
