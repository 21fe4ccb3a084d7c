import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { TOKEN, openTelegram } from '../emulators/telegram.ts';
import { type CommandOptions, MAIN, commandLine } from '../support/programs/command.ts';
import { requirement } from '../support/requirement.ts';
import { openDelivery } from '../support/service/delivery.ts';

/* The commands that create applications, integrations and keys, as processes. */

const SCRIPT = requirement('script', 'apt-get install bsdutils');

async function open() {
  const sb = await openDelivery('sqlite', {
    channel: 'telegram',
    open: openTelegram,
    credentials: { token: TOKEN },
  });
  const cli = await commandLine('sqlite', { XDG_CONFIG_HOME: '' });
  const environment = {
    XDG_CONFIG_HOME: cli.folder,
    SWITCHBOARD_URL: sb.service.url,
    SWITCHBOARD_TOKEN: await sb.service.userToken(sb.service.owner),
    NO_COLOR: '1',
  };
  const run = (args: string[], options: CommandOptions = {}) =>
    cli.run(args, { ...options, environment: { ...environment, ...options.environment } });
  const file = (name: string, text: string) => {
    const path = join(cli.folder, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    sb,
    cli,
    run,
    file,
    environment,
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      await sb[Symbol.asyncDispose]();
    },
  };
}

const count = async ({ sb }: Awaited<ReturnType<typeof open>>) =>
  (await sb.app.get(`/1/applications/${sb.applicationId}/integrations`)).body.data.length;

it('creates an application, an integration and a key that works', async () => {
  await using opened = await open();
  const { run, file, sb } = opened;
  const created = await run(['apps', 'create', 'order-updates', '--json']);
  assert.equal(created.code, 0, created.stderr);
  const { id, name } = JSON.parse(created.stdout) as { id: number; name: string };
  assert.equal(name, 'order-updates');
  const listed = await run(['apps', 'list', '--json']);
  assert.ok((JSON.parse(listed.stdout) as { id: number }[]).some((one) => one.id === id));

  const own = ['--application', String(id)];
  const field = ['--field', `token=@${file('token', `${TOKEN}\n`)}`];
  const add = ['integrations', 'add', 'telegram', ...own, ...field];
  const added = await run([...add, '--label', 'Orders', '--option', 'silent=true', '--json']);
  assert.equal(added.code, 0, added.stderr);
  const integration = JSON.parse(added.stdout);
  assert.deepEqual(
    [integration.application_id, integration.label, integration.options],
    [id, 'Orders', { silent: true }],
  );
  const piped = await run(['integrations', 'add', 'telegram', ...own, '--field', 'token=-'], {
    input: `${TOKEN}\n`,
  });
  assert.equal(piped.code, 0, piped.stderr);
  assert.match(piped.stdout, /\b\d+\b[^]*\/1\/hooks\//);
  const shown = [added, piped].map(({ stdout, stderr }) => stdout + stderr).join('');
  assert.ok(!shown.includes(TOKEN), 'a secret is printed');

  const minted = await run(['keys', 'create', ...own, '--label', 'billing', '--json']);
  assert.equal(minted.code, 0, minted.stderr);
  const key = JSON.parse(minted.stdout) as { id: number; secret: string; label: string };
  assert.equal(key.label, 'billing');
  const { Switchboard } = await import('../../sdk/src/index.ts');
  const client = new Switchboard({ url: sb.service.url, key });
  assert.equal((await client.applications.me()).id, id);
  const plain = await run(['keys', 'create', ...own]);
  assert.match(plain.stdout, /\bid +\d+\n.*secret +\S{20,}\n$/);
});

it('refuses wrong fields by the flag that was typed, and adds nothing', async () => {
  await using opened = await open();
  const { run, file, sb } = opened;
  const before = await count(opened);
  const own = ['--application', String(sb.applicationId)];
  const add = (...args: string[]) => run(['integrations', 'add', ...args, ...own]);
  const wrong = `token=@${file('wrong', '1:fake-wrong')}`;
  const app = { environment: { SWITCHBOARD_TOKEN: sb.app.token ?? '' } };
  const cases = [
    [add('pigeon'), 3, /"pigeon"/],
    [add('telegram'), 2, /--field token=@FILE/],
    [add('telegram', '--field', `token=${TOKEN}`), 2, /--field token: .*token=@FILE.*token=-/],
    [add('telegram', '--field', 'token=@/nowhere'), 2, /--field token: .*ENOENT/],
    [add('telegram', '--field', 'token'), 2, /--field token: .*name=value/],
    [add('telegram', '--field', 'color=red'), 2, /--field color: .*token/],
    [add('telegram', '--field', wrong, '--field', wrong), 2, /--field token: .*more than once/],
    [add('telegram', '--field', wrong), 1, /\(refused\).*--force/],
    [add('telegram', '--field', wrong, '--option', 'x=1'), 2, /--option x/],
    [
      add('webhook', '--field', `address=${'x'.repeat(100_000)}`, '--force'),
      1,
      /--field address: /,
    ],
    [run(['apps', 'create', ' ']), 1, /^switchboard: name: .*\(invalid_fields\)/],
    [run(['apps', 'create', 'orders', '--webhook', 'x']), 1, /^switchboard: --webhook: /],
    [run(['apps', 'create', 'orders'], app), 1, /\(wrong_token_kind\)/],
    [run(['keys', 'create'], app), 1, /\(wrong_token_kind\)/],
    [run(['keys', 'create', '--application', 'x']), 2, /--application/],
    [run(['keys', 'create', '--application', '999999']), 3, /\(not_found\)/],
  ] as const;
  for (const [i, [finished, code, words]] of cases.entries()) {
    const { code: actual, stderr } = await finished;
    assert.equal(actual, code, `${i}: ${stderr}`);
    assert.match(stderr, words);
    assert.ok(!stderr.includes(TOKEN), 'a secret is printed');
  }
  assert.equal(await count(opened), before);
  const forced = await add('telegram', '--field', wrong, '--force');
  assert.equal(forced.code, 0, forced.stderr);
  assert.equal(await count(opened), before + 1);
});

it(
  'integrations add asks for credentials on a terminal without an echo, and again after a refusal',
  { skip: SCRIPT.skip },
  async () => {
    await using opened = await open();
    const { cli, environment, sb } = opened;
    const before = await count(opened);
    const command = `stty cols 200 rows 50; '${process.execPath}' '${MAIN}' integrations add telegram --application ${sb.applicationId}`;
    const launcher = [SCRIPT.path ?? '', '-qfec', command, '/dev/null'] as const;
    await using running = cli.start([], { launcher, environment, isTyped: true });
    const answers: readonly [RegExp, string][] = [
      [/Bot token/i, '1:fake-wrong-token\r'],
      [/\(empty: a random value\)/, '\r'],
      [/refused Telegram[^]*again\?/, 'y'],
      [/again\?[^]*Bot token/i, `${TOKEN}\r`],
      [/again\?[^]*\(empty: a random value\)/, '\r'],
    ];
    for (const [asked, answer] of answers) {
      await running.printed('stdout', asked);
      running.type(answer);
    }
    const { code, stdout } = await running.exited;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /ok Telegram[^]*\/1\/hooks\//);
    for (const secret of [TOKEN, 'fake-wrong-token']) {
      assert.ok(!stdout.includes(secret), 'a secret is echoed');
    }
    assert.equal(await count(opened), before + 1);
  },
);
