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
  describe(`limits (${engine})`, () => {
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

    /** How many seconds from now a message waits for a limit. */
    async function waits(
      { clock, sb }: Awaited<ReturnType<typeof startWebhook | typeof startTelegram>>,
      id: number,
    ): Promise<number> {
      const { until: end } = await sb.waiting(id, 'rate_limit');
      return (Number(parseTimestamp(end ?? '')) - clock.now()) / SECOND;
    }

    it('pauses the whole integration for as long as the channel says', async () => {
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
      await asTimePasses(clock, SECOND, 'both', () => sb.peer.seen.length === 3);
      for (const id of [first, other]) {
        const { state, failed_attempts: failed } = await sb.settled(id);
        assert.deepEqual([state, failed], ['sent', 0]);
      }
      const outcomes = (await sb.attempts(first)).map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['limited', 'sent']);
    });

    it('counts no limit as a failed try, not even fifty in a row', async () => {
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

    it('pauses one recipient alone where the limit is its own', async () => {
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

    it('pauses for longer each time when the channel does not say how long', async () => {
      const started = await startWebhook();
      const { clock, sb } = started;
      await using _ = sb;
      sb.peer.react = () => tooMany();
      const id = await sb.send('when?', 'ada');
      for (const [i, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
        await until(`answer ${i}`, async () => (await sb.attempts(id)).length === i + 1);
        assert.equal(await waits(started, id), seconds);
        // In steps, as the lease of the node wants to be renewed.
        for (let left = seconds; left > 0; left--) {
          clock.advance(SECOND);
          await sb.show(id);
        }
      }
      sb.peer.react = () => ({ status: 204 });
      await whenSent(sb, clock, id, SECOND);
      sb.peer.react = () => tooMany();
      const next = await sb.send('and now?', 'ada');
      assert.equal(await waits(started, next), 1, 'what was sent in between starts it anew');
    });

    it('keeps the longest of several pauses that were asked for at once', async () => {
      const started = await startWebhook();
      const { sb } = started;
      await using _ = sb;
      const later = createGate();
      sb.peer.react = async (request) => {
        if (contentOf(request) === 'long') return tooMany(300);
        await later.opened;
        return tooMany(2);
      };
      // The first message of an integration goes alone.
      sb.peer.next({ status: 204 });
      await sb.settled(await sb.send('hello', 'grace'));
      const short = await sb.send('short', 'ada');
      await until('the first', () => sb.peer.inFlight === 1);
      const long = await sb.send('long', 'charles');
      assert.equal(await waits(started, long), 300);
      later.open();
      await sb.message(short, ({ state }) => state === 'queued');
      assert.equal(await waits(started, short), 300);
      assert.equal(await waits(started, long), 300);
    });

    it('sends to one chat of Telegram no faster than once a second', async () => {
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
      // The pause is kept even when nothing waited in the lane.
      const third = await sb.send('third', CHATS.person);
      assert.equal(await waits(started, third), 1);
      clock.advance(SECOND);
      assert.equal((await sb.settled(third)).state, 'sent');
    });

    it('tells until when about a message waits for the 30 a second of Telegram', async () => {
      const { clock, sb } = await startTelegram(openAnyChat);
      await using _ = sb;
      await sb.sendAll(
        Array.from({ length: 160 }, (_unused, i) => ({ text: 'news', to: String(1000 + i) })),
      );
      const queued = async () =>
        (await sb.app.get('/1/messages?state=queued&limit=1000')).body.data.map(
          ({ id }: { id: number }) => id,
        );
      await until('thirty are out', async () => (await queued()).length === 130);
      const shown = await Promise.all((await queued()).map((id: number) => sb.show(id)));
      const said = shown
        .map(({ waiting }) => waiting)
        .filter((waiting) => waiting?.reason === 'rate_limit');
      assert.equal(said.length, 100, 'all but what a burst covers');
      const ends = said.map((waiting) => {
        assert.equal(waiting?.estimated, true);
        return Number(parseTimestamp(waiting?.until ?? '')) - clock.now();
      });
      assert.ok(Math.max(...ends) >= (130 / 30) * SECOND && Math.max(...ends) <= 6 * SECOND);
    });

    it('sends over all chats of Telegram no faster than 30 a second', async () => {
      const { clock, sb } = await startTelegram(openAnyChat);
      await using _ = sb;
      const ids = await sb.sendAll(
        Array.from({ length: 40 }, (_unused, i) => ({ text: 'news', to: String(1000 + i) })),
      );
      const count = async (state: string): Promise<number> =>
        (await sb.app.get(`/1/messages?state=${state}&limit=1000`)).body.data.length;
      await until('thirty', async () => (await count('sent')) === 30);
      assert.equal(await count('queued'), 10);
      clock.advance(33);
      assert.equal(await count('queued'), 10);
      clock.advance(1);
      await until('one more', async () => (await count('sent')) === 31);
      assert.equal(await count('queued'), 9);
      clock.advance(SECOND);
      for (const id of ids) assert.equal((await sb.settled(id)).state, 'sent');
      assert.equal(sb.peer.seen.length, 40);
    });
  });
}
