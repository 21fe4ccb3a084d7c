import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { Webhook } from 'standardwebhooks';

import { openEndpoint } from '../emulators/endpoint.ts';
import { type CommandOptions, type Finished, commandLine } from '../support/programs/command.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';
import { until } from '../support/until.ts';

/* The commands that call a server, as processes, against a delivering service. */

const STEERING = '\u001B[31m';

async function open() {
  const sb = await openWebhookDelivery('sqlite');
  const cli = await commandLine('sqlite', { XDG_CONFIG_HOME: '' });
  const environment = {
    XDG_CONFIG_HOME: cli.folder,
    SWITCHBOARD_URL: sb.service.url,
    SWITCHBOARD_TOKEN: sb.app.token ?? '',
  };
  const run = (args: string[], options: CommandOptions = {}) =>
    cli.run(args, { ...options, environment: { ...environment, ...options.environment } });
  const start = (args: string[]) => cli.start(args, { environment });
  return {
    sb,
    cli,
    run,
    start,
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      await sb[Symbol.asyncDispose]();
    },
  };
}

/** The output of a successful command. */
function good({ code, stdout, stderr }: Finished): string {
  assert.deepEqual([code, stderr], [0, '']);
  assert.ok(!stdout.includes('\u001B'), 'colored output without a terminal');
  return stdout;
}

it('sends messages, shows their state and lists resources', async () => {
  await using opened = await open();
  const { sb, run } = opened;
  const [sent, piped, planned, timed, channels, guide, integrations, checked] = await Promise.all([
    run(['send', '--to', 'ada', '--text', `Hello ${STEERING}`, '--wait', '--json']),
    run(['send', '--to', 'bob', '--via', 'webhook', '--markdown'], { input: '**Hi**\n' }),
    run(['send', '--to', 'ada', '--image', 'https://example.com/a.png', '--dry-run']),
    run(['send', '--to', 'ada', '--text', 'Hi', '--at', '09:00', '--zone', 'UTC', '--json']),
    run(['channels', 'telegram']),
    run(['channels', 'telegram', '--guide']),
    run(['integrations', '--json']),
    run(['integrations', 'check']),
  ]);
  const message = JSON.parse(good(sent)) as { id: number; state: string };
  assert.equal(message.state, 'sent');
  assert.match(good(piped), /\d+.*switchboard.* messages \d+\n$/);
  assert.match(good(planned), /ada .*webhook \(integration \d+\).*\nsend: \{/);
  const later = JSON.parse(good(timed)) as { state: string; send_at: string };
  assert.equal(later.state, 'scheduled');
  assert.match(later.send_at, /T09:00:00$/);
  assert.match(good(guide), /t\.me\/BotFather\n[^]*\n1\. [^]*\n3\. [^]*\nReceiving:\n/);
  assert.match(good(channels), /^Telegram \(telegram\), https[^]*token +/);
  const [only] = JSON.parse(good(integrations)) as { id: number; name: string }[];
  assert.deepEqual([only?.id, only?.name], [sb.integrationId, 'webhook']);
  assert.match(good(checked), /^unknown +webhook \(\d+\): /);
  await until('both messages are sent', () => sb.peer.seen.length === 2);

  const [list, one, events, lines, onward] = await Promise.all([
    run(['messages', '--to', 'ada', '--state', 'sent,delivered']),
    run(['messages', String(message.id)]),
    run(['events']),
    run(['events', '--json', '--type', 'message.sent', '--limit', '1']),
    run(['events', '--json', '--after', '0', '--limit', '1']),
  ]);
  assert.match(good(list), /^id +created +state +to [^]*\n\d+ .*sent +ada .*Hello +\[31m/);
  assert.match(good(one), /\bsent\b.*\n.*\nHello +\[31m\n\nattempt +started/);
  assert.match(good(events), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +1 +message\.sent +message \d+ to /);
  assert.equal((JSON.parse(good(lines)) as { type: string }).type, 'message.sent');
  assert.equal((JSON.parse(good(onward)) as { id: number }).id, 1);

  sb.peer.react = () => ({ status: 429, headers: { 'retry-after': '3600' } });
  await using waiting = opened.start(['send', '--to', 'ada', '--text', 'Later', '--wait']);
  await waiting.printed('stderr', /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*\n/);
});

it('exits with a code for the result and an error that says what to do', async () => {
  await using opened = await open();
  const { sb, run } = opened;
  sb.peer.react = () => ({ status: 400 });
  const to = ['send', '--to', 'ada', '--text', 'Hello'];
  const gone = { environment: { SWITCHBOARD_URL: 'http://127.0.0.1:9' } };
  const nobody = { environment: { SWITCHBOARD_TOKEN: '' } };
  const cases: [Promise<Finished>, number, RegExp][] = [
    [run([...to, '--wait']), 1, /^$/],
    [run([...to, '--via', 'slack']), 1, /\(no_integration\)/],
    [run([...to, '--via', 'telgram']), 1, /telegram.*\(unknown_channel\)/],
    [run([...to, '--via', 'telgram', '--dry-run']), 1, /telegram.*\(unknown_channel\)/],
    [run(['messages', '999999']), 3, /\(not_found\)/],
    [run(['retry', '999999']), 3, /\(not_found\)/],
    [run(['retry']), 2, /missing required argument/],
    [run(['channels', '--guide']), 2, /--guide/],
    [run(['channels', 'pigeon']), 3, /"pigeon".*"channels"/],
    [run(['messages', 'seven']), 2, /"seven"/],
    [run(['messages', '--state', 'lost']), 2, /--state.*queued, .*"lost"/],
    [run(['send', '--to', 'ada']), 2, /--text.*--image.*--document/],
    [run([...to, '--zone', 'UTC']), 2, /--at/],
    [run([...to, '--at', '2026-12-01T09:00:00Z', '--zone', 'UTC']), 2, /--zone/],
    [run([...to, '--at', 'soon']), 1, /\(invalid_fields\)/],
    [run(['listen', '--forward', 'localhost']), 2, /--forward/],
    [run(['events', '--type', 'x']), 2, /"x"/],
    [run(['send', '--text', 'Hello']), 2, /required option '--to/],
    [run(to, nobody), 2, /login/],
    [run(['applications']), 1, /\(wrong_token_kind\)/],
    [run(['messages'], gone), 1, /127\.0\.0\.1:9.*\(no_answer\)/],
    [run(['login'], nobody), 2, /--token.*--email/],
    [run(['completion', 'tcsh']), 2, /bash.*zsh.*fish.*"tcsh"/],
  ];
  for (const [i, [finished, code, words]] of cases.entries()) {
    const { code: own, stderr } = await finished;
    assert.equal(own, code, `${i}: ${stderr}`);
    assert.match(stderr, words);
    if (own !== 2) assert.ok(stderr.split('\n').length <= 2, stderr);
  }
  assert.match((await cases[0]?.[0])?.stdout ?? '', /^Message \d+ .*failed.*\n.*\b400\b/);
  const failed = ['resend', '--state', 'failed'];
  assert.match(good(await run([...failed, '--dry-run'])), /^1 message/);
  // From now on it waits for its next attempt.
  sb.peer.react = () => ({ status: 503 });
  const many = JSON.parse(good(await run([...failed, '--json'])));
  assert.deepEqual([many.state, many.done, many.filter], ['done', 1, { state: 'failed' }]);
  const none = await run(failed);
  assert.match(none.stdout, /^0 of 0 .*job \d+/);
  assert.match(none.stderr, /^(?:job \d+, running\n)?job \d+, done\n$/);
  assert.equal((await run(['resend'])).code, 2);
  assert.equal((await run(['resend', '1', '--state', 'failed'])).code, 2);
  const dry = await run(['resend', '1', '--dry-run']);
  assert.deepEqual([dry.code, dry.stdout], [2, '']);
  assert.match(dry.stderr, /--dry-run needs a filter/);
  for (const command of ['messages', 'resend']) {
    for (const flag of ['--after', '--before']) {
      const { code, stderr } = await run([command, flag, 'yesterday']);
      assert.equal(code, 2);
      assert.ok(stderr.startsWith(`switchboard: ${flag}: `), stderr);
    }
  }

  const { body } = await sb.app.get('/1/messages');
  const id = String(body.data[0].id);
  sb.peer.react = () => ({ status: 204 });
  await sb.app.delete(`/1/messages/${id}`);
  const again = await run(['resend', id]);
  assert.match(good(again), new RegExp(`^[^\\n]*${id}[^\\n]*\\n$`));
});

it('names the flags of invalid fields', async () => {
  await using opened = await open();
  const { sb, run } = opened;
  await sb.app.post('/1/integrations', {
    application_id: sb.applicationId,
    name: 'webhook',
    state: 'enable',
    address: sb.peer.url,
  });
  const [, disabled] = [
    await sb.app.post('/1/integrations', {
      application_id: sb.applicationId,
      name: 'slack',
      state: 'enable',
    }),
    await sb.app.post('/1/integrations', {
      application_id: sb.applicationId,
      name: 'slack',
      state: 'disable',
    }),
  ];
  const contents = { en: { content: 'Hi {{ name }}' } };
  await sb.app.post('/1/templates', { name: 'greeting', default_language: 'en', contents });
  const long = 'x'.repeat(1025);
  const via = ['--via', String(sb.integrationId)];
  const to = ['--to', 'ada'];
  const text = ['--text', 'Hello'];
  const cases: [args: string[], flag: string, code: string][] = [
    [['send', ...to, ...text], '--via', 'no_integration'],
    [['send', ...to, ...text, '--via', 'webhook'], '--via', 'no_integration'],
    [['send', ...to, ...text, '--via', 'irc'], '--via', 'no_integration'],
    [['send', ...to, ...text, '--via=telgram'], '--via', 'unknown_channel'],
    [['send', ...to, ...text, '--via', 'slack'], '--via', 'integration_incomplete'],
    [['send', ...to, ...text, '--via', String(disabled?.body.id)], '--via', 'integration_disabled'],
    [['send', ...text, ...via, '--to', long], '--to', 'invalid_fields'],
    [['send', ...text, ...via, '--to', ''], '--to', 'invalid_fields'],
    [['send', ...to, ...via, '--text', ' '], '--text', 'invalid_fields'],
    [['send', ...to, ...via, ...text, '--title', long], '--title', 'invalid_fields'],
    [['send', ...to, ...via, ...text, '--id', long], '--id', 'invalid_fields'],
    [['send', ...to, ...via, '--image', 'cat.png'], '--image', 'invalid_fields'],
    [['send', ...to, ...via, '--document=a.pdf'], '--document', 'invalid_fields'],
    [
      ['send', ...to, ...via, '--image', 'https://example.com/a.png', '--document', 'a.pdf'],
      '--document',
      'invalid_fields',
    ],
    [['resend', '--state', 'sent'], '--state', 'invalid_fields'],
    [['resend', '--channel', 'pigeon'], '--channel', 'invalid_fields'],
    [['resend', '--to', ''], '--to', 'invalid_fields'],
    [['send', ...to, ...via, ...text, '--at', 'soon'], '--at', 'invalid_fields'],
    [['send', ...to, ...via, ...text, '--at', '25:00'], '--at', 'invalid_fields'],
    [
      ['send', ...to, ...via, ...text, '--at', '09:00', '--zone', 'Mars'],
      '--zone',
      'invalid_fields',
    ],
    [['send', ...to, ...via, '--template', 'none'], '--template', 'template_refused'],
    [['send', ...to, ...via, '--template', 'greeting'], '--parameter', 'template_refused'],
    [['contacts', 'create', '--field', `plan=${long}`], '--field', 'invalid_fields'],
    [['consents', 'set', 'granted', 'sms', 'ada'], 'address', 'invalid_fields'],
  ];
  for (const [args, flag, code] of cases) {
    const { code: exit, stderr } = await run(args);
    assert.equal(exit, 1, stderr);
    assert.ok(stderr.startsWith(`switchboard: ${flag}: `), stderr);
    assert.ok(stderr.includes(`(${code})`), stderr);
    assert.doesNotMatch(stderr, /\/message|\/filter|generator|to\.id/);
  }
  const planned = await run(['send', ...text, ...via, '--to', long, '--dry-run']);
  assert.equal(planned.code, 1);
  assert.doesNotMatch(planned.stdout + planned.stderr, /\/message|to\.id/);
});

it('stores profiles for users and applications that only the owner can read', async () => {
  await using opened = await open();
  const { sb, cli, run } = opened;
  const environment = { SWITCHBOARD_TOKEN: '' };
  const email = 'ada@example.com';
  await sb.api.post('/1/users', { email, state: 'enable', password: 'fake-password-1' });
  const login = await run(['login', '--email', email], { input: 'fake-password-1\n', environment });
  assert.match(good(login), /http\S+ as ada\b.*"default".*profiles\.json/);
  const file = join(cli.folder, 'switchboard', 'profiles.json');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const token = sb.app.token ?? '';
  good(await run(['login', '--profile', 'app', '--token', token], { environment }));
  const [profiles, user, application, wrong] = await Promise.all([
    run(['profiles', '--json'], { environment }),
    run(['applications', '--profile', 'default', '--json'], { environment }),
    run(['messages', '--json'], { environment }),
    run(['login', '--email', email], { input: 'wrong\n', environment }),
  ]);
  // The team's only application is the default.
  const sendCommand = ['send', '--to', 'ada', '--text', 'Hello', '--profile', 'default', '--json'];
  const sent = await run(sendCommand, { environment });
  assert.ok(!profiles.stdout.includes(token), 'tokens are not shown');
  const names = JSON.parse(good(profiles)) as { name: string; current: string }[];
  assert.deepEqual(
    names.map(({ name, current }) => [name, current]),
    [
      ['default', ''],
      ['app', 'yes'],
    ],
  );
  assert.equal((JSON.parse(good(user)) as unknown[]).length, 1);
  assert.deepEqual(JSON.parse(good(application)), []);
  assert.equal((JSON.parse(good(sent)) as { state: string }).state, 'queued');
  assert.deepEqual([wrong.code, /\(login_failed\)/.test(wrong.stderr)], [1, true]);
  const out = await run(['logout', '--profile', 'default'], { environment });
  assert.match(good(out), /"default"/);
  assert.match(good(await run(['logout'], { environment })), /"app"/);
  assert.equal((await run(['messages'], { environment })).code, 2);
});

it('prints events and forwards them to a local webhook until they are accepted', async () => {
  await using opened = await open();
  const { sb, start } = opened;
  const endpoint = await openEndpoint(({ headers }) =>
    endpoint.seen.length === 1 || headers['webhook-id'] === undefined
      ? { status: 500 }
      : { status: 204 },
  );
  const tail = start(['tail', '--after', '0']);
  const listen = start(['listen', '--after', '0', '--forward', endpoint.url]);
  await sb.send('One', 'ada');
  await sb.send('Two', 'ada');
  await tail.printed('stdout', /1 +message\.sent .*\n.*2 +message\.sent .*\n/);
  await listen.printed('stdout', /1 +message\.sent +500 .*\n.*1 .* 204 .*\n.*2 .* 204 /);
  const [, secret = ''] = /(whsec_\S+)/.exec(listen.stderr) ?? [];
  const { text, headers } = endpoint.seen[1] ?? {};
  const event = new Webhook(secret).verify(text ?? '', headers ?? {}) as { id: number };
  assert.equal(event.id, 1);
  assert.equal(endpoint.seen[0]?.headers['webhook-id'], headers?.['webhook-id']);
  for (const running of [tail, listen]) {
    running.kill('SIGINT');
    assert.equal((await running.exited).code, 0, running.stderr);
  }
  await endpoint.close();
});

it('completes commands in bash', async () => {
  await using opened = await open();
  const script = good(await opened.run(['completion', 'bash']));
  const complete = (...words: string[]) => {
    const line = `${script}\nCOMP_WORDS=(switchboard ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _switchboard; echo "\${COMPREPLY[*]}"`;
    return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).trim().split(' ');
  };
  assert.deepEqual(complete('mes'), ['messages']);
  assert.deepEqual(complete('send', '--dr'), ['--dry-run']);
  assert.deepEqual(complete('integrations', 'ch'), ['check']);
  assert.deepEqual(complete('send', '--to', 'ada', '--wa'), ['--wait']);
});

it('lists keys with creator, label and last use, and revokes them', async () => {
  await using opened = await open();
  const { sb, run } = opened;
  const { api, owner } = sb.service;
  const { application } = await sb.service.application();
  await api.post(`/1/applications/${application.id}/tokens`, { label: 'Billing server' });
  const environment = { SWITCHBOARD_TOKEN: await sb.service.userToken(owner) };
  const mine = ['keys', '--created-by', String(owner.id)];
  const [key] = JSON.parse(good(await run([...mine, '--json'], { environment }))) as {
    id: number;
    label: string;
    created_by: number;
    last_used_at: string | null;
  }[];
  assert.ok(key);
  assert.deepEqual(
    [key.label, key.created_by, key.last_used_at],
    ['Billing server', owner.id, null],
  );
  assert.match(good(await run(['keys'], { environment })), /Billing server/);
  const other = ['keys', '--application', String(sb.applicationId), '--json'];
  assert.deepEqual(
    JSON.parse(good(await run(other, { environment }))).filter(
      ({ id }: typeof key) => id === key.id,
    ),
    [],
  );
  good(await run(['keys', 'revoke', String(key.id)], { environment }));
  assert.equal((await api.get(`/1/keys/applications/${key.id}`)).status, 404);
});
