import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CHATS, TOKEN, openTelegram, telegramError } from '../emulators/telegram.ts';
import { TestClock } from '../support/clock.ts';
import { openDelivery, openWebhookDelivery, whenSent } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

/** 10,000 characters of distinct words. */
const LONG = Array.from({ length: 1250 }, (_, i) => `w${String(i).padStart(6, '0')}`).join(' ');

for (const engine of ENGINES) {
  describe(`long messages (${engine})`, () => {
    /** Telegram allows one message per second and chat, so the clock releases each part separately. */
    async function start() {
      const clock = new TestClock();
      const sb = await openDelivery(engine, {
        clock,
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN },
      });
      const texts = () => sb.peer.seen.map(({ json }) => (json as { text: string }).text);
      const parts = async (id: number) =>
        (await sb.attempts(id)).map(({ part, outcome }) => `${part} ${outcome}`);
      return { clock, sb, texts, parts };
    }

    it('long messages are sent in parts, in order, before the next message', async () => {
      const { clock, sb, texts, parts } = await start();
      await using _ = sb;
      const id = await sb.send(LONG, CHATS.person);
      const next = await sb.send('next', CHATS.person);
      const first = await sb.message(id, ({ parts_sent }) => parts_sent === 1);
      assert.deepEqual([first.state, first.waiting?.reason], ['queued', 'rate_limit']);
      assert.equal((await sb.show(next)).waiting?.reason, 'order');
      const sent = await whenSent(sb, clock, id);
      await whenSent(sb, clock, next);
      assert.equal(texts().length, 4);
      assert.equal(texts().slice(0, 3).join(' '), LONG);
      assert.ok(texts().every((text) => text.length <= 4096));
      assert.equal(texts()[3], 'next');
      assert.deepEqual(
        [sent.parts_sent, sent.failed_attempts, sent.channel_ids],
        [3, 0, [101, 102, 103].map((number) => `${CHATS.person}:${number}`)],
      );
      assert.deepEqual(await parts(id), ['1 sent', '2 sent', '3 sent']);
    });

    it('long messages are retried from the first unsent part on', async () => {
      const { clock, sb, texts, parts } = await start();
      await using _ = sb;
      const id = await sb.send(LONG, CHATS.person);
      await sb.message(id, ({ parts_sent }) => parts_sent === 1);
      sb.peer.next(telegramError(503, 'Service Unavailable'));
      sb.peer.next(telegramError(503, 'Service Unavailable'));
      const sent = await whenSent(sb, clock, id);
      assert.deepEqual([sent.parts_sent, sent.failed_attempts, sent.channel_ids.length], [3, 2, 3]);
      assert.deepEqual(await parts(id), [
        '1 sent',
        '2 transient',
        '2 transient',
        '2 sent',
        '3 sent',
      ]);
      const [one, two, twoAgain, twoOnceMore, three] = texts();
      assert.deepEqual([twoAgain, twoOnceMore], [two, two]);
      assert.equal([one, two, three].join(' '), LONG);
    });

    it('long messages can be canceled between two parts and resent from there', async () => {
      const { clock, sb, texts, parts } = await start();
      await using _ = sb;
      const id = await sb.send(LONG, CHATS.person);
      await sb.message(id, ({ parts_sent }) => parts_sent === 1);
      assert.equal((await sb.app.delete(`/1/messages/${id}`)).status, 204);
      const next = await sb.send('next', CHATS.person);
      await whenSent(sb, clock, next);
      const canceled = await sb.show(id);
      assert.deepEqual([canceled.state, canceled.parts_sent], ['canceled', 1]);
      assert.equal(texts().length, 2);
      await sb.app.post(`/1/messages/${id}/resend`);
      await whenSent(sb, clock, id);
      const [one, , two, three] = texts();
      assert.equal([one, two, three].join(' '), LONG);
      assert.deepEqual(await parts(id), ['1 sent', '2 sent', '3 sent']);
    });

    it('long messages are held at the part whose response was lost and resent from that part on', async () => {
      const { clock, sb, texts } = await start();
      await using _ = sb;
      await sb.api.put(`/1/applications/${sb.applicationId}/delivery`, { uncertain: 'hold' });
      const id = await sb.send(LONG, CHATS.person);
      await sb.message(id, ({ parts_sent }) => parts_sent === 1);
      sb.peer.next('reset');
      clock.advance(1000);
      const held = await sb.settled(id);
      assert.deepEqual([held.state, held.parts_sent], ['uncertain', 1]);
      await sb.app.post(`/1/messages/${id}/resend`);
      const sent = await whenSent(sb, clock, id);
      assert.equal(sent.channel_ids.length, 3);
      assert.equal(texts().length, 4);
      assert.equal(texts()[1], texts()[2]);
    });

    it('long messages are never split within a grapheme', async () => {
      const { clock, sb, texts } = await start();
      await using _ = sb;
      const family = '👩‍👩‍👧‍👦';
      const id = await sb.send(family.repeat(1000), CHATS.person);
      await whenSent(sb, clock, id);
      assert.equal(texts().length, 3);
      for (const text of texts()) assert.equal(text.replaceAll(family, ''), '');
      assert.equal(texts().join(''), family.repeat(1000));
    });

    it('long messages stay whole when the channel has no limit', async () => {
      await using sb = await openWebhookDelivery(engine);
      const sent = await sb.settled(await sb.send(LONG, 'ada'));
      assert.deepEqual([sent.state, sent.parts_sent], ['sent', 1]);
      assert.equal(sb.peer.seen.length, 1);
    });
  });
}
