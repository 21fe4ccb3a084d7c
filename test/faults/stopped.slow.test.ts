import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';

import { call, commandLine, note } from '../support/programs/command.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/** A request that reached Telegram, and the process that sent it. */
interface InboundEvent {
  from: string;
  text: string;
  answer(status: number, body: object): void;
}

/** A Telegram that answers on command. Each process uses a different address of it, which identifies the sender. */
async function openTelegram() {
  const inboundEvents: InboundEvent[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const { text } = JSON.parse(Buffer.concat(chunks).toString());
      const from = request.url?.split('/')[1] ?? '';
      inboundEvents.push({
        from,
        text,
        answer(status, body) {
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(JSON.stringify(body));
        },
      });
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    inboundEvents,
    urlFor: (process: string) => `http://127.0.0.1:${port}/${process}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

const SENT = { ok: true, result: { message_id: 7, chat: { id: 123456789 } } };
const REFUSED = {
  ok: false,
  error_code: 403,
  description: 'Forbidden: bot was blocked by the user',
};

for (const engine of ENGINES) {
  describe(`a process suspended for longer than its lease (${engine})`, () => {
    it('a process suspended for longer than its lease can neither record results nor send for integrations that another process took over', async () => {
      await using telegram = await openTelegram();
      await using cli = await commandLine(engine, { SWITCHBOARD_LOG_LEVEL: 'error' });
      const serve = (name: string) =>
        cli.serve({ environment: { SWITCHBOARD_TELEGRAM_URL: telegram.urlFor(name) } });
      const first = await serve('first');
      const userToken = await first.signIn();
      const { body: me } = await call(first.url, 'GET', '/1/users/me', { token: userToken });
      const fields = { team_id: me.team_id, owner_id: me.id, state: 'enable' };
      const made = await call(first.url, 'POST', '/1/applications', {
        token: userToken,
        json: fields,
      });
      const minted = await call(first.url, 'POST', `/1/applications/${made.body.id}/tokens`, {
        token: userToken,
      });
      const token = String(minted.body.token);
      await call(first.url, 'POST', '/1/integrations', {
        token,
        json: { application_id: made.body.id, name: 'telegram', state: 'enable', token: '1:fake' },
      });
      const { body: one } = await call(first.url, 'POST', '/1/message', {
        token,
        json: note('one'),
      });
      const lost = await until('the first attempt', () => telegram.inboundEvents[0]);
      assert.equal(lost.from, 'first');
      const second = await serve('second');

      first.process.kill('SIGSTOP');
      const again = await until(
        'the second process takes over',
        () => telegram.inboundEvents[1],
        30_000,
      );
      assert.deepEqual([again.from, again.text], ['second', 'one']);
      again.answer(200, SENT);
      const get = async (url: string, id: number) =>
        (await call(url, 'GET', `/1/messages/${id}`, { token })).body;
      await until('it is sent', async () => (await get(second.url, one.id)).state === 'sent');

      // The response to the suspended process says the opposite.
      lost.answer(403, REFUSED);
      first.process.kill('SIGCONT');
      // It runs again and accepts messages, but leaves sending to the new owner.
      const { body: two } = await call(first.url, 'POST', '/1/message', {
        token,
        json: note('two'),
      });
      const next = await until('the next message', () => telegram.inboundEvents[2]);
      assert.deepEqual([next.from, next.text], ['second', 'two']);
      next.answer(200, SENT);
      await until('it is sent', async () => (await get(first.url, two.id)).state === 'sent');
      const settled = await get(first.url, one.id);
      assert.deepEqual([settled.state, settled.error], ['sent', null]);
      assert.equal(telegram.inboundEvents.length, 3);
      for (const { process } of [first, second]) process.kill('SIGTERM');
    });
  });
}
