import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Reaction, contentOf, gate } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { ENGINES } from '../support/databases.ts';
import { openWebhookDelivery } from '../support/delivery.ts';
import { until } from '../support/until.ts';

const refused: Reaction = { status: 401, body: 'who are you?' };
const taken: Reaction = { status: 204 };

for (const engine of ENGINES) {
  describe(`credentials (${engine})`, () => {
    /** An endpoint that has moved: only what comes to the new address is taken. */
    async function start() {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      const use = (path: string) => sb.change({ address: sb.peer.url + path });
      sb.peer.react = ({ path }) => (path === '/old' ? refused : taken);
      // From the second message on, several are under way at once.
      await sb.settled(await sb.send('hello', 'grace'));
      await use('/old');
      return {
        clock,
        sb,
        use,
        /** What has come since, and where. */
        arrived: () => sb.peer.seen.slice(1).map((one) => `${contentOf(one)} ${one.path}`),
      };
    }

    it('pauses the integration when they are refused, and goes on once they are corrected', async () => {
      const { sb, use, arrived } = await start();
      await using _ = sb;
      const first = await sb.send('first', 'ada');
      const failed = await sb.settled(first);
      assert.deepEqual([failed.state, failed.error?.code], ['failed', 'credentials']);
      assert.match(failed.error?.detail ?? '', /401: who are you\?/);
      const others = [
        await sb.send('second', 'ada'),
        await sb.send('third', 'charles'),
        await sb.send('fourth', 'charles'),
      ];
      for (const id of others) {
        const { until: end, detail } = await sb.waiting(id, 'credentials');
        assert.equal(end, null);
        assert.match(detail, /correct them.*who are you\?/);
      }
      assert.deepEqual(arrived(), ['first /old']);
      await use('/new');
      for (const id of others) assert.equal((await sb.settled(id)).state, 'sent');
      assert.deepEqual(arrived().slice(1).toSorted(), ['fourth /new', 'second /new', 'third /new']);
      await sb.app.post(`/1/messages/${first}/resend`);
      assert.equal((await sb.settled(first)).state, 'sent');
    });

    it('stays paused however long it takes, and through another message', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      await sb.settled(await sb.send('first', 'ada'));
      const id = await sb.send('second', 'ada');
      for (let i = 0; i < 20; i++) {
        clock.advance(1000);
        assert.equal((await sb.show(id)).waiting?.reason, 'credentials');
      }
      assert.equal(sb.peer.seen.length, 2);
    });

    it('pauses again when the corrected ones are refused too', async () => {
      const { sb, use, arrived } = await start();
      await using _ = sb;
      await sb.settled(await sb.send('first', 'ada'));
      const second = await sb.send('second', 'ada');
      const third = await sb.send('third', 'ada');
      await sb.waiting(second, 'credentials');
      await use('/old');
      assert.equal((await sb.settled(second)).error?.code, 'credentials');
      await sb.waiting(third, 'credentials');
      assert.deepEqual(arrived(), ['first /old', 'second /old']);
    });

    it('does not pause for a late answer to the old ones', async () => {
      const { sb, use, arrived } = await start();
      await using _ = sb;
      const late = gate();
      sb.peer.react = async (request) => {
        if (request.path !== '/old') return taken;
        if (contentOf(request) === 'slow') await late.opened;
        return refused;
      };
      const slow = await sb.send('slow', 'ada');
      await until('the slow one', () => sb.peer.underWay === 1);
      const quick = await sb.send('quick', 'charles');
      assert.equal((await sb.settled(quick)).error?.code, 'credentials');
      await use('/new');
      late.open();
      assert.equal((await sb.settled(slow)).error?.code, 'credentials');
      assert.equal((await sb.settled(await sb.send('next', 'charles'))).state, 'sent');
      assert.deepEqual(arrived(), ['slow /old', 'quick /old', 'next /new']);
    });

    it('is not woken by a limit that another message ran into at the same time', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      const late = gate();
      sb.peer.react = async (request) => {
        if (contentOf(request) !== 'slow') return refused;
        await late.opened;
        return { status: 429, headers: { 'retry-after': '1' } };
      };
      const slow = await sb.send('slow', 'ada');
      await until('the slow one', () => sb.peer.underWay === 1);
      await sb.settled(await sb.send('quick', 'charles'));
      late.open();
      await sb.message(slow, ({ state }) => state === 'queued');
      for (let i = 0; i < 5; i++) {
        assert.equal((await sb.show(slow)).waiting?.reason, 'credentials');
        clock.advance(1000);
      }
      assert.equal(sb.peer.seen.length, 3);
    });

    it('uses new ones from the next message on', async () => {
      const { sb, use, arrived } = await start();
      await using _ = sb;
      const answer = gate();
      sb.peer.react = async ({ path }) => {
        if (path === '/old') await answer.opened;
        return taken;
      };
      const under = await sb.send('under way', 'ada');
      const queued = await sb.send('queued', 'ada');
      await until('the first', () => sb.peer.underWay === 1);
      await use('/new');
      assert.equal((await sb.settled(await sb.send('other', 'charles'))).state, 'sent');
      answer.open();
      for (const id of [under, queued]) assert.equal((await sb.settled(id)).state, 'sent');
      assert.deepEqual(arrived(), ['under way /old', 'other /new', 'queued /new']);
    });
  });
}
