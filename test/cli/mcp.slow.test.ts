import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { MAIN, commandLine } from '../support/programs/command.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';

/** A tool's result: its text, and whether it is an error. */
interface Answered {
  isError?: boolean;
  content: { text: string }[];
}

it('mcp lets an assistant read, preview, send and follow messages, and explains failures', async () => {
  await using sb = await openWebhookDelivery('sqlite');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: { SWITCHBOARD_URL: sb.service.url, SWITCHBOARD_TOKEN: sb.app.token ?? '' },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  const callTool = async (name: string, given: Record<string, unknown> = {}) => {
    const answer = (await client.callTool({ name, arguments: given })) as unknown as Answered;
    return { isError: answer.isError ?? false, text: answer.content[0]?.text ?? '' };
  };
  const get = async (name: string, given?: Record<string, unknown>) => {
    const { isError, text } = await callTool(name, given);
    assert.equal(isError, false, text);
    return JSON.parse(text);
  };

  const { tools } = await client.listTools();
  for (const { name, description = '', inputSchema, annotations } of tools) {
    assert.ok(description.length > 20 && inputSchema.type === 'object', name);
    assert.equal(annotations?.readOnlyHint, name !== 'send_message', name);
  }
  assert.equal(tools.length, 7);
  assert.match(client.getInstructions() ?? '', /list_integrations/);

  const integrations = await get('list_integrations');
  assert.deepEqual(integrations, [{ id: sb.integrationId, channel: 'webhook', state: 'enable' }]);
  assert.equal((await get('list_channels', { name: 'telegram' })).can.text, 4096);
  assert.ok((await get('list_channels')).length > 20);
  const message = { to: 'ada', via: 'webhook', markdown: '**Hello**', buttons: ['Yes'] };
  assert.equal((await get('preview_message', message)).ready, true);
  assert.equal(sb.peer.seen.length, 0);
  const once = { ...message, wait_seconds: 30, idempotency_key: 'hello-1' };
  const sent = await get('send_message', once);
  assert.equal(sent.state, 'sent');
  assert.equal((await get('send_message', once)).id, sent.id);
  assert.equal(sb.peer.seen.length, 1);
  const found = await get('get_message', { id: sent.id });
  assert.deepEqual([found.state, found.attempt_list[0].outcome], ['sent', 'sent']);
  const listed = await get('list_messages', { state: 'sent', limit: 5 });
  assert.equal(listed[0].id, sent.id);
  assert.equal((await get('list_events', { types: ['message.sent'] }))[0].data.id, sent.id);

  for (const [name, given, words] of [
    ['get_message', { id: 999_999 }, /\(not_found\)/],
    ['send_message', { to: 'ada', text: 'x', via: 'slack' }, /\(no_integration\)/],
    ['send_message', { to: 'ada', text: 'x', via: 'telgram' }, /telegram.*\(unknown_channel\)/],
    ['send_message', { to: 'ada' }, /\(invalid_fields\)/],
    ['list_channels', { name: 'pigeon' }, /list_channels/],
    ['send_message', { text: 'x' }, /to/],
  ] as const) {
    const { isError, text } = await callTool(name, given);
    assert.ok(isError, name);
    assert.match(text, words);
  }
  assert.equal(sb.peer.seen.length, 1);
  await client.close();
});

it('mcp does not start without a client', async () => {
  await using cli = await commandLine('sqlite');
  const { code, stdout, stderr } = await cli.run(['mcp'], {
    environment: { XDG_CONFIG_HOME: cli.folder },
  });
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /login/);
});
