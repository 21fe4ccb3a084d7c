import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

import type { Browser } from 'playwright-core';

import { type Checkout, checkOut } from '../support/checkout.ts';
import { CHROMIUM, openBrowser, openChatPage, shows, write } from '../support/programs/browser.ts';
import { Terminal } from '../support/programs/terminal.ts';
import { requirement } from '../support/requirement.ts';
import { ROOT } from '../support/sources.ts';
import { freePort } from '../support/store/postgres.ts';
import { until } from '../support/until.ts';
import { snippetsOf } from './snippets.ts';

/*
 * From nothing to an answering bot, only with the pages: all their commands in order, typed into two terminals.
 * Only the port differs, and everything is installed already.
 */

const CURL = requirement('curl', 'apt-get install curl');
const START = 'docs/start.md';
const BOT = 'docs/recipes/bot.md';

const of = (page: string, language: string) =>
  snippetsOf(page)
    .filter((snippet) => snippet.language === language)
    .map(({ text }) => text.trim());

/** The expected response on a page. */
const shown = (page: string, pattern: RegExp) =>
  of(page, 'json').find((block) => pattern.test(block)) ?? '{}';
const idIn = (json: string) => /^\{"id":(\d+),/.exec(json)?.[1] ?? '';
const keysOf = (json: string) => Object.keys(JSON.parse(json) as object);

describe('the quick start', { skip: CHROMIUM.skip || CURL.skip }, () => {
  let checkout: Checkout;
  let server: Terminal;
  let terminal: Terminal;
  let browser: Browser;
  let host = '';
  let application = '';
  let chat = '';

  before(async () => {
    checkout = checkOut();
    const port = String(await freePort());
    host = `localhost:${port}`;
    // From here on everything is local.
    const env = { HOME: checkout.folder, SWITCHBOARD_PORT: port, npm_config_offline: 'true' };
    server = new Terminal(checkout.folder, env, '');
    terminal = new Terminal(checkout.folder, env, '');
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await terminal[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
    checkout[Symbol.dispose]();
  });

  const typed = (text: string) => text.replaceAll('localhost:8080', host);
  const named = (text = '') => text.replaceAll(/(?<=application(?:_id":)? )\d+/g, application);
  async function run(command = 'false'): Promise<string> {
    const { text, status } = await terminal.run(typed(command));
    assert.equal(status, 0, `${command}\n${text}`);
    return text;
  }

  it('the quick start works as written', async () => {
    const [install = '', who, make, give, message, phone, answer, ...more] = of(START, 'sh');
    assert.deepEqual(more, [], 'every command of the page is typed');
    assert.equal(install, 'npm ci\nnpm start');
    server.type('npm start');
    await until('the service listens', () => server.output.includes('"listening"'));

    const me = await run(who);
    assert.deepEqual(keysOf(me), keysOf(shown(START, /"name":"admin"/)));
    assert.match(me, /^\{"id":2,.*"team_id":1,"name":"admin","state":"enable"\}$/);
    application = idIn(await run(make));
    // The placeholders on the page.
    const given = await run(named(give));
    assert.match(given, /"mode":"sandbox"/);
    const integration = idIn(given);
    const at = (command = '') => command.replaceAll('/sandbox/10/', `/sandbox/${integration}/`);

    const accepted = await run(message);
    assert.deepEqual(keysOf(accepted), keysOf(shown(START, /"state":"queued"/)));
    assert.ok(
      accepted.endsWith(`"integration_id":${integration},"application_id":${application}}`),
    );
    const outcome = await until('the message is sent', async () => {
      const output = await run(at(phone));
      // The first of its commands may be too early for the phone, and the second not.
      return /"text":"on its way","bold":true[^]*"state":"sent"/.test(output) && output;
    });
    assert.match(outcome, /"outcome":"sent"/);
    const received = await run(at(answer));
    assert.match(received, /"type":"message\.received"[^]*Thank you!/);
  });

  it('ends with an answering bot, as the recipe says', async () => {
    const [add, build, start = '', ...more] = of(BOT, 'sh');
    assert.deepEqual(more, [], 'every command of the page is typed');
    chat = idIn(await run(named(add)));
    const [bot, own] = snippetsOf(BOT).filter(({ language }) => language === 'js');
    assert.equal(bot?.notes['file'], 'bot.mjs');
    await run(build);
    checkout.write('bot/bot.mjs', typed(bot.text));
    terminal.type(typed(start));
    await using visit = await openChatPage(browser, chatAddress(BOT));
    await write(visit.page, 'Is anybody there?');
    await shows(visit.page, 'You said: Is anybody there?');
    assert.deepEqual(visit.faults, []);

    // The page's other bot answers as well, once it listens.
    checkout.write('bot/own.mjs', typed(own?.text ?? ''));
    await using second = new Terminal(join(checkout.folder, 'bot'), {}, '');
    second.type(
      `SWITCHBOARD_TOKEN=$(cd .. && npm run -s switchboard -- token --application ${application}) node own.mjs`,
    );
    await until('it knows the end of the feed', async () => {
      const metrics = await (await fetch(`http://${host}/metrics`)).text();
      return /_count\{[^}]*route="\/1\/realtime",status="200"\} 1/.test(metrics);
    });
    await write(visit.page, 'Where is my order?');
    await shows(visit.page, 'Which one?');
  });

  /** The address of the chat on a page. */
  function chatAddress(page: string): string {
    const text = readFileSync(join(ROOT, page), 'utf8');
    return typed(/<(http:\/\/localhost:8080\/chat\/)\d+>/.exec(text)?.[1] ?? '') + chat;
  }
});
