import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Terminal } from '../support/programs/terminal.ts';
import { requirement } from '../support/requirement.ts';
import type { Reply } from '../support/service/client.ts';
import { eventsOf } from '../support/service/feed.ts';
import { openSandboxes } from '../support/service/sandbox.ts';
import { until } from '../support/until.ts';
import { snippetsOf } from './snippets.ts';

/* The recipe for notifications by WhatsApp: its commands in order, and what it says that they do. */

const CURL = requirement('curl', 'apt-get install curl');
const PAGE = 'docs/recipes/whatsapp.md';
/** Who never writes first, as the page says. */
const SILENT = '16505551236';

it(
  'the recipe for WhatsApp leads from nothing to a template, an answer and a closed window',
  CURL,
  async () => {
    await using sandboxes = await openSandboxes('sqlite');
    const { url, database, application: make } = sandboxes.service;
    const { application, app } = await make();
    await using terminal = new Terminal(database.folder, { APP: app.token ?? '' });
    const commands = snippetsOf(PAGE).filter(({ language }) => language === 'sh');
    const [add = '', sync = '', notify = '', phone = '', write = '', answer = '', ...more] =
      commands.map(({ text }) => text);
    assert.deepEqual(more, [], 'every command of the page is typed');
    const run = async (command: string): Promise<string> => {
      const adapted = command
        .replaceAll('localhost:8080', new URL(url).host)
        .replaceAll('"application_id": 4', `"application_id": ${application.id}`);
      const { text, status } = await terminal.run(adapted);
      assert.equal(status, 0, `${command}\n${text}`);
      return text;
    };
    /** What the command about the phone shows. */
    const shown = (what: string, isIt: (entry: Reply['body']) => boolean) =>
      until(what, async () => JSON.parse(await run(phone)).data.find(isIt));
    const settled = (accepted: string) =>
      until('the message is settled', async () => {
        const { body } = await app.get(`/1/messages/${JSON.parse(accepted).id}`);
        return !/queued|sending/.test(body.state) && body;
      });

    await run(add);
    assert.match(await run(sync), /"order_shipped"/);
    await run(notify);
    const notified = await shown('the notification', ({ buttons }) => buttons);
    assert.match(notified.text, /Ada[^]*4711/);
    assert.match(notified.buttons[0].url, /4711$/);
    assert.equal(notified.media[0].type, 'Image');

    await run(write);
    const [received] = await eventsOf(app, 'message.received', 1);
    assert.equal(received?.data.object.content, 'Can I pick it up?');
    await run(answer);
    await shown('the answer', ({ text }) => text === 'Yes, it is at the front desk.');

    const dryRun = JSON.parse(await run(answer.replace('/1/message', '/1/message?dry_run=true')));
    assert.equal(dryRun.window.state, 'open');
    assert.ok(dryRun.window.until);

    const silent = answer.replace('16505551234', SILENT);
    const freeText = silent.replace(/,\s*"outside_window": \{[^}]*\}/, '');
    assert.notEqual(freeText, silent);
    assert.equal((await settled(await run(freeText))).error.code, 'window_closed');
    assert.notEqual((await settled(await run(silent))).state, 'failed');
    const template = await shown('the template', (entry) => entry.with === SILENT);
    assert.notEqual(template.text, 'Yes, it is at the front desk.');
  },
);
