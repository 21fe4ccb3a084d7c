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
  describe(`when the answer is lost (${engine})`, () => {
    async function startTelegram(uncertain: 'hold' | 'resend') {
      const clock = new TestClock();
      const sb = await openDelivery(engine, {
        clock,
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN },
      });
      const path = `/1/applications/${sb.applicationId}/delivery`;
      assert.equal((await sb.api.get(path)).body.uncertain, 'resend', 'unless told otherwise');
      if (uncertain !== 'resend') await sb.api.put(path, { uncertain });
      assert.equal((await sb.api.get(path)).body.uncertain, uncertain);
      return { clock, sb };
    }

    const LOST: readonly (readonly [string, ConnectionFault | Reply])[] = [
      ['a connection that is reset', 'reset'],
      ['a connection that is closed', 'close'],
      ['something that is not HTTP', 'garbage'],
      ['a server error', telegramError(500, 'Internal Server Error')],
    ];

    for (const [what, connectionFault] of LOST) {
      it(`holds a message after ${what}, and sends it only when asked to`, async () => {
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

    it('gives a channel 15 seconds to answer, and then does not know', async () => {
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

    it('sends again by itself when nobody said to hold', async () => {
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

    it('heeds at once what the application says now', async () => {
      const { sb } = await startTelegram('hold');
      await using _ = sb;
      sb.peer.next('reset');
      assert.equal((await sb.settled(await sb.send('1', CHATS.person))).state, 'uncertain');
      await sb.api.put(`/1/applications/${sb.applicationId}/delivery`, { uncertain: 'resend' });
      sb.peer.next('reset');
      await sb.waiting(await sb.send('2', CHATS.large), 'retry');
    });

    it('tries again what was certainly not sent, whatever is to be held', async () => {
      const { clock, sb } = await startTelegram('hold');
      await using _ = sb;
      sb.peer.next(telegramError(503, 'Service Unavailable'));
      const id = await sb.send('Hello', CHATS.person);
      await sb.waiting(id, 'retry');
      const [tried] = await sb.attempts(id);
      assert.equal(tried?.outcome, 'transient');
      await whenSent(sb, clock, id);
    });

    it('tries again when nobody took the connection, whatever is to be held', async () => {
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

    it('tries again with the same key where the channel knows repeats, whatever is to be held', async () => {
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

    it('refuses a policy that it does not know', async () => {
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
