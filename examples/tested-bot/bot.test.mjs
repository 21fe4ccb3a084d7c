import assert from 'node:assert/strict';
import { env } from 'node:process';
import { test } from 'node:test';

import { Switchboard } from '@switchboard/sdk';

import { takeOrders } from './bot.mjs';

const { SWITCHBOARD_URL: url = 'http://localhost:8080', SWITCHBOARD_TOKEN: token = '' } = env;

test('a guest orders a coffee', { timeout: 30_000 }, async (t) => {
  const client = new Switchboard({ url, token });
  const { id } = await client.integrations.create({ name: 'telegram', mode: 'sandbox' });
  const stop = new AbortController();
  t.after(() => stop.abort());
  void takeOrders(client, stop.signal);
  await client.sandbox.reply(id, { text: 'Hello' });
  const question = await client.sandbox.shown(id, 'What would you like?', { signal: t.signal });
  await client.sandbox.press(id, { message: question.id, button: 'Coffee' });
  const answer = await client.sandbox.shown(id, 'on its way', { signal: t.signal });
  assert.equal(answer.text, 'One Coffee is on its way.');
});
