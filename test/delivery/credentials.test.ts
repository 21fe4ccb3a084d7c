import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Reaction, contentOf, createGate } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const refused: Reaction = { status: 401, body: 'who are you?' };
const accepted: Reaction = { status: 204 };

for (const engine of ENGINES) {
  describe(`refused credentials (${engine})`, () => {
    /** An endpoint that has moved: it accepts requests to the new address only. */
    async function start() {
      const clock = new TestClock();
      const sb = await openWebhookDelivery(engine, { clock });
      const use = (path: string) => sb.change({ address: sb.peer.url + path });
      sb.peer.react = ({ path }) => (path === '/old' ? refused : accepted);
      // From the second message on, several are in flight at once.
      await sb.settled(await sb.send('hello', 'grace'));
      await use('/old');
      return {
        clock,
        sb,
        use,
        /** Contents and paths of the requests since the last look. */
        arrived: () => sb.peer.seen.slice(1).map((one) => `${contentOf(one)} ${one.path}`),
      };
    }

    it('refused credentials pause the integration until they are corrected', async () => {
      const { sb, use, arrived } = await start();
      await using _ = sb;
      const first = await sb.send('first', 'ada');
      await sb.waiting(first, 'credentials');
      const { state, error, failed_attempts: failures } = await sb.show(first);
      assert.deepEqual([state, error?.code, failures], ['queued', 'credentials', 0]);
      assert.match(error?.detail ?? '', /401.*who are you\?/);
      const all = [
        first,
        await sb.send('second', 'ada'),
        await sb.send('third', 'charles'),
        await sb.send('fourth', 'charles'),
      ];
      for (const id of all) {
        const { until: end, detail } = await sb.waiting(id, 'credentials');
        assert.equal(end, null);
        assert.match(detail, /who are you\?/);
      }
      assert.deepEqual(arrived(), ['first /old']);
      await use('/new');
      for (const id of all) assert.equal((await sb.settled(id)).state, 'sent');
      const later = arrived().slice(1);
      assert.deepEqual(
        later.filter((one) => /first|second/.test(one)),
        ['first /new', 'second /new'],
      );
      assert.deepEqual(
        later.filter((one) => /third|fourth/.test(one)),
        ['third /new', 'fourth /new'],
      );
      const outcomes = (await sb.attempts(first)).map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, ['permanent', 'sent']);
    });

    it('refused credentials requeue everything in flight and keep the order', async () => {
      const { sb, use, arrived } = await start();
      await using _ = sb;
      const late = createGate();
      sb.peer.react = async ({ path }) => {
        if (path !== '/old') return accepted;
        await late.opened;
        return refused;
      };
      const recipients = Array.from({ length: 20 }, (_unused, i) => `person${i}`);
      const ids: number[] = [];
      for (const round of [1, 2, 3, 4, 5]) {
        ids.push(...(await sb.sendAll(recipients.map((to) => ({ text: `${round} ${to}`, to })))));
      }
      await until('several messages are in flight', () => sb.peer.inFlight > 1);
      late.open();
      for (const id of ids) await sb.waiting(id, 'credentials');
      await use('/new');
      for (const id of ids) assert.equal((await sb.settled(id)).state, 'sent', String(id));
      const later = arrived().filter((one) => one.endsWith(' /new'));
      assert.equal(later.length, ids.length);
      for (const to of recipients) {
        const rounds = later.filter((one) => one.split(' ')[1] === to).map((one) => one[0]);
        assert.deepEqual(rounds, ['1', '2', '3', '4', '5'], to);
      }
    });

    it('refused credentials keep the integration paused over time and new messages', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      await sb.waiting(await sb.send('first', 'ada'), 'credentials');
      const id = await sb.send('second', 'ada');
      for (let i = 0; i < 20; i++) {
        clock.advance(1000);
        assert.equal((await sb.show(id)).waiting?.reason, 'credentials');
      }
      assert.equal(sb.peer.seen.length, 2);
    });

    it('refused credentials pause the integration again when the corrected ones are refused too', async () => {
      const { sb, use, arrived } = await start();
      await using _ = sb;
      const first = await sb.send('first', 'ada');
      const second = await sb.send('second', 'ada');
      for (const id of [first, second]) await sb.waiting(id, 'credentials');
      await use('/old');
      await until('another attempt', () => arrived().length === 2);
      for (const id of [first, second]) await sb.waiting(id, 'credentials');
      assert.deepEqual(arrived(), ['first /old', 'first /old']);
    });

    it('refused credentials do not pause the integration when the response to the old ones is late', async () => {
      const { sb, use, arrived } = await start();
      await using _ = sb;
      const late = createGate();
      sb.peer.react = async (request) => {
        if (request.path !== '/old') return accepted;
        if (contentOf(request) === 'slow') await late.opened;
        return refused;
      };
      const slow = await sb.send('slow', 'ada');
      await until('the slow request', () => sb.peer.inFlight === 1);
      const quick = await sb.send('quick', 'charles');
      await sb.waiting(quick, 'credentials');
      await use('/new');
      assert.equal((await sb.settled(quick)).state, 'sent');
      late.open();
      assert.equal((await sb.settled(slow)).state, 'sent');
      assert.deepEqual(arrived(), ['slow /old', 'quick /old', 'quick /new', 'slow /new']);
    });

    it('refused credentials keep the integration paused despite a rate limit hit at the same time', async () => {
      const { clock, sb } = await start();
      await using _ = sb;
      const late = createGate();
      sb.peer.react = async (request) => {
        if (contentOf(request) !== 'slow') return refused;
        await late.opened;
        return { status: 429, headers: { 'retry-after': '1' } };
      };
      const slow = await sb.send('slow', 'ada');
      await until('the slow request', () => sb.peer.inFlight === 1);
      await sb.waiting(await sb.send('quick', 'charles'), 'credentials');
      late.open();
      await sb.message(slow, ({ state }) => state === 'queued');
      for (let i = 0; i < 5; i++) {
        assert.equal((await sb.show(slow)).waiting?.reason, 'credentials');
        clock.advance(1000);
      }
      assert.equal(sb.peer.seen.length, 3);
    });

    it('new credentials are used from the next message on', async () => {
      const { sb, use, arrived } = await start();
      await using _ = sb;
      const answer = createGate();
      sb.peer.react = async ({ path }) => {
        if (path === '/old') await answer.opened;
        return accepted;
      };
      const under = await sb.send('in flight', 'ada');
      const queued = await sb.send('queued', 'ada');
      await until('the first request', () => sb.peer.inFlight === 1);
      await use('/new');
      assert.equal((await sb.settled(await sb.send('other', 'charles'))).state, 'sent');
      answer.open();
      for (const id of [under, queued]) assert.equal((await sb.settled(id)).state, 'sent');
      assert.deepEqual(arrived(), ['in flight /old', 'other /new', 'queued /new']);
    });
  });
}
