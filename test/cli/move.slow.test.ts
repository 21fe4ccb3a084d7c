import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, before, it } from 'node:test';

import { TABLES, inDatabase } from '../../src/store/tables.ts';
import {
  type CommandLine,
  type CommandOptions,
  call,
  commandLine,
  makeApplication,
  note,
} from '../support/programs/command.ts';
import { type TestDatabase, createDatabase } from '../support/store/databases.ts';
import { fillTables } from '../support/store/filled.ts';

const ROWS = 40;
const SETTINGS = { SWITCHBOARD_TELEGRAM_URL: 'http://127.0.0.1:9' };

const fileOf = (cli: CommandLine) => cli.environment['SWITCHBOARD_DATABASE'] ?? '';
const urlOf = (target: TestDatabase) => target.environment['SWITCHBOARD_DATABASE'] ?? '';
const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** A used embedded store and its content: created once and copied for each test. */
let used: { cli: CommandLine; token: string; id: number };
before(async () => {
  const cli = await commandLine('sqlite', SETTINGS);
  const serving = await cli.serve();
  const { token } = await makeApplication(serving.url, await serving.signIn());
  const sent = await call(serving.url, 'POST', '/1/message', { token, json: note('carried over') });
  await serving.stop();
  used = { cli, token, id: Number(sent.body.id) };
});
after(() => used.cli[Symbol.asyncDispose]());

/** A copy with rows in every table, and an empty target database. */
async function prepare(rows = ROWS) {
  const cli = await commandLine('sqlite', SETTINGS);
  cpSync(used.cli.folder, cli.folder, { recursive: true });
  if (rows > 0) fillTables(fileOf(cli), rows);
  const target = await createDatabase('postgres');
  const move = (...args: string[]) => cli.run(['move', '--to', urlOf(target), ...args]);
  return {
    cli,
    target,
    token: used.token,
    id: used.id,
    move,
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      await target.dispose();
    },
  };
}

/** The settings of a service that continues with the target. */
function onTarget(cli: CommandLine, target: TestDatabase): CommandOptions {
  const ring = readFileSync(`${fileOf(cli)}.keys`, 'utf8').trim();
  const environment = { SWITCHBOARD_DATABASE: urlOf(target), SWITCHBOARD_SECRET_KEYS: ring };
  return { environment };
}

it('move copies every row of every table and leaves the source unchanged', async () => {
  await using sb = await prepare();
  const { cli, target, token, id } = sb;
  const hash = hashOf(fileOf(cli));
  const { code, stdout, stderr } = await sb.move('--json');
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(hashOf(fileOf(cli)), hash);
  const moved = JSON.parse(stdout);
  const names = moved.tables.map(({ table }: { table: string }) => table);
  const expected = Object.keys(TABLES).map(inDatabase);
  assert.deepEqual(
    names,
    expected.filter((name) => name !== 'nodes'),
  );
  for (const { table, rows } of moved.tables) {
    assert.ok(rows >= (table === 'ring_marker' ? 1 : ROWS), `${table}: ${rows}`);
  }

  const { url, stop } = await cli.serve(onTarget(cli, target));
  const shown = await call(url, 'GET', `/1/messages/${id}`, { token });
  assert.equal(shown.body.message.object.content, 'carried over');
  const next = await call(url, 'POST', '/1/message', { token, json: note('new') });
  assert.equal(next.status, 202, next.text);
  assert.ok(Number(next.body.id) > id, 'new ids continue after the copied ones');
  await stop();
});

it('move names the next steps, and reports a completed move when it is run again', async () => {
  await using sb = await prepare(0);
  const first = await sb.move();
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /[\d,]+ rows .*\d+ tables/);
  assert.match(first.stdout, /SWITCHBOARD_SECRET_KEYS.*\.keys/);
  assert.match(first.stderr, /\boutbox\n/);
  const second = await sb.move('--json');
  assert.equal(JSON.parse(second.stdout).was, 'complete');
});

it('move refuses a target with other data and leaves it unchanged', async () => {
  await using sb = await prepare(0);
  const environment = sb.target.environment;
  assert.equal((await sb.cli.run(['init'], { environment })).code, 0);
  const { code, stderr } = await sb.move();
  assert.equal(code, 1);
  assert.match(stderr, /^switchboard: [^\n]+\n$/m);
  // The target's own key ring still opens it.
  assert.equal((await sb.cli.run(['user', 'list'], { environment })).code, 0);
});

it('move refuses while a service is running, unless forced', async () => {
  await using sb = await prepare(0);
  // An API-only node counts as running, too.
  const serving = await sb.cli.serve({ environment: { SWITCHBOARD_ROLE: 'api' } });
  const refused = await sb.move();
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /switchboard\.db .*process \d+.*--even-if-running/);
  const { code, stderr } = await sb.move('--even-if-running');
  assert.equal(code, 0, stderr);
  await serving.stop();

  const there = await sb.cli.serve({
    environment: { ...onTarget(sb.cli, sb.target).environment, SWITCHBOARD_ROLE: 'api' },
  });
  const again = await sb.move();
  assert.equal(again.code, 1);
  assert.match(again.stderr, /target .*process \d+ on /);
  await there.stop();
});

it('move resumes after it was killed, also when the source has changed since', async () => {
  await using sb = await prepare(3_000);
  const killed = sb.cli.start(['move', '--to', urlOf(sb.target)]);
  await killed.printed('stderr', /copying attempts\n/);
  killed.kill('SIGKILL');
  assert.equal((await killed.exited).signal, 'SIGKILL');
  {
    using db = new DatabaseSync(fileOf(sb.cli));
    db.exec(`update outbox set detail = 'changed since' where id > 1002000`);
    db.exec(`delete from teams where id = 1000007`);
  }
  const { code, stdout, stderr } = await sb.move('--json');
  assert.equal(code, 0, stderr);
  const moved = JSON.parse(stdout);
  assert.equal(moved.was, 'begun');
  const teams = moved.tables.find(({ table }: { table: string }) => table === 'teams');
  assert.equal(teams.rows, 3_000, 'one row existed before, and one was deleted');
});

it('move refuses a wrong key ring and a source that is not an embedded store', async () => {
  await using sb = await prepare(0);
  const { cli, target } = sb;
  const wrong = await cli.run(['move', '--to', urlOf(target)], {
    environment: { SWITCHBOARD_SECRET_KEYS: target.environment['SWITCHBOARD_SECRET_KEYS'] ?? '' },
  });
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /: k\w+/);
  renameSync(`${fileOf(cli)}.keys`, `${fileOf(cli)}.away`);
  assert.match((await sb.move()).stderr, /\.keys/);
  const postgres = { environment: target.environment };
  assert.equal((await cli.run(['move', '--to', urlOf(target)], postgres)).code, 2);
  assert.equal((await cli.run(['move', '--to', 'file.db'])).code, 2);
  const gone = { environment: { SWITCHBOARD_DATABASE: `${cli.folder}/none.db` } };
  assert.equal((await cli.run(['move', '--to', urlOf(target)], gone)).code, 3);
  assert.equal(existsSync(`${cli.folder}/none.db`), false);
});
