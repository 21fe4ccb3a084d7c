import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import { CHROMIUM, openBrowser, openChatPage, shows, write } from './support/browser.ts';
import { MAIN, commandLine } from './support/command.ts';
import { requirement } from './support/requirement.ts';
import { ROOT } from './support/sources.ts';
import { until } from './support/until.ts';

const CURL = requirement('curl', 'apt-get install curl');

/* What the README tells whoever is new to do, done as it is written there. */

it('shows the first five minutes as they are', { skip: CHROMIUM.skip || CURL.skip }, async () => {
  await using cli = await commandLine('sqlite');
  const { url } = await cli.serve();
  const [who, make, joined, message, outcome, dryRun] = blocks('sh').map((block) =>
    block.replaceAll('localhost:8080', new URL(url).host),
  );
  await using terminal = new Terminal(cli.folder, cli.environment);

  const me = await terminal.run(who);
  assert.deepEqual(keysOf(me), keysOf(shown(/"name":"admin"/)));
  assert.match(me, /^\{"id":2,.*"team_id":1,"name":"admin","state":"enable"\}$/);
  assert.match(await terminal.run(make), /^\{"id":4,[^]*\{"id":7,.*"name":"webmessenger"/);

  await using browser = await openBrowser();
  await using visit = await openChatPage(browser, `${url}/chat/7`);
  const came = await terminal.run(joined);
  assert.match(came, /"type":"member\.joined"/);
  const [, visitor = ''] = /"actor":\{"type":"Person","id":"(guest-[\w-]{22})"/.exec(came) ?? [];

  const accepted = await terminal.run(message?.replace(/guest-[\w-]{22}/, visitor));
  assert.deepEqual(keysOf(accepted), keysOf(shown(/"state":"queued"/)));
  assert.match(accepted, /"integration_id":7,"application_id":4\}$/);
  await shows(visit.page, 'Your order is on its way.');
  await write(visit.page, 'Thank you!');
  await shows(visit.page, 'Thank you!');
  const told = await until('the message was read, and answered', async () => {
    const said = await terminal.run(outcome);
    return said.includes('"state":"read"') && said.includes('Thank you!') && said;
  });
  assert.match(told, /"outcome":"sent"/);
  assert.match(told, /"type":"message\.received"/);

  const planned = JSON.parse((await terminal.run(dryRun)).replaceAll(visitor, 'VISITOR')) as object;
  const example = shown(/"degraded"/).replaceAll(/guest-[\w-]{22}/g, 'VISITOR');
  assert.deepEqual(planned, JSON.parse(example));
});

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The blocks of that language, from the first five minutes to the table of channels. */
function blocks(language: string): string[] {
  const start = README.indexOf('## The first five minutes');
  const part = README.slice(start, README.indexOf('## Channels'));
  const found = part.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'));
  return [...found].map(([, block = '']) => block.trim());
}

/** What the README says is answered. */
function shown(pattern: RegExp): string {
  return blocks('json').find((block) => pattern.test(block)) ?? '{}';
}

const keysOf = (json: string) => Object.keys(JSON.parse(json) as object);

/** A shell that stays open, as that of a person does. */
class Terminal implements AsyncDisposable {
  readonly #shell;
  #said = '';
  #count = 0;

  constructor(cwd: string, env: Record<string, string>) {
    const path = process.env['PATH'] ?? '';
    this.#shell = spawn('bash', [], { cwd, env: { PATH: path, ...env }, stdio: 'pipe' });
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    this.#shell.stderr.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
    // Where the store is, npm has no package to run the command from.
    const command = `'${process.execPath}' '${MAIN}' "\${@:5}"`;
    this.#shell.stdin.write(`npm() { ${command}; }\n`);
  }

  /** Answers what a command has printed. */
  async run(command = 'false'): Promise<string> {
    const end = `end of ${++this.#count}`;
    this.#said = '';
    this.#shell.stdin.write(`${command}\necho; echo '${end}'\n`);
    await until(command, () => this.#said.includes(`${end}\n`));
    return this.#said.slice(0, this.#said.indexOf(end)).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#shell.once('close', resolve));
    this.#shell.stdin.end('exit\n');
    await ended;
  }
}
