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

it('changes, disables and deletes an application and an integration', async () => {
  await using opened = await open();
  const { run, file, sb } = opened;
  const asJson = async (...args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const { id } = await asJson('apps', 'create', 'order-news', '--webhook', 'https://example.com/a');
  const application = String(id);
  const own = ['--application', application];
  const token = ['--field', `token=@${file('token', TOKEN)}`];
  const add = ['integrations', 'add', 'telegram', ...own, ...token, '--label', 'Orders'];
  const integration = String((await asJson(...add)).id);

  assert.equal(
    (await asJson('apps', 'update', application, '--name', 'shop-news')).name,
    'shop-news',
  );
  const { name, webhook_url: webhook } = await asJson(
    'apps',
    'update',
    application,
    '--no-webhook',
  );
  assert.deepEqual([name, webhook], ['shop-news', null]);
  assert.equal((await asJson('apps', 'disable', application)).state, 'disable');
  assert.equal((await asJson('apps', 'enable', application)).state, 'enable');

  const update = ['integrations', 'update', integration, ...own];
  const first = await asJson(...update, '--option', 'silent=true');
  assert.deepEqual([first.label, first.options], ['Orders', { silent: true }]);
  const second = await asJson(...update, '--no-label', '--option', 'protect_content=true');
  assert.equal(second.label ?? null, null);
  assert.deepEqual(second.options, { silent: true, protect_content: true });
  assert.equal((await asJson(...update, ...token)).state, 'enable');
  const refused = await run([...update, '--field', `token=@${file('wrong', '123456:wrong')}`]);
  assert.equal(refused.code, 1, refused.stderr);
  for (const state of ['disable', 'enable']) {
    assert.equal((await asJson('integrations', state, integration, ...own)).state, state);
  }

  // Deleting needs a confirmation.
  for (const args of [
    ['integrations', 'delete', integration, ...own],
    ['apps', 'delete', application],
  ]) {
    assert.equal((await run(args)).code, 2, args.join(' '));
  }
  const path = `/1/applications/${application}`;
  const user = await sb.service.userToken(sb.service.owner);
  const isFound = async () =>
    (await fetch(`${sb.service.url}${path}`, { headers: { authorization: `Bearer ${user}` } })).ok;
  assert.ok(await isFound());
  const remove = ['integrations', 'delete', integration, ...own, '--yes'];
  assert.deepEqual(await asJson(...remove), { deleted: Number(integration) });
  assert.equal((await run(remove)).code, 3);
  assert.deepEqual(await asJson('apps', 'delete', application, '--yes'), { deleted: id });
  assert.ok(!(await isFound()));
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
    [run(['apps', 'create', 'order-news', '--webhook', 'x']), 1, /^switchboard: --webhook: /],
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

it(
  'integrations add --force accepts credentials that it asked for and the channel refused',
  { skip: SCRIPT.skip },
  async () => {
    await using opened = await open();
    const { cli, environment, sb } = opened;
    const before = await count(opened);
    const command = `stty cols 200 rows 50; '${process.execPath}' '${MAIN}' integrations add telegram --force --application ${sb.applicationId}`;
    const launcher = [SCRIPT.path ?? '', '-qfec', command, '/dev/null'] as const;
    await using running = cli.start([], { launcher, environment, isTyped: true });
    for (const [asked, answer] of [
      [/Bot token/i, '1:fake-wrong-token\r'],
      [/\(empty: a random value\)/, '\r'],
    ] as const) {
      await running.printed('stdout', asked);
      running.type(answer);
    }
    await running.printed('stdout', /refused Telegram[^]*(Added Telegram|again\?)/);
    running.type('n');
    const { code, stdout } = await running.exited;
    assert.equal(code, 0, stdout);
    assert.equal(await count(opened), before + 1);
  },
);

it('names a file that it cannot read or write, and imports only UTF-8', async () => {
  await using opened = await open();
  const { run, file, cli, sb } = opened;
  const own = ['--application', String(sb.applicationId)];
  const latin1 = join(cli.folder, 'latin1.csv');
  const line = 'family,address,scope,state,evidence\nsms,+15550100,all,revoked,caf\u00E9\n';
  writeFileSync(latin1, Buffer.from(line, 'latin1'));
  const nowhere = join(cli.folder, 'no-folder', 'file');
  for (const [args, named] of [
    [['consents', 'import', nowhere, ...own], nowhere],
    [['consents', 'import', cli.folder, ...own], cli.folder],
    [['consents', 'export', nowhere, ...own], nowhere],
    [['contacts', 'export', nowhere, ...own], nowhere],
    [['doctor', '--support', nowhere], nowhere],
    [['restore', cli.folder], cli.folder],
    [['consents', 'import', latin1, ...own], 'UTF-8'],
  ] as const) {
    const { code, stderr } = await run([...args]);
    assert.notEqual(code, 0, args.join(' '));
    assert.ok(stderr.includes(named), stderr);
    assert.doesNotMatch(stderr, /E[A-Z]{4,}:|\n./, args.join(' '));
  }
  const { stdout } = await run(['consents', 'list', ...own, '--json']);
  assert.deepEqual(JSON.parse(stdout), []);
  const utf8 = await run(['consents', 'import', file('utf8.csv', line), ...own]);
  assert.equal(utf8.code, 0, utf8.stderr);
  assert.match((await run(['consents', 'list', ...own])).stdout, /caf\u00E9/);
});
