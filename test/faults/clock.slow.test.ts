import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Store } from '../../src/store/store.ts';
import { openHttp } from '../emulators/server/http.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { SetClock } from '../support/set-clock.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const CLAIMED_FIELDS = { status: 200, body: { ok: true, channel: 'C000000001', ts: '1.1' } };
const LIMITED = { status: 429, headers: { 'retry-after': '2' }, body: { ok: false } };

/** Waits until the node has polled for due messages, which also checks the clock. */
async function looksAround({ ownerships }: Store): Promise<void> {
  let times = 0;
  const due = ownerships.due.bind(ownerships);
  ownerships.due = (...given) => {
    times++;
    return due(...given);
  };
  await until('the node polls for due messages', () => times > 1);
  ownerships.due = due;
}

for (const engine of ENGINES) {
  for (const [words, by] of [
    ['an hour forward', HOUR_MS],
    ['a day forward', DAY_MS],
    ['an hour back', -HOUR_MS],
    ['a day back', -DAY_MS],
  ] as const) {
    describe(`setting the clock ${words} (${engine})`, () => {
      it('delays, loses and repeats no message', async () => {
        // Tokens must be issued before the time that the clock is set back to, because tokens from the future are refused.
        const clock = new SetClock(-2 * DAY_MS);
        await using sb = await openDelivery(engine, {
          channel: 'slack',
          clock,
          credentials: { token: 'xoxb-fake-token' },
          open: () => openHttp(() => CLAIMED_FIELDS),
        });
        clock.set(2 * DAY_MS);
        await looksAround(sb.service.store);
        const spaced = await sb.send('spaced', 'C000000001');
        await sb.settled(spaced);
        sb.peer.next({ status: 500, body: 'not now' });
        const failed = await sb.send('failed once', 'C000000002');
        await sb.message(failed, ({ attempts }) => attempts === 1);
        sb.peer.next(LIMITED);
        const limited = await sb.send('limited once', 'C000000003');
        await sb.waiting(limited, 'rate_limit');

        const later = new Date(clock.now() + HOUR_MS / 2).toISOString();
        const scheduled = await sb.send('scheduled', 'C000000005', { startTime: later });

        clock.set(by);
        const next = await sb.send('next in a lane that pauses', 'C000000001');
        const fresh = await sb.send('fresh', 'C000000004');
        for (const id of [spaced, failed, limited, next, fresh]) {
          assert.equal((await sb.settled(id)).state, 'sent');
        }
        // Its time is on the clock: it has come, or is further away.
        if (by > 0) await sb.message(scheduled, ({ state }) => state === 'sent');
        else assert.equal((await sb.show(scheduled)).state, 'scheduled');
        const soon = new Date(clock.now() + 1_000).toISOString();
        const exact = await sb.send('exact', 'C000000006', { startTime: soon });
        await sb.message(exact, ({ state }) => state === 'sent');
        assert.ok(clock.now() >= Date.parse(soon), 'not before its time');
        const { body } = await sb.app.get('/1/events?limit=1000');
        const moments = body.data.map(({ timestamp }: { timestamp: string }) =>
          Date.parse(timestamp),
        );
        assert.ok(moments.length >= 5);
        assert.deepEqual(
          moments,
          moments.toSorted((a: number, b: number) => a - b),
        );
        const texts = sb.peer.seen.map(({ json }) => (json as { text: string }).text);
        assert.deepEqual(texts.toSorted(), [
          'exact',
          'failed once',
          'failed once',
          'fresh',
          'limited once',
          'limited once',
          'next in a lane that pauses',
          ...(by > 0 ? ['scheduled'] : []),
          'spaced',
        ]);
      });
    });
  }
}
