import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openEndpoint } from '../emulators/endpoint.ts';
import type { ConnectionFault, Reply } from '../emulators/server/http.ts';
import { CHATS, TOKEN, openTelegram, telegramError } from '../emulators/telegram.ts';
import { TestClock } from '../support/clock.ts';
import {
  openDelivery,
  openWebhookDelivery,
  passTime,
  whenSent,
} from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const SECOND = 1000;

for (const engine of ENGINES) {
  describe(`a lost response (${engine})`, () => {
    async function startTelegram(uncertain: 'hold' | 'resend') {
      const clock = new TestClock();
      const sb = await openDelivery(engine, {
        clock,
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN },
      });
      const path = `/1/applications/${sb.applicationId}/delivery`;
      assert.equal((await sb.api.get(path)).body.uncertain, 'resend', 'the default');
      if (uncertain !== 'resend') await sb.api.put(path, { uncertain });
      assert.equal((await sb.api.get(path)).body.uncertain, uncertain);
      return { clock, sb };
    }

    const LOST: readonly (readonly [string, ConnectionFault | Reply])[] = [
      ['a connection reset', 'reset'],
      ['a closed connection', 'close'],
      ['a response that is not HTTP', 'garbage'],
      ['a server error', telegramError(500, 'Internal Server Error')],
    ];

    for (const [what, connectionFault] of LOST) {
      it(`holds a message after ${what} and sends it only on request`, async () => {
        const { clock, sb } = await startTelegram('hold');
        await using _ = sb;
        sb.peer.next(connectionFault);
        const id = await sb.send('perhaps', CHATS.person);
        const next = await sb.send('next', CHATS.person);
        const held = await sb.settled(id);
        assert.deepEqual([held.state, held.failed_attempts], ['uncertain', 1]);
        assert.equal(held.error?.code, 'uncertain');
        const [tried] = await sb.attempts(id);
        assert.equal(tried?.outcome, 'uncertain');
        await whenSent(sb, clock, next);
        clock.advance(60 * SECOND);
        await whenSent(sb, clock, await sb.send('other', CHATS.large));
        assert.deepEqual(textsOf(sb.peer.seen), ['perhaps', 'next', 'other']);

        const resent = await sb.app.post(`/1/messages/${id}/resend`);
        assert.equal(resent.status, 202);
        const sent = await whenSent(sb, clock, id);
        assert.deepEqual([sent.failed_attempts, sent.error], [0, null]);
        assert.deepEqual(textsOf(sb.peer.seen), ['perhaps', 'next', 'other', 'perhaps']);
      });
    }

    it('holds a message after 15 seconds without a response', async () => {
      const { clock, sb } = await startTelegram('hold');
      await using _ = sb;
      sb.peer.next('hang');
      const id = await sb.send('perhaps', CHATS.person);
      await until('the request', () => sb.peer.seen.length === 1);
      await passTime(sb.service, clock, 15 * SECOND - 1);
      assert.equal((await sb.show(id)).state, 'sending');
      clock.advance(1);
      const held = await sb.settled(id);
      assert.equal(held.state, 'uncertain');
      const [tried] = await sb.attempts(id);
      assert.equal(tried?.duration_ms, 15 * SECOND);
      assert.equal(tried?.outcome, 'uncertain');
    });

    it('resends a message by default', async () => {
      const { clock, sb } = await startTelegram('resend');
      await using _ = sb;
      sb.peer.next('reset');
      const id = await sb.send('perhaps', CHATS.person);
      await sb.waiting(id, 'retry');
      const sent = await whenSent(sb, clock, id);
      assert.equal(sent.failed_attempts, 1);
      assert.deepEqual(textsOf(sb.peer.seen), ['perhaps', 'perhaps']);
      const outcomes = (await sb.attempts(id)).map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['uncertain', 'sent']);
    });

    it('applies a changed policy at once', async () => {
      const { sb } = await startTelegram('hold');
      await using _ = sb;
      sb.peer.next('reset');
      assert.equal((await sb.settled(await sb.send('1', CHATS.person))).state, 'uncertain');
      await sb.api.put(`/1/applications/${sb.applicationId}/delivery`, { uncertain: 'resend' });
      sb.peer.next('reset');
      await sb.waiting(await sb.send('2', CHATS.large), 'retry');
    });

    it('retries a message that was certainly not sent despite the hold policy', async () => {
      const { clock, sb } = await startTelegram('hold');
      await using _ = sb;
      sb.peer.next(telegramError(503, 'Service Unavailable'));
      const id = await sb.send('Hello', CHATS.person);
      await sb.waiting(id, 'retry');
      const [tried] = await sb.attempts(id);
      assert.equal(tried?.outcome, 'transient');
      await whenSent(sb, clock, id);
    });

    it('retries a refused connection despite the hold policy', async () => {
      const gone = await openEndpoint();
      await gone.close();
      const clock = new TestClock();
      await using sb = await openDelivery(engine, {
        clock,
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN },
        environment: { SWITCHBOARD_TELEGRAM_URL: gone.url },
      });
      await sb.api.put(`/1/applications/${sb.applicationId}/delivery`, { uncertain: 'hold' });
      const id = await sb.send('Hello', CHATS.person);
      await sb.waiting(id, 'retry');
      const [tried] = await sb.attempts(id);
      assert.deepEqual([tried?.outcome, tried?.status], ['transient', null]);
    });

    it('retries with the same key on channels with idempotency keys despite the hold policy', async () => {
      const clock = new TestClock();
      await using sb = await openWebhookDelivery(engine, { clock });
      await sb.api.put(`/1/applications/${sb.applicationId}/delivery`, { uncertain: 'hold' });
      sb.peer.next('reset');
      sb.peer.next({ status: 500 });
      const id = await sb.send('Hello', 'ada');
      await sb.waiting(id, 'retry');
      await whenSent(sb, clock, id);
      const keys = new Set(sb.peer.seen.map(({ headers }) => headers['webhook-id']));
      assert.equal(sb.peer.seen.length, 3);
      assert.equal(keys.size, 1, 'the endpoint can tell that it is one message');
      await sb.settled(await sb.send('another', 'ada'));
      assert.ok(!keys.has(sb.peer.seen.at(-1)?.headers['webhook-id']));
    });

    it('refuses an unknown policy', async () => {
      const { sb } = await startTelegram('resend');
      await using _ = sb;
      const path = `/1/applications/${sb.applicationId}/delivery`;
      for (const body of [{ uncertain: 'drop' }, {}, { uncertain: null }]) {
        assert.equal((await sb.api.put(path, body)).status, 422);
      }
      assert.equal((await sb.api.get(path)).body.uncertain, 'resend');
      const stranger = await sb.service.otherTeam();
      assert.equal((await stranger.api.put(path, { uncertain: 'hold' })).status, 404);
    });
  });
}

const textsOf = (seen: readonly { json: unknown }[]) =>
  seen.map(({ json }) => (json as { text: string }).text);
