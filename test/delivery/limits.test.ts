import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseTimestamp } from '../../src/model/timestamp.ts';
import { type Reaction, contentOf, createGate, openAnyChat } from '../emulators/endpoint.ts';
import { CHATS, TOKEN, openTelegram, tooManyRequests } from '../emulators/telegram.ts';
import { TestClock } from '../support/clock.ts';
import {
  asTimePasses,
  openDelivery,
  openWebhookDelivery,
  whenSent,
} from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const SECOND = 1000;

const tooMany = (seconds?: number): Reaction => ({
  status: 429,
  ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
  body: 'slow down',
});

for (const engine of ENGINES) {
  describe(`rate limits (${engine})`, () => {
    async function startWebhook() {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      return { clock, sb };
    }

    async function startTelegram(open = openTelegram) {
      const clock = new TestClock();
      const credentials = { token: TOKEN };
      const sb = await openDelivery(engine, { clock, channel: 'telegram', open, credentials });
      return { clock, sb };
    }

    /** Seconds until a rate-limited message may be sent. */
    async function waits(
      { clock, sb }: Awaited<ReturnType<typeof startWebhook | typeof startTelegram>>,
      id: number,
    ): Promise<number> {
      const { until: end } = await sb.waiting(id, 'rate_limit');
      return (Number(parseTimestamp(end ?? '')) - clock.now()) / SECOND;
    }

    it('rate limits pause the whole integration for as long as the channel says', async () => {
      const started = await startWebhook();
      const { clock, sb } = started;
      await using _ = sb;
      sb.peer.next({ status: 429, headers: { 'retry-after': '120' }, body: 'slow down' });
      const first = await sb.send('first', 'ada');
      assert.equal(await waits(started, first), 120);
      const { detail } = await sb.waiting(first, 'rate_limit');
      assert.match(detail, /429.*slow down/);
      const other = await sb.send('other', 'charles');
      assert.equal(await waits(started, other), 120);

      for (let left = 119; left > 0; left--) {
        clock.advance(SECOND);
        assert.equal((await sb.show(other)).state, 'queued');
      }
      assert.equal(sb.peer.seen.length, 1);
      // In small steps, so that no request times out on a slow machine.
      await asTimePasses(clock, SECOND / 20, 'both', () => sb.peer.seen.length === 3);
      for (const id of [first, other]) {
        const { state, failed_attempts: failed } = await sb.settled(id);
        assert.deepEqual([state, failed], ['sent', 0]);
      }
      const outcomes = (await sb.attempts(first)).map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['limited', 'sent']);
    });

    it('rate limits never count as failed attempts, not even fifty in a row', async () => {
      const { clock, sb } = await startWebhook();
      await using _ = sb;
      sb.peer.react = () => (sb.peer.seen.length > 50 ? { status: 204 } : tooMany(1));
      const id = await sb.send('patience', 'ada');
      const sent = await asTimePasses(clock, SECOND, 'the message', async () => {
        const found = await sb.show(id);
        assert.equal(found.failed_attempts, 0);
        assert.equal(found.error, null);
        return found.state === 'sent' && found;
      });
      assert.equal(sent.failed_attempts, 0);
      assert.equal(sb.peer.seen.length, 51);
      assert.equal((await sb.attempts(id)).length, 51);
    });

    it("rate limits pause only the recipient when the limit is the recipient's", async () => {
      const started = await startTelegram();
      const { clock, sb } = started;
      await using _ = sb;
      sb.peer.next(tooManyRequests(30));
      const first = await sb.send('first', CHATS.group);
      assert.equal(await waits(started, first), 30);
      const { detail } = await sb.waiting(first, 'rate_limit');
      assert.match(detail, /retry after 30/);
      const second = await sb.send('second', CHATS.group);
      await sb.waiting(second, 'order');
      assert.equal((await sb.settled(await sb.send('other', CHATS.person))).state, 'sent');

      for (let left = 29; left > 0; left--) {
        clock.advance(SECOND);
        assert.equal((await sb.show(first)).state, 'queued');
      }
      assert.equal((await sb.settled(await sb.send('another', CHATS.person))).state, 'sent');
      assert.equal((await sb.show(first)).state, 'queued');
      const sent = await whenSent(sb, clock, first);
      assert.equal(sent.failed_attempts, 0);
    });

    it('rate limits pause for longer each time when the channel gives no time', async () => {
      const started = await startWebhook();
      const { clock, sb } = started;
      await using _ = sb;
      sb.peer.react = () => tooMany();
      const id = await sb.send('when?', 'ada');
      for (const [i, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
        await until(`response ${i}`, async () => (await sb.attempts(id)).length === i + 1);
        assert.equal(await waits(started, id), seconds);
        // In steps, since the node must renew its lease.
        for (let left = seconds; left > 0; left--) {
          clock.advance(SECOND);
          await sb.show(id);
        }
      }
      sb.peer.react = () => ({ status: 204 });
      await whenSent(sb, clock, id, SECOND);
      sb.peer.react = () => tooMany();
      const next = await sb.send('and now?', 'ada');
      assert.equal(await waits(started, next), 1, 'a sent message resets the pause');
    });

    it('rate limits keep the longest of several simultaneous pauses', async () => {
      const started = await startWebhook();
      const { sb } = started;
      await using _ = sb;
      const later = createGate();
      sb.peer.react = async (request) => {
        if (contentOf(request) === 'long') return tooMany(300);
        await later.opened;
        return tooMany(2);
      };
      // The first message of an integration is sent alone.
      sb.peer.next({ status: 204 });
      await sb.settled(await sb.send('hello', 'grace'));
      const short = await sb.send('short', 'ada');
      await until('the first request', () => sb.peer.inFlight === 1);
      const long = await sb.send('long', 'charles');
      assert.equal(await waits(started, long), 300);
      later.open();
      await sb.message(short, ({ state }) => state === 'queued');
      assert.equal(await waits(started, short), 300);
      assert.equal(await waits(started, long), 300);
    });

    it('at most one message a second is sent to a Telegram chat', async () => {
      const started = await startTelegram();
      const { clock, sb } = started;
      await using _ = sb;
      const [first = 0, second = 0] = await sb.sendAll([
        { text: 'first', to: CHATS.person },
        { text: 'second', to: CHATS.person },
      ]);
      assert.equal((await sb.settled(first)).state, 'sent');
      assert.equal(await waits(started, second), 1);
      clock.advance(SECOND - 1);
      assert.equal((await sb.settled(await sb.send('other', CHATS.large))).state, 'sent');
      assert.equal((await sb.show(second)).state, 'queued');
      clock.advance(1);
      assert.equal((await sb.settled(second)).state, 'sent');
      // The pause is kept even when the lane was empty.
      const third = await sb.send('third', CHATS.person);
      assert.equal(await waits(started, third), 1);
      clock.advance(SECOND);
      assert.equal((await sb.settled(third)).state, 'sent');
    });

    it("a message waiting for Telegram's 30 per second shows the approximate time of sending", async () => {
      const { clock, sb } = await startTelegram(openAnyChat);
      await using _ = sb;
      await sb.sendAll(
        Array.from({ length: 160 }, (_unused, i) => ({ text: 'news', to: String(1000 + i) })),
      );
      const queued = async () =>
        (await sb.app.get('/1/messages?state=queued&limit=1000')).body.data.map(
          ({ id }: { id: number }) => id,
        );
      await until('thirty messages are sent', async () => (await queued()).length === 130);
      const shown = await Promise.all((await queued()).map((id: number) => sb.show(id)));
      const limited = shown
        .map(({ waiting }) => waiting)
        .filter((waiting) => waiting?.reason === 'rate_limit');
      assert.equal(limited.length, 100, 'all messages beyond the burst wait');
      const ends = limited.map((waiting) => {
        assert.equal(waiting?.estimated, true);
        return Number(parseTimestamp(waiting?.until ?? '')) - clock.now();
      });
      assert.ok(Math.max(...ends) >= (130 / 30) * SECOND && Math.max(...ends) <= 6 * SECOND);
    });

    it('at most 30 messages a second are sent to all Telegram chats', async () => {
      const { clock, sb } = await startTelegram(openAnyChat);
      await using _ = sb;
      const ids = await sb.sendAll(
        Array.from({ length: 40 }, (_unused, i) => ({ text: 'news', to: String(1000 + i) })),
      );
      const count = async (state: string): Promise<number> =>
        (await sb.app.get(`/1/messages?state=${state}&limit=1000`)).body.data.length;
      await until('thirty', async () => (await count('sent')) === 30);
      assert.equal(await count('queued'), 10);
      // Telegram counts what it received within a second.
      clock.advance(SECOND - 1);
      assert.equal(await count('queued'), 10);
      clock.advance(1);
      for (const id of ids) assert.equal((await sb.settled(id)).state, 'sent');
      assert.equal(sb.peer.seen.length, 40);
    });
  });
}
