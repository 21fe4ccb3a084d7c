import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import { snippetsOf } from './docs/snippets.ts';
import type { HttpPeer } from './emulators/server/http.ts';
import * as slack from './emulators/slack/api.ts';
import * as twilio from './emulators/sms/twilio.ts';
import { type Checkout, checkOut } from './support/checkout.ts';
import { Terminal } from './support/programs/terminal.ts';
import { requirement } from './support/requirement.ts';
import { integrate } from './support/service/activity.ts';
import { type ChatService, openChat } from './support/service/chat.ts';
import { TSC } from './support/tools.ts';
import { until } from './support/until.ts';

/* Each example, started as its page says, against a real service. */

/** The client is built once for all examples. */
const NO_BUILD = 'npm() { [ "$*" = "run build -w sdk" ]; }\n';

const PYTHON = requirement('python3', 'apt-get install python3');

describe('the examples', () => {
  let checkout: Checkout;
  let chat: ChatService;
  let vendors: HttpPeer[];

  before(async () => {
    checkout = checkOut();
    execFileSync(process.execPath, [TSC, '-p', join(checkout.folder, 'sdk')]);
    // Programs in the folder find it where npm would have installed it.
    const place = join(checkout.folder, 'examples', 'node_modules', '@switchboard');
    mkdirSync(place, { recursive: true });
    symlinkSync(join(checkout.folder, 'sdk'), join(place, 'sdk'));
    vendors = [await slack.openSlack(), await twilio.openTwilio()];
    chat = await openChat(
      'sqlite',
      {},
      {
        environment: {
          SWITCHBOARD_SLACK_URL: vendors[0]?.url ?? '',
          SWITCHBOARD_TWILIO_URL: vendors[1]?.url ?? '',
        },
      },
    );
  });
  after(async () => {
    await chat[Symbol.asyncDispose]();
    for (const vendor of vendors) await vendor.close();
    checkout[Symbol.dispose]();
  });

  /** A terminal for the commands of a page. */
  const open = (more: Record<string, string> = {}) =>
    new Terminal(
      checkout.folder,
      { APP: chat.app.token ?? '', SWITCHBOARD_URL: chat.service.url, ...more },
      NO_BUILD,
    );

  function commandsOf(name: string): string {
    const [commands, ...more] = snippetsOf(`examples/${name}/README.md`);
    assert.deepEqual(more, []);
    return commands?.text.trim() ?? '';
  }

  it('echo-bot answers, and answers messages from its downtime once', async () => {
    const guest = await chat.visit();
    const first = open();
    first.type(commandsOf('echo-bot'));
    await guest.say('Is anybody there?');
    await guest.sees('You said: Is anybody there?');
    const position = join(checkout.folder, 'examples/echo-bot/position.txt');
    await until('it has stored its cursor', () => existsSync(position));
    await first[Symbol.asyncDispose]();

    await guest.say('And now?');
    await using again = open();
    again.type(commandsOf('echo-bot'));
    await guest.sees('You said: And now?');
    assert.equal(guest.texts.filter((text) => text.startsWith('You said')).length, 2);
    guest.leave();
  });

  it('notifier sends to Slack and a phone and reports the result', async () => {
    const { app, applicationId } = chat;
    await integrate(app, applicationId, { name: 'slack', token: slack.TOKEN });
    const account = { token: twilio.ACCOUNT, secret: twilio.TOKEN, username: twilio.SENDER };
    await integrate(app, applicationId, { name: 'twilio', ...account });
    await using terminal = open();
    const { text, status } = await terminal.run(commandsOf('notifier'));
    assert.equal(status, 0, text);
    assert.match(text, /^message \d+: sent\nmessage \d+: sent$/);
    const [inSlack, byPhone] = vendors.map(({ seen }) => seen.at(-1));
    assert.match(JSON.stringify(inSlack?.json), /"Nightly build failed","style":\{"bold":true\}/);
    assert.match(byPhone?.form?.['Body'] ?? '', /^Nightly build failed: see/);

    const refused = await terminal.run(`SLACK_CHANNEL=CFOREIGN001 node notify.mjs 'Hello'`);
    assert.equal(refused.status, 1);
    assert.match(refused.text, /\bfailed\b.*not_in_channel/);
  });

  it('support-desk shows received messages and sends the answers back', async () => {
    const guest = await chat.visit();
    await guest.say('<b>Where</b> is my order?');
    await using terminal = open({ PORT: '0' });
    terminal.type(commandsOf('support-desk'));
    const url = await until('it listens', () => /^http:\S+/m.exec(terminal.output)?.[0]);
    const page = await until('the message is shown', async () => {
      const text = await (await fetch(url)).text();
      return text.includes('&#60;b&#62;Where&#60;/b&#62; is my order?') && text;
    });
    const [, id = ''] = /name="id" value="(\d+)"/.exec(page) ?? [];
    assert.ok(id, page);
    const answer = (body: Record<string, string>) =>
      fetch(url, { method: 'POST', body: new URLSearchParams(body), redirect: 'manual' });
    assert.equal((await answer({ id, text: 'It is on its way.' })).status, 303);
    await guest.sees('It is on its way.');
    assert.match(await (await fetch(url)).text(), /<b>You \(\w+\)<\/b> It is on its way\./);
    assert.equal((await answer({ id: '999999999', text: 'Hello' })).status, 502);
    guest.leave();
  });

  it('tested-bot passes its tests in both languages', { skip: PYTHON.skip }, async () => {
    const { app } = await chat.service.application();
    const none = { npm_config_offline: 'true', PYTHONDONTWRITEBYTECODE: '1' };
    await using terminal = open({ ...none, APP: app.token ?? '' });
    const { text, status } = await terminal.run(commandsOf('tested-bot'));
    assert.equal(status, 0, text);
    assert.match(text, /pass 1\b[^]*Ran 1 test\b/);

    // A bot that says something else fails them.
    const bot = join(checkout.folder, 'examples/tested-bot/bot.mjs');
    writeFileSync(bot, readFileSync(bot, 'utf8').replace('is on its way', 'is sold out'));
    const failed = await terminal.run('SWITCHBOARD_TOKEN=$APP node --test --test-timeout=2000');
    assert.equal(failed.status, 1, failed.text);
  });
});
