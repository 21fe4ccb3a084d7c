import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CHATS, TOKEN, openTelegram, telegramError } from '../emulators/telegram.ts';
import { ENGINES } from '../support/databases.ts';
import { openDelivery } from '../support/delivery.ts';

for (const engine of ENGINES) {
  describe(`delivery (${engine})`, () => {
    const open = () =>
      openDelivery(engine, {
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN },
      });

    it('gets a message to its recipient, and says so', async () => {
      await using sb = await open();
      const id = await sb.send('Hello', CHATS.person);
      const sent = await sb.settled(id);
      assert.equal(sent.state, 'sent');
      assert.deepEqual(sent.channel_ids, [`${CHATS.person}:101`]);
      assert.deepEqual([sent.attempts, sent.error, sent.waiting], [0, null, null]);
      assert.deepEqual(
        sb.peer.seen.map(({ json }) => json),
        [{ chat_id: CHATS.person, text: 'Hello' }],
      );
    });

    it('records each attempt, without secrets', async () => {
      await using sb = await open();
      const id = await sb.send('Hello', CHATS.person);
      await sb.settled(id);
      const { data } = (await sb.app.get(`/1/messages/${id}/attempts`)).body;
      assert.equal(data.length, 1);
      assert.partialDeepStrictEqual(data[0], {
        number: 1,
        part: 1,
        outcome: 'sent',
        status: '200',
      });
      assert.match(data[0].request, /^POST \S+\/bot\*\*\*\/sendMessage\n\n\{/);
      assert.match(data[0].answer, /"message_id":101/);
      assert.ok(!JSON.stringify(data).includes(TOKEN));
    });

    it('fails at once what can never be sent, says why, and goes on', async () => {
      await using sb = await open();
      const id = await sb.send('Hello', CHATS.blocked);
      const failed = await sb.settled(id);
      assert.equal(failed.state, 'failed');
      assert.equal(failed.error?.code, 'recipient');
      assert.match(failed.error?.detail ?? '', /blocked by the user/);
      assert.match(failed.error?.help ?? '', /Check the recipient/);
      assert.equal((await sb.settled(await sb.send('Hello', CHATS.person))).state, 'sent');
    });

    it('tries again what failed for now', async () => {
      await using sb = await open();
      sb.peer.next(telegramError(500, 'Internal Server Error'));
      const id = await sb.send('Hello', CHATS.person);
      const { error, waiting } = await sb.message(id, (found) => found.waiting !== null);
      assert.equal(waiting?.reason, 'retry');
      assert.match(waiting?.detail ?? '', /Internal Server Error/);
      assert.equal(error?.code, 'transient');
      const sent = await sb.settled(id);
      assert.deepEqual([sent.state, sent.attempts], ['sent', 1]);
      const attempts = await sb.attempts(id);
      assert.deepEqual(
        attempts.map(({ outcome }) => outcome),
        ['uncertain', 'sent'],
      );
    });
  });
}
