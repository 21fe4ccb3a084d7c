import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { CHATS, TOKEN, openTelegram } from '../emulators/telegram.ts';
import { MAIN, commandLine } from '../support/programs/command.ts';
import { openDelivery } from '../support/service/delivery.ts';

/* Options of a message, by flags of the command line and by parameters of MCP tools. */

async function open() {
  const sb = await openDelivery('sqlite', {
    channel: 'telegram',
    open: openTelegram,
    credentials: { token: TOKEN },
  });
  const defaults = { name: 'telegram', options: { protect_content: true } };
  assert.equal((await sb.app.put(`/1/integrations/${sb.integrationId}`, defaults)).status, 204);
  const cli = await commandLine('sqlite', { XDG_CONFIG_HOME: '' });
  const environment = {
    SWITCHBOARD_URL: sb.service.url,
    SWITCHBOARD_TOKEN: sb.app.token ?? '',
  };
  const run = (...args: string[]) =>
    cli.run(args, { environment: { ...environment, XDG_CONFIG_HOME: cli.folder } });
  return {
    sb,
    run,
    environment,
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      await sb[Symbol.asyncDispose]();
    },
  };
}

const message = ['send', '--to', CHATS.person, '--text', 'Hello'];
const option = (...texts: string[]) => texts.flatMap((text) => ['--option', text]);

it('send parses options by the types of the channel', async () => {
  await using opened = await open();
  const { sb, run } = opened;
  const options = option('silent=true', 'link_preview=false');
  const [sent, byId, planned, channel, integrations] = await Promise.all([
    run(...message, ...options, '--json'),
    run(...message, ...option('silent=false'), '--via', String(sb.integrationId), '--json'),
    run(...message, ...options, '--dry-run'),
    run('channels', 'telegram'),
    run('integrations'),
  ]);
  for (const { code, stderr } of [sent, byId, planned, channel, integrations]) {
    assert.deepEqual([code, stderr], [0, '']);
  }
  const [id, otherId] = [sent, byId].map(({ stdout }) => (JSON.parse(stdout) as { id: number }).id);
  const optionsOf = async (one: number | undefined) =>
    (await sb.app.get(`/1/messages/${one}`)).body.options;
  assert.deepEqual(await optionsOf(id), {
    protect_content: true,
    silent: true,
    link_preview: false,
  });
  assert.deepEqual(await optionsOf(otherId), { protect_content: true, silent: false });
  assert.match(planned.stdout, /protect_content=true.*silent=true.*link_preview=false\n/);
  assert.match(channel.stdout, /--option[^]*\n {2}silent +.*\(true or false\)/);
  assert.match(integrations.stdout, /protect_content=true/);
  assert.match((await run('messages', String(id))).stdout, /silent=true/);
});

it('wrong options name the flag and the options of the channel', async () => {
  await using opened = await open();
  const { sb, run } = opened;
  const cases: [string[], RegExp][] = [
    [option('silent'), /--option silent: .*name=value/],
    [option('=true'), /--option =true: .*name=value/],
    [option('loud=true'), /--option loud: .*silent, .*link_preview/],
    [option('silent=yes'), /--option silent: .*true or false.*"yes"/],
    [option('silent=true', 'silent=false'), /--option silent: /],
  ];
  await Promise.all(
    cases.map(async ([options, words]) => {
      const { code, stderr } = await run(...message, ...options);
      assert.equal(code, 2, stderr);
      assert.match(stderr, words);
    }),
  );
  const { body } = await sb.app.get('/1/messages');
  assert.deepEqual(body.data, []);
});

it('mcp tools take options and list those of a channel', async () => {
  await using opened = await open();
  const { sb, environment } = opened;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: environment,
  });
  await using closing = new AsyncDisposableStack();
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  closing.defer(() => client.close());
  const callTool = async (name: string, given: Record<string, unknown>) => {
    const answer = await client.callTool({ name, arguments: given });
    const [content] = answer.content as { text: string }[];
    return { isError: answer.isError ?? false, text: content?.text ?? '' };
  };
  const given = { to: CHATS.person, text: 'Hello', options: { silent: true } };
  const sent = JSON.parse((await callTool('send_message', given)).text) as { id: number };
  const { body } = await sb.app.get(`/1/messages/${sent.id}`);
  assert.deepEqual(body.options, { protect_content: true, silent: true });
  const preview = JSON.parse((await callTool('preview_message', given)).text);
  assert.deepEqual(preview.options, body.options);
  const channel = JSON.parse((await callTool('list_channels', { name: 'telegram' })).text) as {
    options: { name: string }[];
  };
  assert.ok(channel.options.some(({ name }) => name === 'silent'));
  const wrong = await callTool('send_message', { ...given, options: { silent: 'yes' } });
  assert.ok(wrong.isError);
  assert.match(wrong.text, /options\.silent: .*\(invalid_fields\)/);
});
