import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { contentOf } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { openWebhookDelivery, whenSent } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

for (const engine of ENGINES) {
  describe(`content that a channel refuses permanently (${engine})`, () => {
    async function start(status: number) {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      sb.peer.react = (request) => ({
        status: contentOf(request) === 'poison' ? status : 204,
        body: 'oops',
      });
      const id = await sb.send('poison', 'ada');
      /** Makes `count` attempts without waiting for the schedule. */
      const attempts = async (total: number) => {
        const made = async () => (await sb.attempts(id)).length;
        await until('an attempt', async () => (await made()) > 0);
        for (let before = await made(); before < total; before = await made()) {
          await sb.waiting(id, 'retry');
          await sb.app.post(`/1/messages/${id}/retry`);
          await until('another attempt', async () => (await made()) > before);
        }
      };
      return { clock, sb, id, attempts };
    }

    it('a message fails after 5 equal responses while other messages are sent, and frees its lane', async () => {
      const { clock, sb, id, attempts } = await start(500);
      await using _ = sb;
      const behind = await sb.send('fine', 'ada');
      await attempts(1);
      await whenSent(sb, clock, await sb.send('fine', 'bob'));
      await attempts(5);
      const failed = await sb.settled(id);
      assert.deepEqual([failed.state, failed.failed_attempts], ['failed', 5]);
      assert.equal(failed.error?.code, 'content');
      await whenSent(sb, clock, behind);
    });

    for (const [what, status, isOtherSent] of [
      ['nothing else is sent', 500, false],
      ['the server answers 503', 503, true],
    ] as const) {
      it(`content that a channel refuses permanently is retried as usual when ${what}`, async () => {
        const { clock, sb, id, attempts } = await start(status);
        await using _ = sb;
        await attempts(1);
        if (isOtherSent) await whenSent(sb, clock, await sb.send('fine', 'bob'));
        await attempts(5);
        const { state, error } = await sb.waiting(id, 'retry').then(() => sb.show(id));
        assert.deepEqual([state, error?.code], ['queued', 'transient']);
      });
    }
  });
}
