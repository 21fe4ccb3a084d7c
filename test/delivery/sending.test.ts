import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { openEndpoint } from '../emulators/endpoint.ts';
import { CHATS, TOKEN, openTelegram, telegramError } from '../emulators/telegram.ts';
import {
  type DeliveryService,
  openDelivery,
  openWebhookDelivery,
} from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

for (const engine of ENGINES) {
  describe(`delivery (${engine})`, () => {
    const open = () =>
      openDelivery(engine, {
        channel: 'telegram',
        open: openTelegram,
        credentials: { token: TOKEN },
      });

    it('sends a message and reports it as sent', async () => {
      await using sb = await open();
      const id = await sb.send('Hello', CHATS.person);
      const sent = await sb.settled(id);
      assert.equal(sent.state, 'sent');
      assert.deepEqual(sent.channel_ids, [`${CHATS.person}:101`]);
      assert.deepEqual([sent.failed_attempts, sent.error, sent.waiting], [0, null, null]);
      assert.deepEqual(
        sb.peer.seen.map(({ json }) => json),
        [{ chat_id: CHATS.person, text: 'Hello' }],
      );
    });

    it('records each attempt without secrets', async () => {
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

    it('fails a permanently refused message at once, says why, and continues', async () => {
      await using sb = await open();
      const id = await sb.send('Hello', CHATS.blocked);
      const failed = await sb.settled(id);
      assert.equal(failed.state, 'failed');
      assert.equal(failed.error?.code, 'recipient');
      assert.match(failed.error?.detail ?? '', /blocked by the user/);
      assert.equal((await sb.settled(await sb.send('Hello', CHATS.person))).state, 'sent');
    });

    it('retries a transient failure', async () => {
      await using sb = await open();
      sb.peer.next(telegramError(500, 'Internal Server Error'));
      const id = await sb.send('Hello', CHATS.person);
      const { error, waiting } = await sb.message(id, (found) => found.waiting !== null);
      assert.equal(waiting?.reason, 'retry');
      assert.match(waiting?.detail ?? '', /Internal Server Error/);
      assert.equal(error?.code, 'transient');
      const sent = await sb.settled(id);
      assert.deepEqual([sent.state, sent.failed_attempts], ['sent', 1]);
      const attempts = await sb.attempts(id);
      assert.deepEqual(
        attempts.map(({ outcome }) => outcome),
        ['uncertain', 'sent'],
      );
    });

    it('stores an activity once for all attempts and shows each attempt complete', async () => {
      await using sb = await openWebhookDelivery(engine);
      sb.peer.next({ status: 500 });
      const id = await sb.send('Hello', 'ada');
      await sb.settled(id);
      const text = sb.peer.seen[0]?.text ?? '';
      assert.match(text, /"content":"Hello"/);
      const shown = (await sb.attempts(id)).map(({ request }) => request);
      assert.deepEqual(
        shown,
        Array.from({ length: 2 }, () => `POST ${sb.peer.url}\n\n${text}`),
      );
      assert.deepEqual(await kept(sb), [`POST ${sb.peer.url}\n\n`, `POST ${sb.peer.url}\n\n`]);
    });

    it('truncates long records', async () => {
      await using sb = await openWebhookDelivery(engine);
      const id = await sb.send('é'.repeat(3_000), 'ada');
      await sb.settled(id);
      const whole = `POST ${sb.peer.url}\n\n${sb.peer.seen[0]?.text}`;
      const [attempt] = await sb.attempts(id);
      assert.equal(attempt?.request, whole.slice(0, 2_000));
    });

    it('masks a secret in the activity itself', async () => {
      const secret = `whsec_${Buffer.from('not-a-secret'.repeat(3)).toString('base64')}`;
      await using sb = await openDelivery(engine, {
        channel: 'webhook',
        open: () => openEndpoint(),
        credentials: ({ url }) => ({ address: url, secret }),
      });
      const id = await sb.send(`It is ${secret}.`, 'ada');
      await sb.settled(id);
      const [attempt] = await sb.attempts(id);
      assert.match(attempt?.request ?? '', /"content":"It is \*\*\*\."/);
      const [request] = await kept(sb);
      assert.equal(request, attempt?.request);
    });

    it('omits the text of an attempt when a secret is too short to mask', async () => {
      await using sb = await openDelivery(engine, {
        channel: 'webhook',
        open: () => openEndpoint(),
        credentials: ({ url }) => ({ address: url, secret: 'pw7' }),
      });
      sb.peer.next({ status: 400, body: 'the secret pw7 is refused' });
      const id = await sb.send('It is pw7.', 'ada');
      await sb.settled(id);
      const attempts = await sb.attempts(id);
      assert.ok(attempts.length > 0);
      assert.ok(!JSON.stringify([attempts, await kept(sb)]).includes('pw7'));
    });
  });
}

/** The stored requests of all attempts. */
async function kept({ service }: Pick<DeliveryService, 'service'>): Promise<(string | null)[]> {
  const rows = await service.store.engine.db.selectFrom('attempts').select('request').execute();
  return rows.map(({ request }) => request);
}
