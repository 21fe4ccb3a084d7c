import assert from 'node:assert/strict';
import { it } from 'node:test';

import { type CommandLine, call, commandLine } from '../support/programs/command.ts';
import { Guest } from '../support/service/chat.ts';
import { freePort } from '../support/store/postgres.ts';
import { until } from '../support/until.ts';

/* From nothing to an answered message with one command. */

async function open() {
  const cli = await commandLine('sqlite', { SWITCHBOARD_PORT: String(await freePort()) });
  return Object.assign(cli, {
    own: { XDG_CONFIG_HOME: cli.folder },
  });
}

/** Visits the chat that quickstart printed, and answers its message. */
async function answer(cli: CommandLine, environment: Record<string, string>, text: string) {
  const running = cli.start(['quickstart', '--timeout', '100'], { environment });
  const [, url = '', chat = ''] = await running.printed('stdout', /(http:\S+)\/chat\/(\d+)\n/);
  const { body } = await call(url, 'POST', `/chat/${chat}/session`, { json: {} });
  const guest = await Guest.open(url, body);
  await until('the greeting', () => guest.texts[0]);
  await guest.say(text);
  await running.printed('stdout', new RegExp(text));
  guest.leave();
  return { running, url, chat, visitor: guest.id };
}

it('quickstart starts a service, greets the visitor, prints the answer and serves on', async () => {
  await using cli = await open();
  const first = await answer(cli, cli.own, 'It works');
  await first.running.printed('stdout', /Ctrl-C/);
  assert.match(first.running.stdout, /\bid \d+, secret \S{20,}/);
  const sent = await cli.run(
    ['send', '--to', first.visitor, '--text', 'More', '--via', first.chat, '--wait'],
    { environment: cli.own },
  );
  assert.equal(sent.code, 0, sent.stderr);
  first.running.kill('SIGINT');
  assert.equal((await first.running.exited).code, 0, first.running.stderr);
  await assert.rejects(fetch(first.url));

  // A second run finds the application, the chat and the running service.
  const service = await cli.serve();
  const second = await answer(cli, cli.own, 'Once more');
  assert.equal(second.chat, first.chat);
  assert.equal((await second.running.exited).code, 0, second.running.stderr);
  assert.equal((await call(service.url, 'GET', '/healthz')).status, 200);
});

it('quickstart fails when nobody answers in time, and when the port has another server', async () => {
  await using cli = await open();
  const service = await cli.serve();
  const environment = {
    ...cli.own,
    SWITCHBOARD_URL: service.url,
    SWITCHBOARD_TOKEN: await service.signIn(),
  };
  const late = await cli.run(['quickstart', '--timeout', '1'], { environment });
  assert.equal(late.code, 1);
  assert.match(late.stderr, /--timeout/);
  const none = await cli.run(['quickstart'], {
    environment: { ...cli.own, SWITCHBOARD_PORT: '0' },
  });
  assert.equal(none.code, 2);
  assert.match(none.stderr, /SWITCHBOARD_PORT/);
  const foreign = { ...environment, SWITCHBOARD_TOKEN: 'nonsense' };
  assert.match((await cli.run(['quickstart'], { environment: foreign })).stderr, /token_invalid/);
});
